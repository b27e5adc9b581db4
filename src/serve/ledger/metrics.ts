/** What a server tells Prometheus: counted by its parts, put together at each scrape. Version 0.0.4 of the text format. */
import { Registry } from 'prom-client';
import { cpuSeconds } from '../../kit/clock.js';
import type { ServerInfo } from '../api.js';
import { callFamilies } from './call-metrics.js';
import { addFamily, type Family, labelValue } from './exposition.js';
import type { Statistics } from './statistics.js';
import type { LedgerStore } from './store.js';

export interface MetricsSource {
  /** `sessions` by status. */
  info(): ServerInfo | Promise<ServerInfo>;
  statistics: Statistics;
  ledgers: Pick<LedgerStore, 'bytesInMemory' | 'bytesOnDisk' | 'failing'>;
  /** Sessions by where their state is. */
  residences(): Record<string, number>;
  /** Bytes of parked sessions by residence. */
  parkedBytes(): Record<string, number>;
  /** Sessions not opened since the start, by error code. */
  refusedOpens(): Record<string, number>;
  /** Calls that wait for their turn. */
  deferred(): number;
  /** What a server of several processes tells besides. */
  more?(): Family[];
}

export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

export const gauge = (name: string, help: string, value: number): Family => ({
  name,
  help,
  type: 'gauge',
  values: [{ value }],
});

/** One sample a key; keys that look alike once shown are added up. */
export const byLabel = (name: string, help: string, label: string, counts: Record<string, number>): Family => {
  const sums = new Map<string, number>();
  for (const [key, value] of Object.entries(counts)) {
    const shown = labelValue(key);
    sums.set(shown, (sums.get(shown) ?? 0) + value);
  }
  const values = [...sums].map(([key, value]) => ({ labels: { [label]: key }, value }));
  return { name, help, type: name.endsWith('_total') ? 'counter' : 'gauge', values };
};

const serverFamilies = (info: ServerInfo, source: MetricsSource): Family[] => [
  byLabel('treadle_server_info', 'Version of the server, always 1', 'version', { [info.version]: 1 }),
  byLabel('treadle_sessions', 'Sessions by status', 'status', info.sessions),
  byLabel('treadle_sessions_resident', 'Sessions by where their state is', 'residence', source.residences()),
  gauge('treadle_sessions_capacity', 'Sessions that may be open at once', info.capacity),
  byLabel('treadle_parked_bytes', 'State of parked sessions by where it is', 'residence', source.parkedBytes()),
  byLabel('treadle_refused_opens_total', 'Sessions not opened, by reason', 'reason', source.refusedOpens()),
  gauge('treadle_refusing', '1 while no session is opened', info.refusing === undefined ? 0 : 1),
  gauge('treadle_calls_deferred', 'Calls that wait for their turn', source.deferred()),
  byLabel('treadle_worlds', 'Worlds in memory and worlds that can be opened', 'state', { ...info.worlds }),
  byLabel('treadle_ledger_bytes', 'Tool-call ledgers by where they are', 'residence', {
    memory: source.ledgers.bytesInMemory,
    disk: source.ledgers.bytesOnDisk,
  }),
  gauge('treadle_ledger_disk_failing', '1 while ledgers cannot be moved to disk', source.ledgers.failing ? 1 : 0),
  gauge('treadle_process_resident_bytes', 'Resident memory of the server process', process.memoryUsage.rss()),
  byLabel('treadle_process_cpu_seconds_total', 'CPU time of the server process', 'mode', { all: cpuSeconds() }),
  gauge('treadle_uptime_seconds', 'Seconds since the server started', info.uptimeSeconds),
];

const keepingFamilies = ({ keeping }: ServerInfo): Family[] => {
  if (!keeping) return [];
  const { savepoints, log, recoveries } = keeping;
  const { bytes, ...outcomes } = savepoints;
  const { missing, ...taken } = recoveries;
  return [
    gauge('treadle_kept_sessions', 'Sessions that are kept beyond their process', keeping.kept),
    gauge('treadle_unsaved_sessions', 'Sessions with requests that no savepoint holds yet', keeping.unsaved),
    gauge('treadle_savepoint_lag_seconds', 'Age of the oldest such request', keeping.savepointLagMs / 1_000),
    byLabel('treadle_savepoints_total', 'Savepoints since the start, by outcome', 'outcome', outcomes),
    byLabel('treadle_savepoint_bytes_total', 'Bytes of savepoints written', 'what', { all: bytes }),
    gauge('treadle_log_bytes', 'Bytes of the log', log.bytes),
    gauge('treadle_log_segments', 'Files of the log', log.segments),
    gauge('treadle_lease_left_seconds', 'Time left of the lease', keeping.leaseLeftMs / 1_000),
    byLabel('treadle_recoveries_total', 'Sessions taken up, by what became of them', 'outcome', taken),
    gauge('treadle_missing_sessions', 'Sessions whose savepoint cannot be had yet', missing),
  ];
};

/** The text of `/metrics`. Rejects only where `source.info()` does. */
export const metricsText = async (source: MetricsSource): Promise<string> => {
  const registry = new Registry();
  const info = await source.info();
  const more = source.more?.() ?? [];
  for (const family of [
    ...serverFamilies(info, source),
    ...keepingFamilies(info),
    ...callFamilies(source.statistics),
    ...more,
  ])
    addFamily(registry, family);
  return registry.metrics();
};
