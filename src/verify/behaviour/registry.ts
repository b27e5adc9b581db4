/** All behaviour flags, one line a flag, and what a trace shows of them. */
import type { Trace } from '../../artifacts/trace.js';
import { degenerateText } from './degenerate.js';
import type { BehaviourFlag, Sighting } from './flag.js';
import { interfaceViolation } from './interface-violation.js';
import { malformedCall } from './malformed-call.js';
import { malformedReasoning } from './malformed-reasoning.js';
import { noProgress } from './no-progress.js';
import { pastEnd } from './past-end.js';
import { truncation } from './truncation.js';

export const BEHAVIOUR_FLAGS: readonly BehaviourFlag[] = [
  noProgress,
  malformedCall,
  malformedReasoning,
  interfaceViolation,
  pastEnd,
  degenerateText,
  truncation,
];

export const FLAG_IDS: readonly string[] = BEHAVIOUR_FLAGS.map(({ id }) => id);

/** Flags of a trace by id, with every place they were seen at; a flag that was not seen is not there. */
export type Behaviour = Readonly<Record<string, readonly Sighting[]>>;

/** Looks at a trace; the same trace gives the same flags. Nothing of the task or the verdict is read. */
export const behaviourOf = (trace: Trace): Behaviour => {
  const out: Record<string, Sighting[]> = {};
  for (const { id, sightings } of BEHAVIOUR_FLAGS) {
    const seen = sightings(trace);
    if (seen.length > 0) out[id] = seen;
  }
  return out;
};
