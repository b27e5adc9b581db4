/** The trainer's interface on a server in the same process: no HTTP, the same answers. */
import type { Json } from '../../../kit/hash.js';
import type { SessionInfo } from '../../api.js';
import { onlyOnce } from '../../only-once.js';
import type { SessionFilter, Trainer } from '../../trainer.js';
import { forkOnce, openOnce } from './births.js';
import { infoOf } from './info.js';
import type { LiveSession } from './live-session.js';
import type { SessionServer } from './session-server.js';

const fits = (live: LiveSession, { run, group, status }: SessionFilter): boolean =>
  (run === undefined || live.start.labels.run === run) &&
  (group === undefined || live.start.labels.group === group) &&
  (status === undefined || live.status === status);

/** One page of what fits, in the order of opening. Throws `unknown_session`. */
const listed = (server: SessionServer, filter: SessionFilter): SessionInfo[] => {
  const { after, limit = Number.POSITIVE_INFINITY } = filter;
  const last = after === undefined ? undefined : server.live(after);
  const out: SessionInfo[] = [];
  let isBehind = last === undefined;
  for (const live of server.all()) {
    if (out.length >= limit) break;
    if (isBehind && fits(live, filter)) out.push(live.info());
    isBehind ||= live === last;
  }
  return out;
};

export const inProcess = (server: SessionServer): Trainer => {
  const once = onlyOnce();
  const { registry } = server;
  return {
    info: async () => infoOf(server),
    open: async (request, key) => once(key, ['open', request], async () => openOnce(server, request, key)),
    session: async (id) => server.live(id).info(),
    sessions: async (filter = {}) => listed(server, filter),
    tools: async (id) => server.live(id).tools(),
    call: async (id, { tool, arguments: args, ...options }) => server.live(id).call(tool, args ?? {}, options),
    fork: async (id, request = {}, key) =>
      once(key, ['fork', id, request], async () => forkOnce(server, id, request, key)),
    snapshot: async (id, key) => server.live(id).takeSnapshot(key),
    restore: async (id, snapshot, key) => server.restore(id, snapshot, key),
    dropSnapshot: async (id, snapshot, key) => {
      await server.live(id).dropSnapshot(snapshot, key);
    },
    reset: async (id, key) => server.reset(id, key),
    pause: async (id, key) => server.pause(id, key),
    resume: async (id, key) => server.resume(id, key),
    close: async (id, answer) => server.close(id, answer),
    verify: async (id, request) => server.verify(id, request),
    events: async (id) => server.live(id).events(),
    takeNotices: async (id, key) => server.live(id).takeNotices(key),
    ledger: async (id) => server.live(id).record(),
    state: async (id) => server.live(id).state(),
    image: async (id, service, which) => server.live(id).image(service, which),
    statistics: async (filter) => server.statistics.report(filter),
    publish: async (kind, name, content) => registry.publish(kind, name, content),
    resolve: async (kind, reference) => registry.resolve(kind, reference),
    read: async (kind, reference): Promise<Json> => registry.read(kind, reference),
    records: async (kind, name) => registry.list(kind, name),
    deprecate: async (kind, reference, because) => registry.deprecate(kind, reference, because),
  };
};
