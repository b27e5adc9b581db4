/** Where a change could strike: the writes of a reference, each with the world as it is before it and a moment at which news may come. */
import type { ScenarioEvent } from '../../../artifacts/scenario.js';
import type { Call } from '../../../artifacts/task.js';
import type { Json } from '../../../kit/hash.js';
import { valueAt, withValueAt } from '../../../kit/json-path.js';
import type { Rng } from '../../../kit/rng.js';
import type { Session } from '../../../serve/sessions/session.js';
import type { Candidate } from '../accept.js';
import { played, type Stage } from '../trial.js';
import { momentBefore } from '../when.js';
import { writesOf } from './slots.js';

export interface Site {
  stage: Stage;
  /** Number of the call that writes. */
  n: number;
  call: Call;
  /** The world before that call. */
  session: Session;
  when: ScenarioEvent['when'];
  random: Rng;
}

/** At most this many candidates of one maker for one task: the next ones would be the same thought again. */
export const MOST_OF_A_KIND = 2;

/** What `make` finds at each write that has a moment before it, until there is enough. Leaves no session open. */
export const atWrites = (
  stage: Stage,
  random: Rng,
  make: (site: Site) => Candidate[],
  most = MOST_OF_A_KIND,
): Candidate[] => {
  const { task, world } = stage;
  const { calls } = task.reference;
  const found: Candidate[] = [];
  for (const n of random.stream('sites').shuffle(writesOf(world, calls))) {
    if (found.length >= most) break;
    const own = random.stream(`write ${n}`);
    const when = momentBefore(task, n, own.stream('when'))?.when;
    if (!when) continue;
    const session = played(stage, calls.slice(0, n));
    try {
      found.push(...make({ stage, n, call: calls[n] as Call, session, when, random: own }));
    } finally {
      session.drop();
    }
  }
  return found.slice(0, most);
};

/** The reference with another call in the place of call `n`. */
export const withCall = ({ stage, n }: Site, call: Call): Call[] =>
  stage.task.reference.calls.map((each, at) => (at === n ? call : each));

/** From call `n` on, whatever stands at this path and is the old value is the new one. */
export const withValue = ({ stage, n }: Site, path: string, old: Json, now: Json): Call[] =>
  stage.task.reference.calls.map((call, at) =>
    at >= n && valueAt(call.args, path) === old ? { ...call, args: withValueAt(call.args, path, now) } : call,
  );
