/** What an engine knows of its events so far: plain data, so that it forks, rests and is read back (dynamics.md, "Graph and engine"). */
import { z } from 'zod';
import { Touch } from '../../artifacts/trace.js';

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

/** Something to be told, or told already: the delivery log is apart from the firing log. */
export const Notice = z.strictObject({
  event: z.string(),
  to: z.enum(['user', 'environment']),
  text: z.string(),
  at: z.number().int(),
  /** Calls in the ledger when it was delivered; absent: not yet. */
  delivered: count.optional(),
});

export const EngineState = z.strictObject({
  /** Steps so far: every call is one, a failed one too. */
  steps: count,
  /** Successful calls that match each event's trigger. */
  matches: z.record(z.string(), count),
  /** Events whose trigger has come, by the virtual time of it: they wait for their parents. */
  armed: z.record(z.string(), z.number().int()),
  log: z.array(Fate),
  notices: z.array(Notice),
});

export type Fate = z.infer<typeof Fate>;
export type Notice = z.infer<typeof Notice>;
export type EngineState = z.infer<typeof EngineState>;

export const openingState = (): EngineState => ({ steps: 0, matches: {}, armed: {}, log: [], notices: [] });

export const fateOf = ({ log }: EngineState, event: string): Fate | undefined =>
  log.find((entry) => entry.event === event);
