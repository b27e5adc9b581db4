/** Which mistakes a scripted policy makes, drawn before it starts: the cause of its failure is known. */
import type { Task } from '../../artifacts/task.js';
import { type Rng, rng } from '../../kit/rng.js';

export const MISTAKES = [
  'wrong_entity',
  'skipped_step',
  'malformed_call',
  'repeated_call',
  'extra_write',
  'giving_up',
  'shotgun_answer',
] as const;
export type MistakeKind = (typeof MISTAKES)[number];

/** The chance of each kind, per rollout. */
export type MistakeRates = Partial<Record<MistakeKind, number>>;

export const DEFAULT_RATES: MistakeRates = {
  wrong_entity: 0.15,
  skipped_step: 0.15,
  malformed_call: 0.1,
  repeated_call: 0.1,
  extra_write: 0.1,
  giving_up: 0.1,
  shotgun_answer: 0.1,
};

/** A mistake at the reference call `step` (for `giving_up`: before it). */
export interface Mistake {
  kind: MistakeKind;
  step: number;
}

/** Calls that depend on an earlier result: the entity there can be the wrong one. */
const pointed = (task: Task): number[] => [
  ...new Set(task.reference.sources.flatMap(({ call, from }) => ('observed' in from ? [call] : []))),
];

/** The steps at which a kind can happen at all. */
const stepsFor = (kind: MistakeKind, task: Task): number[] => {
  const all = task.reference.calls.map((_, n) => n);
  if (kind === 'shotgun_answer') return task.answer && task.answer.distractors.length > 0 ? [all.length] : [];
  if (kind === 'wrong_entity') return pointed(task);
  return all;
};

const draw = (kind: MistakeKind, task: Task, random: Rng): Mistake[] => {
  const steps = stepsFor(kind, task);
  if (steps.length === 0) return [];
  // The last steps are where the work is done; mistakes there are the ones that count.
  return [{ kind, step: random.chance(0.6) ? (steps.at(-1) as number) : random.pick(steps) }];
};

/** The mistakes for one rollout; each kind has its own stream, so that one rate does not move another. */
export const planMistakes = (task: Task, rates: MistakeRates, seed: string): Mistake[] =>
  MISTAKES.flatMap((kind) => {
    const random = rng(seed, task.id, 'mistake', kind);
    return random.chance(rates[kind] ?? 0) ? draw(kind, task, random) : [];
  });

/** `wrong_entity@1+shotgun_answer`, or `none`: the producer's name. */
export const planName = (plan: readonly Mistake[]): string =>
  plan.map(({ kind, step }) => (kind === 'shotgun_answer' ? kind : `${kind}@${step}`)).join('+') || 'none';
