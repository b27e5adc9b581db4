/** What a scenario did to the software that a rollout talked to: changes of its state, and words that came with results. */
import type { Trace } from '../../artifacts/trace.js';
import { observationText } from '../../rollout/observation.js';
import { DEFAULT_LIMITS } from '../../rollout/rollout.js';
import type { Step } from './steps.js';

/** By number of steps done: ids of the events that changed rows then. */
export const outsideChanges = ({ events }: Pick<Trace, 'events'>): Map<number, string[]> => {
  const changes = new Map<number, string[]>();
  for (const event of events)
    if (event.kind === 'fate' && event.fate === 'fired' && event.touched.length > 0)
      changes.set(event.calls, [...(changes.get(event.calls) ?? []), event.event]);
  return changes;
};

/** Steps whose text holds a notice (harnesses are told of events in results) with the software's own answer alone. */
export const withoutNotices = (
  steps: readonly Step[],
  { events, ledger }: Pick<Trace, 'events' | 'ledger'>,
): Step[] => {
  const told = new Set(
    events.flatMap((event) => (event.kind === 'notice' && event.message === undefined ? [event.calls] : [])),
  );
  if (told.size === 0) return [...steps];
  return steps.map((step, n) => {
    const entry = ledger[step.index];
    return told.has(n + 1) && entry
      ? { ...step, observation: observationText(entry.result, DEFAULT_LIMITS.maxObservationChars) }
      : step;
  });
};
