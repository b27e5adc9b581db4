/** A careless agent of a given error rate: at each step of the reference it slips with that chance, and then goes on. */
import type { Task } from '../../artifacts/task.js';
import { type Rng, rng } from '../../kit/rng.js';
import type { Mistake, MistakeKind } from '../agents/mistakes.js';
import { plannedPolicy } from '../agents/scripted.js';
import type { Policy } from '../policy.js';

/**
 * Slips of a careless hand: what is planned at a step is done on the wrong thing, left out, written wrongly, done twice, or
 * followed by something nobody asked for. Giving up is a choice, not a slip.
 */
const SLIPS = ['wrong_entity', 'skipped_step', 'malformed_call', 'repeated_call', 'extra_write'] as const;

/** Whether the entity at a step can be the wrong one: it depends on an earlier result. */
const isPointed = (task: Task, step: number): boolean =>
  task.reference.sources.some(({ call, from }) => call === step && 'observed' in from);

const slipAt = (task: Task, step: number, random: Rng): MistakeKind =>
  random.pick(isPointed(task, step) ? SLIPS : SLIPS.filter((kind) => kind !== 'wrong_entity'));

/**
 * The slips of one run: at most one a step, each step and the answer with chance `rate`, each from a stream of its own. A run
 * that slips at a rate slips at the same steps at every higher one, so that success falls with the rate.
 */
export const planSlips = (task: Task, rate: number, seed: string): Mistake[] => {
  const steps = task.reference.calls.flatMap((_, step): Mistake[] => {
    const random = rng(seed, task.id, 'slip', String(step));
    return random.chance(rate) ? [{ kind: slipAt(task, step, random), step }] : [];
  });
  const asks = task.answer !== undefined && task.answer.distractors.length > 0;
  const isShotgun = asks && rng(seed, task.id, 'slip', 'answer').chance(rate);
  return isShotgun ? [...steps, { kind: 'shotgun_answer', step: task.reference.calls.length }] : steps;
};

/** The reference with the slips of one run. The same task, rate and seed make the same run. */
export const carelessPolicy = (task: Task, rate: number, seed: string): Policy =>
  plannedPolicy(task, planSlips(task, rate, seed), seed);
