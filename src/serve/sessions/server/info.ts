/** How a server is doing. */
import type { ServerInfo } from '../../api.js';
import type { MetricsSource } from '../../ledger/metrics.js';
import { ownIdentity } from '../../mcp/identity.js';
import type { LiveSession } from './live-session.js';
import type { SessionServer } from './session-server.js';

const MIB = 1024 * 1024;

const countBy = (server: SessionServer, keyOf: (live: LiveSession) => string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const live of server.all()) counts[keyOf(live)] = (counts[keyOf(live)] ?? 0) + 1;
  return counts;
};

const residences = (server: SessionServer): Record<string, number> => countBy(server, ({ place }) => place.at);

export const infoOf = (server: SessionServer): ServerInfo => {
  const { refusing } = server;
  return {
    version: ownIdentity().version,
    sessions: countBy(server, ({ status }) => status),
    residence: residences(server),
    capacity: server.limits.capacity,
    worlds: { loaded: server.worlds.size, known: server.registry.list('world').length },
    rssMiB: Math.round((process.memoryUsage.rss() / MIB) * 10) / 10,
    uptimeSeconds: Math.round(process.uptime()),
    ...(server.keeping ? { keeping: server.keeping.figures() } : {}),
    ...(server.isWarming ? { warming: true as const } : {}),
    ...(refusing ? { refusing: refusing.message } : {}),
  };
};

const parkedBytes = (server: SessionServer): Record<string, number> => {
  const bytes = { parked: 0, disk: 0 };
  for (const { place } of server.all()) {
    if (place.at === 'parked') bytes.parked += place.bytes.length;
    if (place.at === 'disk') bytes.disk += place.size;
  }
  return bytes;
};

/** `deferred`: requests that wait for their turn at the doors. */
export const metricsOf = (server: SessionServer, deferred: () => number): MetricsSource => ({
  info: () => infoOf(server),
  statistics: server.statistics,
  ledgers: server.ledgers,
  residences: () => residences(server),
  parkedBytes: () => parkedBytes(server),
  refusedOpens: () => server.refusedOpens,
  deferred,
});
