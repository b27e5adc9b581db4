/** What became of a scenario's events in one session: the firing log and, apart from it, the delivery log (dynamics.md). */
import { z } from 'zod';
import { Touch } from './touch.js';

const count = z.number().int().min(0);

/** One entry of the firing log. */
export const Fate = z.strictObject({
  event: z.string(),
  fate: z.enum(['fired', 'skipped', 'expired']),
  /** Virtual time, unix seconds. */
  at: z.number().int(),
  /** Calls in the ledger by then. */
  calls: count,
  /** Why it did not fire. */
  reason: z.string().optional(),
  /** Rows it changed. */
  touched: z.array(Touch),
});

/** Something to be told, or told already. */
export const Notice = z.strictObject({
  event: z.string(),
  /** Through whom: what a user says, or what the surroundings tell. */
  to: z.enum(['user', 'environment']),
  text: z.string(),
  at: z.number().int(),
  /** Calls in the ledger when it was delivered; absent: not yet. */
  delivered: count.optional(),
});

export type Fate = z.infer<typeof Fate>;
export type Notice = z.infer<typeof Notice>;
