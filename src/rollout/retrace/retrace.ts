/**
 * A rollout's calls once more on a fresh session: what each of them did to which rows, with the values, which a ledger does not
 * keep. Sessions are deterministic, so the results are the same ones; where they are not, it is said at which call.
 */
import type { Task } from '../../artifacts/task.js';
import type { LedgerEntry } from '../../artifacts/trace.js';
import { canonicalJson, type Json } from '../../kit/hash.js';
import { callerOf } from '../../serve/sessions/caller.js';
import { Session } from '../../serve/sessions/session.js';
import type { Woven } from '../../serve/sessions/woven.js';
import { dropGrounded, groundedWorld } from '../../world/grounded.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { diffStates } from '../../world/state/diff.js';
import type { FrozenState } from '../../world/state/state.js';
import type { RowChange } from '../../world/state/types.js';
import { Seam } from './seam.js';

export interface ServiceChange extends RowChange {
  service: string;
}

export interface Retraced {
  /** By entry of the ledger: what the call changed. Entries from `differsAt` on have none. */
  changes: ServiceChange[][];
  /** By entry: what the world outside changed once the call was done. Only with something woven in. */
  outside?: ServiceChange[][];
  /** The first entry whose result was another one this time. */
  differsAt?: number;
}

/** Entries that reached no session. */
const neverCame = ({ error }: LedgerEntry): boolean =>
  error?.code === 'malformed_arguments' || error?.fault === 'infrastructure';

/** Entries that no tool ran for: they are nothing to repeat, unless something woven in has them for a step. */
const neverRan = (entry: LedgerEntry): boolean =>
  neverCame(entry) ||
  entry.error?.fault === 'injected' ||
  (entry.error?.code === 'unknown_tool' && entry.toolVersion === '');

const freeze = (session: Session, services: Iterable<string>): Map<string, FrozenState> =>
  new Map([...services].map((id) => [id, session.state(id).snapshot()]));

const changesSince = (session: Session, before: ReadonlyMap<string, FrozenState>): ServiceChange[] =>
  [...before].flatMap(([service, frozen]) => {
    const keys = session.world.services.get(service)?.keys ?? {};
    return diffStates(frozen, session.state(service), keys).map((change) => ({ service, ...change }));
  });

interface Repeated {
  own: ServiceChange[];
  outside: ServiceChange[];
}

const dropAll = (frozen: ReadonlyMap<string, FrozenState>): void => {
  for (const one of frozen.values()) one.drop();
};

/** Runs one entry; undefined where the result differs. */
const repeat = (session: Session, entry: LedgerEntry, seam: Seam | undefined): Repeated | undefined => {
  // Events may change any service; a call has said which.
  const touched = seam ? session.world.services.keys() : entry.touched.map(({ service }) => service);
  const services = new Set([...touched].filter((id) => session.world.services.has(id)));
  const before = freeze(session, services);
  let done: Map<string, FrozenState> | undefined;
  let own: ServiceChange[] | undefined;
  if (seam)
    seam.between = () => {
      own = changesSince(session, before);
      done = freeze(session, services);
    };
  try {
    const { ok, result } = session.call(entry.tool, structuredClone(entry.args));
    const isSame = ok === entry.ok && canonicalJson(result) === canonicalJson(entry.result as Json);
    if (!isSame) return undefined;
    return { own: own ?? changesSince(session, before), outside: done ? changesSince(session, done) : [] };
  } finally {
    dropAll(before);
    if (done) dropAll(done);
  }
};

/**
 * `world` is the task's, without the task's own rows: they are added here. `woven`: what the rollout had woven into its session, as
 * new (a scenario's engine). Throws `bad_grounding`.
 */
export const retrace = (world: LoadedWorld, task: Task, ledger: readonly LedgerEntry[], woven?: Woven): Retraced => {
  const own = groundedWorld(world, task.grounding);
  const seam = woven && new Seam(woven);
  const session = Session.open(own, {
    id: `${task.id}-again`,
    services: task.services,
    me: callerOf(task.actor),
    ...(seam ? { woven: seam } : {}),
  });
  const changes: ServiceChange[][] = ledger.map(() => []);
  const outside: ServiceChange[][] = ledger.map(() => []);
  const all = { changes, ...(seam ? { outside } : {}) };
  try {
    for (const [i, entry] of ledger.entries()) {
      if (seam ? neverCame(entry) : neverRan(entry)) continue;
      const done = repeat(session, entry, seam);
      if (done === undefined) return { ...all, differsAt: i };
      changes[i] = done.own;
      outside[i] = done.outside;
    }
    return all;
  } finally {
    session.drop();
    dropGrounded(world, own);
  }
};
