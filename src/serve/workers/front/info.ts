/** How a front and its workers are doing, as one server. */
import { cpuSeconds } from '../../../kit/clock.js';
import type { KeepingFigures, ServerInfo } from '../../api.js';
import type { Family } from '../../ledger/exposition.js';
import { byLabel, gauge, type MetricsSource } from '../../ledger/metrics.js';
import { Statistics } from '../../ledger/statistics.js';
import { ownIdentity } from '../../mcp/identity.js';
import type { Registry } from '../../registry/registry.js';
import type { Vitals } from '../protocol.js';
import { noWorker } from './failures.js';
import type { Fleet } from './fleet.js';
import type { Router } from './router.js';
import type { Worker } from './worker.js';

const MIB = 1_048_576;
/** A worker that does not answer within this time is told of as it last reported. */
const ASK_MS = 2_000;

type Counts = Record<string, number>;

const summed = (all: readonly Counts[]): Counts => {
  const sums: Counts = {};
  for (const counts of all) for (const [key, value] of Object.entries(counts)) sums[key] = (sums[key] ?? 0) + value;
  return sums;
};

interface Asked {
  worker: Worker;
  vitals: Vitals | undefined;
}

const askAll = (fleet: Fleet): Promise<Asked[]> =>
  Promise.all(
    [...fleet.workers]
      .filter(({ state }) => state !== 'starting')
      .map(async (worker) => ({
        worker,
        vitals: await worker.rpc.request('metrics', null, { ms: ASK_MS }).then(
          ({ value }) => value as Vitals,
          () => undefined,
        ),
      })),
  );

/** Sums; of lag and lease the worst. Nothing where nothing is kept. */
const keepingOf = (all: readonly KeepingFigures[]): Pick<ServerInfo, 'keeping'> => {
  const [first] = all;
  if (!first) return {};
  const of = <T extends Counts>(part: (one: KeepingFigures) => T): T => summed(all.map(part)) as T;
  return {
    keeping: {
      durability: first.durability,
      ...of(({ kept, unsaved }) => ({ kept, unsaved })),
      savepointLagMs: Math.max(...all.map(({ savepointLagMs }) => savepointLagMs)),
      savepoints: of(({ savepoints }) => savepoints),
      log: of(({ log }) => log),
      leaseLeftMs: Math.min(...all.map(({ leaseLeftMs }) => leaseLeftMs)),
      recoveries: of(({ recoveries }) => recoveries),
    },
  };
};

const together = (asked: readonly Asked[], fleet: Fleet, registry: Registry, capacity: number): ServerInfo => {
  const reports = asked.flatMap(({ worker, vitals }) => vitals ?? worker.report ?? []);
  const infos = reports.map(({ info }) => info);
  const isRefusing = fleet.choose() === undefined;
  const refusing = isRefusing ? noWorker(fleet.reasons()).message : infos.find((info) => info.refusing)?.refusing;
  const own = process.memoryUsage.rss();
  return {
    version: ownIdentity().version,
    sessions: summed(infos.map(({ sessions }) => sessions)),
    residence: summed(infos.map(({ residence }) => residence)),
    capacity,
    worlds: { loaded: Math.max(0, ...infos.map(({ worlds }) => worlds.loaded)), known: registry.list('world').length },
    rssMiB: Math.round((reports.reduce((sum, { rssBytes }) => sum + rssBytes, own) / MIB) * 10) / 10,
    uptimeSeconds: Math.round(process.uptime()),
    ...keepingOf(infos.flatMap(({ keeping }) => keeping ?? [])),
    ...(infos.some(({ warming }) => warming) ? { warming: true as const } : {}),
    ...(refusing === undefined ? {} : { refusing }),
  };
};

export const infoOfAll = async (fleet: Fleet, registry: Registry, capacity: number): Promise<ServerInfo> =>
  together(await askAll(fleet), fleet, registry, capacity);

const workerFamilies = (asked: readonly Asked[], fleet: Fleet, router: Router): Family[] => {
  const by = (of: (worker: Worker) => number | undefined): Counts => {
    const counts: Counts = {};
    for (const { worker } of asked) counts[worker.name] = (counts[worker.name] ?? 0) + (of(worker) ?? 0);
    return counts;
  };
  const starts = Object.fromEntries(fleet.places.map((place) => [place.name, place.starts]));
  const label = 'worker';
  return [
    byLabel(
      'treadle_worker_healthy',
      '1 while the worker takes new sessions',
      label,
      by((one) => (one.isHealthy ? 1 : 0)),
    ),
    byLabel(
      'treadle_worker_sessions',
      'Sessions whose requests go to the worker',
      label,
      by(({ sessions }) => sessions.size),
    ),
    byLabel(
      'treadle_worker_under_way',
      'Requests forwarded and not answered',
      label,
      by(({ rpc }) => rpc.underWay),
    ),
    byLabel(
      'treadle_worker_resident_bytes',
      'Resident memory of the worker',
      label,
      by(({ report }) => report?.rssBytes),
    ),
    byLabel(
      'treadle_worker_free_disk_bytes',
      'Free on the disk of its folder',
      label,
      by(({ report }) => report?.freeBytes),
    ),
    byLabel(
      'treadle_worker_cpu_seconds_total',
      'CPU time of the worker',
      label,
      by(({ report }) => report?.cpuSeconds),
    ),
    byLabel('treadle_worker_starts_total', 'Processes started in this place', label, starts),
    gauge('treadle_sessions_homeless', 'Sessions that have no worker just now', fleet.moves.orphans),
    gauge('treadle_requests_waiting', 'Requests that wait for a session to have a worker', router.waiting),
  ];
};

export interface FrontMetrics {
  fleet: Fleet;
  router: Router;
  registry: Registry;
  capacity: number;
  refusedOpens: Counts;
}

/** What `metricsText` is made of, summed over the workers. Counters of a worker that ended are gone with it: rates see a reset. */
export const frontMetrics = async (front: FrontMetrics, deferred: () => number): Promise<MetricsSource> => {
  const { fleet, router, registry, capacity, refusedOpens } = front;
  const asked = await askAll(fleet);
  const vitals = asked.flatMap((one) => one.vitals ?? []);
  const statistics = new Statistics();
  for (const one of vitals) statistics.absorb(one.statistics);
  const sum = (of: (one: Vitals) => number): number => vitals.reduce((all, one) => all + of(one), 0);
  return {
    info: () => together(asked, fleet, registry, capacity),
    statistics,
    ledgers: {
      bytesInMemory: sum(({ ledgers }) => ledgers.bytesInMemory),
      bytesOnDisk: sum(({ ledgers }) => ledgers.bytesOnDisk),
      failing: vitals.some(({ ledgers }) => ledgers.isFailing) ? noWorker([]) : undefined,
    },
    residences: () => summed(vitals.map(({ residences }) => residences)),
    parkedBytes: () => summed(vitals.map(({ parkedBytes }) => parkedBytes)),
    refusedOpens: () => summed([refusedOpens, ...vitals.map((one) => one.refusedOpens)]),
    deferred: () => deferred() + sum((one) => one.deferred),
    more: () => [
      ...workerFamilies(asked, fleet, router),
      gauge('treadle_front_cpu_seconds', 'CPU time of the front', cpuSeconds()),
    ],
  };
};
