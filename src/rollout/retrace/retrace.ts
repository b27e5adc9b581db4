/**
 * A rollout's calls once more on a fresh session: what each of them did to which rows, with the values, which a ledger does not
 * keep. Sessions are deterministic, so the results are the same ones; where they are not, it is said at which call.
 */
import type { Task } from '../../artifacts/task.js';
import type { LedgerEntry } from '../../artifacts/trace.js';
import { canonicalJson, type Json } from '../../kit/hash.js';
import { callerOf } from '../../serve/sessions/caller.js';
import { Session } from '../../serve/sessions/session.js';
import { dropGrounded, groundedWorld } from '../../world/grounded.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { diffStates } from '../../world/state/diff.js';
import type { FrozenState } from '../../world/state/state.js';
import type { RowChange } from '../../world/state/types.js';

export interface ServiceChange extends RowChange {
  service: string;
}

export interface Retraced {
  /** By entry of the ledger: what the call changed. Entries from `differsAt` on have none. */
  changes: ServiceChange[][];
  /** The first entry whose result was another one this time. */
  differsAt?: number;
}

/** Entries that no tool ran for: they are nothing to repeat. */
const neverRan = ({ error, toolVersion }: LedgerEntry): boolean =>
  error?.code === 'malformed_arguments' ||
  error?.fault === 'infrastructure' ||
  error?.fault === 'injected' ||
  (error?.code === 'unknown_tool' && toolVersion === '');

const freeze = (session: Session, services: Iterable<string>): Map<string, FrozenState> =>
  new Map([...services].map((id) => [id, session.state(id).snapshot()]));

const changesSince = (session: Session, before: ReadonlyMap<string, FrozenState>): ServiceChange[] =>
  [...before].flatMap(([service, frozen]) => {
    const keys = session.world.services.get(service)?.keys ?? {};
    return diffStates(frozen, session.state(service), keys).map((change) => ({ service, ...change }));
  });

/** Runs one entry; undefined where the result differs. */
const repeat = (session: Session, entry: LedgerEntry): ServiceChange[] | undefined => {
  const services = new Set(entry.touched.map(({ service }) => service).filter((id) => session.world.services.has(id)));
  const before = freeze(session, services);
  try {
    const { ok, result } = session.call(entry.tool, structuredClone(entry.args));
    const isSame = ok === entry.ok && canonicalJson(result) === canonicalJson(entry.result as Json);
    return isSame ? changesSince(session, before) : undefined;
  } finally {
    for (const frozen of before.values()) frozen.drop();
  }
};

/** `world` is the task's, without the task's own rows: they are added here. Throws `bad_grounding`. */
export const retrace = (world: LoadedWorld, task: Task, ledger: readonly LedgerEntry[]): Retraced => {
  const own = groundedWorld(world, task.grounding);
  const session = Session.open(own, { id: `${task.id}-again`, services: task.services, me: callerOf(task.actor) });
  const changes: ServiceChange[][] = ledger.map(() => []);
  try {
    for (const [i, entry] of ledger.entries()) {
      if (neverRan(entry)) continue;
      const done = repeat(session, entry);
      if (done === undefined) return { changes, differsAt: i };
      changes[i] = done;
    }
    return { changes };
  } finally {
    session.drop();
    dropGrounded(world, own);
  }
};
