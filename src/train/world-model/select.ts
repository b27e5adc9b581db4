/** Which pairs become rows, and on which side of the split each one stands. */
import { sha256 } from '../../kit/hash.js';
import { splitLineages } from '../sft/split.js';
import type { Side } from '../tables/files.js';
import type { Step } from './steps.js';

export const SPLIT_BY = ['lineage', 'world', 'service'] as const;
export type SplitBy = (typeof SPLIT_BY)[number];

/** Injected faults: left out, among the others, or alone. */
export const FAULTS = ['without', 'with', 'only'] as const;
export type Faults = (typeof FAULTS)[number];

export const LEFT_OUT = [
  'injected',
  'not_injected',
  'infrastructure',
  'after_outside',
  'wait',
  'scenario_gone',
  'duplicate',
  'too_long',
  'not_reproduced',
  'held_out_in_history',
] as const;
export type LeftOut = (typeof LEFT_OUT)[number];

export const WHY_LEFT_OUT: Record<LeftOut, string> = {
  injected: 'are faults made on purpose, or come after one',
  not_injected: 'are no faults made on purpose',
  infrastructure: 'broke outside the software',
  after_outside:
    'come after an event that changed the state, which their history does not tell (--with-state tells it)',
  wait: 'let time pass in a scenario',
  scenario_gone: 'are of scenarios that the corpus no longer holds',
  duplicate: 'are of a state and an action that another row has',
  too_long: 'are longer than asked for',
  not_reproduced: 'answered something else when they were run again',
  held_out_in_history: 'have a call of a held-out service in their history',
};

/** `isAfter`: a fault was injected earlier in the rollout, so that history is not the software's own. */
export const leftOutOf = ({ fault }: Step, isAfter: boolean, faults: Faults): LeftOut | undefined => {
  if (fault === 'infrastructure') return 'infrastructure';
  if (faults === 'without' && (fault === 'injected' || isAfter)) return 'injected';
  if (faults === 'only' && fault !== 'injected') return 'not_injected';
  return undefined;
};

/**
 * Keeps one row of each pair. A pair seen again with another answer is kept too and counted: then the answer hangs on something
 * that is neither in the state nor in the action, such as the time of a look-up.
 */
export class Pairs {
  readonly #seen = new Map<string, Set<string>>();
  answersDiffer = 0;

  has(pair: string, observation: string): boolean {
    return this.#seen.get(pair)?.has(sha256(observation)) ?? false;
  }

  add(pair: string, observation: string): void {
    const answers = this.#seen.get(pair) ?? new Set<string>();
    this.#seen.set(pair, answers);
    if (answers.size > 0) this.answersDiffer++;
    answers.add(sha256(observation));
  }
}

/** The groups that stand on one side together; an unknown tool belongs to no service. */
export const groupOf = (
  by: SplitBy,
  { world, lineage, service }: { world: string; lineage: string; service: string },
): string => (by === 'world' ? world : by === 'service' ? service || 'none' : lineage);

export interface Placing {
  sideOf(group: string, services: readonly string[]): Side | 'held_out_in_history';
}

/** Deals groups; with services, a training row may not have seen a held-out one in its history either. */
export const placing = (by: SplitBy, groups: ReadonlyMap<string, number>, share: number, seed: string): Placing => {
  const sides = splitLineages(groups, share, seed);
  return {
    sideOf: (group, services) => {
      const side = sides.get(group) ?? 'train';
      const hasHeldOut = by === 'service' && services.some((service) => sides.get(service || 'none') === 'validation');
      return side === 'train' && hasHeldOut ? 'held_out_in_history' : side;
    },
  };
};
