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

export const reportOf = (server: SessionServer, deferred: () => number): Report => {
  const freeBytes = freeBytesOf(server.folder);
  return {
    info: infoOf(server),
    known: count(server.all()),
    rssBytes: process.memoryUsage.rss(),
    cpuSeconds: cpuSeconds(),
    deferred: deferred(),
    ...(freeBytes === undefined ? {} : { freeBytes }),
  };
};

export const vitalsOf = (server: SessionServer, deferred: () => number): Vitals => {
  const { statistics, ledgers, residences, parkedBytes, refusedOpens } = metricsOf(server, deferred);
  return {
    ...reportOf(server, deferred),
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
