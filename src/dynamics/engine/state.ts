/** What an engine knows of its events so far: plain data, so that it forks, rests and is read back (dynamics.md, "Graph and engine"). */
import { z } from 'zod';
import { Fate, Notice } from '../../artifacts/firing.js';

export type { Fate, Notice };

const count = z.number().int().min(0);

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

export type EngineState = z.infer<typeof EngineState>;

export const openingState = (): EngineState => ({ steps: 0, matches: {}, armed: {}, log: [], notices: [] });

export const fateOf = ({ log }: EngineState, event: string): Fate | undefined =>
  log.find((entry) => entry.event === event);
