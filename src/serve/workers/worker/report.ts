/** How a worker is doing: told to the front every second, and in full when it is asked. */
import { statfsSync } from 'node:fs';
import { cpuSeconds } from '../../../kit/clock.js';
import { infoOf, metricsOf } from '../../sessions/server/info.js';
import type { SessionServer } from '../../sessions/server/session-server.js';
import type { Report, Vitals } from '../protocol.js';

const freeBytesOf = (folder: string): number | undefined => {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    // A folder that is gone is found out by who writes there.
    return undefined;
  }
};

const count = (all: Iterable<unknown>): number => {
  let n = 0;
  for (const _ of all) n++;
  return n;
};

/** What only those know who answer the front. */
export interface Counted {
  /** Requests that wait for their turn. */
  deferred(): number;
  /** Sessions opened so far. */
  admitted: number;
}

export const reportOf = (server: SessionServer, { deferred, admitted }: Counted): Report => {
  const freeBytes = freeBytesOf(server.folder);
  return {
    info: infoOf(server),
    known: count(server.all()),
    admitted,
    rssBytes: process.memoryUsage.rss(),
    cpuSeconds: cpuSeconds(),
    deferred: deferred(),
    ...(freeBytes === undefined ? {} : { freeBytes }),
  };
};

export const vitalsOf = (server: SessionServer, counted: Counted): Vitals => {
  const { statistics, ledgers, residences, parkedBytes, refusedOpens } = metricsOf(server, () => counted.deferred());
  return {
    ...reportOf(server, counted),
    statistics: statistics.parts(),
    ledgers: {
      bytesInMemory: ledgers.bytesInMemory,
      bytesOnDisk: ledgers.bytesOnDisk,
      isFailing: ledgers.failing !== undefined,
    },
    residences: residences(),
    parkedBytes: parkedBytes(),
    refusedOpens: refusedOpens(),
  };
};

/** Ids that were there the last time and are forgotten now. */
export const forgottenIn = (server: SessionServer): (() => string[]) => {
  let before = new Set<string>();
  return () => {
    const now = new Set<string>();
    for (const { id } of server.all()) now.add(id);
    const gone = [...before].filter((id) => !now.has(id));
    before = now;
    return gone;
  };
};
