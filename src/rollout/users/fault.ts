/** Whether a rollout was spoilt by its simulated user: mistakes that the agent has heard. */
import type { Dialogue, Trace, UserMistake } from '../../artifacts/trace.js';
import { givesAway } from './mistakes.js';

/** Mistakes of messages that were sent, in their order. */
export const heardMistakes = (dialogue: Dialogue | undefined): UserMistake[] =>
  (dialogue?.turns ?? []).flatMap(({ refused, mistakes = [] }) => (refused === undefined ? mistakes : []));

/** The user gave away what was to be found or asked for: even a pass says nothing of who acted. */
export const GAVE_AWAY = 'user_gave_away';
/** The user misled the agent or left: a failure says nothing of who acted, a pass stands. */
export const MISLED = 'user_misled';

/** The trace's problem, where the user is one. */
export const userProblem = (dialogue: Dialogue | undefined): Trace['problem'] => {
  const kinds = [
    ...new Set(
      heardMistakes(dialogue)
        .filter(givesAway)
        .map(({ kind }) => kind),
    ),
  ];
  if (kinds.length > 0)
    return { code: GAVE_AWAY, message: `The simulated user ${kinds.sort().join(', ')}`, fault: 'user' };
  const others = [...new Set(heardMistakes(dialogue).map(({ kind }) => kind))];
  if (others.length === 0) return undefined;
  return { code: MISLED, message: `The simulated user ${others.sort().join(', ')}`, fault: 'user' };
};
