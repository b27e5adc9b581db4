/** Wrong solutions that only the family of a task can make: each kind hands out those that came with the task. */
import type { MutantKind } from './mutant.js';

/** By kind, what such a solution does. */
export const KNOWN_KINDS = [
  /** Takes the branch whose condition does not hold. */
  'other_branch',
  /** Takes both branches. */
  'both_branches',
  /** Of several rows, one is left out; one that misses a condition by one is taken along. */
  'row_left_out',
  'row_too_many',
  /** Does what a rule forbids; refuses and gives another rule as the reason; refuses what is allowed. */
  'forbidden_done',
  'other_rule',
  'needless_refusal',
  /** Mends another row than the broken one; changes the row so that the rule stays broken. */
  'mends_other',
  'still_broken',
  /** Names one of two things that were asked for. */
  'half_answer',
  /** The file is not there, or holds something else. */
  'other_file',
] as const;

export type KnownKind = (typeof KNOWN_KINDS)[number];

export const KNOWN_WRONGS: readonly MutantKind[] = KNOWN_KINDS.map((kind) => ({
  kind,
  isOnce: true,
  make: ({ known }) => (known ?? []).filter((mutant) => mutant.kind === kind),
}));
