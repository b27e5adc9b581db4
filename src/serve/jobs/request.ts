/** Work that a trainer leaves with a server: what is asked for, how far it came, and what it made. */
import { z } from 'zod';
import { Detail } from '../../artifacts/disclosure.js';
import { REWARD_SHAPES } from '../../verify/reward.js';

const names = z.array(z.string().min(1).max(256)).min(1).max(10_000);
const seed = z.string().min(1).max(256);
const count = z.number().int().min(1);

/** Filters: a task must fit every one that is given, and one value of it. */
const WHICH = {
  worlds: names.optional(),
  tasks: names.optional(),
  profiles: names.optional(),
  kinds: names.optional(),
  /** At most so many tasks, drawn by the seed. */
  limit: count.max(1_000_000).optional(),
  seed: seed.optional(),
};

/** Rollouts by a policy without a model: as `treadle rollout` with these options makes them. */
export const RolloutJob = z.strictObject({
  kind: z.literal('rollout'),
  ...WHICH,
  /** Scenarios in place of tasks that stand still: all, or by id. */
  scenarios: z.union([z.literal(true), names]).optional(),
  policy: z.enum(['reference', 'stale', 'asking', 'scripted', 'none']),
  /** Chances of mistakes a rollout, for `scripted`: `wrong_entity=0.2,giving_up=0.1`. */
  mistakes: z.string().max(1024).optional(),
  user: z.enum(['none', 'simulated']).optional(),
  detail: Detail.optional(),
  /** Rollouts a task. */
  n: count.max(10_000).optional(),
  turns: count.max(1000).optional(),
  reward: z.enum(REWARD_SHAPES).optional(),
  faults: z.array(z.string().max(256)).max(64).optional(),
});

/** Tasks through the gate once more: certificates. */
export const GateJob = z.strictObject({ kind: z.literal('gate'), ...WHICH });

export const JobRequest = z.discriminatedUnion('kind', [RolloutJob, GateJob]);

export const JobInfo = z.strictObject({
  id: z.string(),
  request: JobRequest,
  items: z.strictObject({
    waiting: z.number().int(),
    leased: z.number().int(),
    done: z.number().int(),
    /** Their tries are used up. */
    failed: z.number().int(),
  }),
  /** Nothing waits and nothing is under way. */
  isOver: z.boolean(),
});

export const JobItem = z.strictObject({
  id: z.string(),
  state: z.enum(['waiting', 'leased', 'done', 'failed']),
  attempt: z.number().int(),
  /** Of a finished one: a rollout's trace and verdict, a gated task's certificate. */
  result: z.json().optional(),
  /** Of a failed one: its last error. */
  error: z.json().optional(),
});

export type JobRequest = z.infer<typeof JobRequest>;
export type RolloutJob = z.infer<typeof RolloutJob>;
export type JobInfo = z.infer<typeof JobInfo>;
export type JobItem = z.infer<typeof JobItem>;
