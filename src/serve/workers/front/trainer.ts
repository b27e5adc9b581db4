/** The trainer's interface over the workers of a front: each request goes to whoever has the session, lists and sums are put together. */
import type { TreadleError } from '../../../errors.js';
import type { OpenedSession, OpenRequest, RegistryRecord, SessionInfo } from '../../api.js';
import { Statistics, type StatisticsParts } from '../../ledger/statistics.js';
import { onlyOnce } from '../../only-once.js';
import type { Registry } from '../../registry/registry.js';
import type { Granting } from '../../sessions/server/grants.js';
import { atCapacity } from '../../sessions/server/refusals.js';
import type { Once, SessionFilter, Trainer } from '../../trainer.js';
import type { Infos, InfosAsked } from '../protocol.js';
import type { PassedOn } from '../worker/requests.js';
import { Births } from './births.js';
import type { Fleet } from './fleet.js';
import { infoOfAll } from './info.js';
import type { Entry, Passed, Router } from './router.js';
import type { Worker } from './worker.js';

export interface RoutedTrainerOptions {
  fleet: Fleet;
  router: Router;
  registry: Registry;
  /** Resolves when every worker knows what changed in the registry so far. */
  told(): Promise<unknown>;
  capacity: number;
  granting: Granting;
  /** Sessions that were not opened, by why. */
  refusedOpens: Record<string, number>;
}

/** Sessions asked about at once for a list. */
const PAGE = 1_000;

/** A list of all sessions takes the time of this many of them: how long a worker is waited for. */
const LIST_MS = 30_000;

export const routedTrainer = (options: RoutedTrainerOptions): Trainer => {
  const { fleet, router, registry, told, capacity, granting, refusedOpens } = options;
  const once = onlyOnce();

  const pass = (method: PassedOn, id: string, ...args: unknown[]): Promise<Passed> =>
    router.request(id, 'trainer', [method, id, ...args]);
  const ask = async <T>(method: PassedOn, id: string, ...args: unknown[]): Promise<T> =>
    (await pass(method, id, ...args)).value as T;

  const refused = (why: TreadleError): TreadleError => {
    refusedOpens[why.code] = (refusedOpens[why.code] ?? 0) + 1;
    return why;
  };

  const needRoom = (count: number): void => {
    let open = count;
    for (const { load } of fleet.workers) open += load;
    if (open > capacity) throw refused(atCapacity(capacity));
  };

  const reserve = (): Promise<Worker> =>
    fleet.reserve().catch((why: TreadleError) => {
      throw refused(why);
    });

  const births = new Births({ fleet, router, granting, needRoom, reserve });
  const open = async (request: OpenRequest, key: Once | undefined): Promise<OpenedSession> => {
    const [opened] = await births.open(request, key);
    return opened as OpenedSession;
  };

  /** What is known of these sessions, in their order; those that moved or ended meanwhile are left out. */
  const infosOf = async (entries: readonly Entry[], filter: SessionFilter): Promise<SessionInfo[]> => {
    const { run, group, status } = filter;
    const wanted: InfosAsked['filter'] = {
      ...(run === undefined ? {} : { run }),
      ...(group === undefined ? {} : { group }),
      ...(status === undefined ? {} : { status }),
    };
    const byOwner = new Map<Worker, string[]>();
    for (const { id, owner } of entries) {
      if (owner === undefined) continue;
      const ids = byOwner.get(owner);
      if (ids) ids.push(id);
      else byOwner.set(owner, [id]);
    }
    const found = new Map<string, SessionInfo>();
    await Promise.all(
      [...byOwner].map(async ([{ rpc }, ids]) => {
        const asked: InfosAsked = { ids, filter: wanted };
        const { value } = await rpc.request('infos', asked, { ms: LIST_MS });
        for (const info of value as Infos) if (info) found.set(info.id, info);
      }),
    );
    return entries.flatMap(({ id }) => found.get(id) ?? []);
  };

  const sessions = async (filter: SessionFilter = {}): Promise<SessionInfo[]> => {
    const { after, limit = Number.POSITIVE_INFINITY } = filter;
    const from = after === undefined ? -1 : router.get(after).number;
    const listed = [...router.all()].filter(({ number }) => number > from);
    const out: SessionInfo[] = [];
    for (let i = 0; i < listed.length && out.length < limit; i += PAGE)
      out.push(...(await infosOf(listed.slice(i, i + PAGE), filter)));
    return out.slice(0, limit);
  };

  const statistics: Trainer['statistics'] = async (filter = {}) => {
    const merged = new Statistics();
    for (const { value } of await Promise.all(
      [...fleet.workers]
        .filter(({ state }) => state !== 'starting')
        .map(({ rpc }) => rpc.request('statistics', filter)),
    ))
      merged.absorb(value as StatisticsParts);
    return merged.report();
  };

  /** Nobody is answered before every worker knows it. */
  const known = async (record: RegistryRecord): Promise<RegistryRecord> => {
    await told();
    return record;
  };

  return {
    info: () => infoOfAll(fleet, registry, capacity),
    open: async (request, key) => once(key, ['open', request], () => open(request, key)),
    session: (id) => ask('session', id),
    sessions,
    tools: (id) => ask('tools', id),
    call: (id, request) => ask('call', id, request),
    fork: async (id, request = {}, key) => once(key, ['fork', id, request], () => births.fork(id, request, key)),
    snapshot: (id, key) => ask('snapshot', id, key ?? null),
    restore: (id, snapshot, key) => ask('restore', id, snapshot, key ?? null),
    dropSnapshot: async (id, snapshot, key) => {
      await pass('dropSnapshot', id, snapshot, key ?? null);
    },
    reset: (id, key) => ask('reset', id, key ?? null),
    pause: (id, key) => ask('pause', id, key ?? null),
    resume: (id, key) => ask('resume', id, key ?? null),
    close: (id, answer) => ask('close', id, ...(answer === undefined ? [] : [answer])),
    verify: (id, request) => ask('verify', id, ...(request === undefined ? [] : [request])),
    events: (id) => ask('events', id),
    takeNotices: (id, key) => ask('takeNotices', id, key ?? null),
    ledger: (id) => ask('ledger', id),
    state: (id) => ask('state', id),
    image: async (id, service, which) => new Uint8Array((await pass('image', id, service, which)).bytes),
    statistics,
    publish: async (kind, name, content) => known(registry.publish(kind, name, content)),
    resolve: async (kind, reference) => registry.resolve(kind, reference),
    read: async (kind, reference) => registry.read(kind, reference),
    records: async (kind, name) => registry.list(kind, name),
    deprecate: async (kind, reference, because) => known(registry.deprecate(kind, reference, because)),
  };
};
