/**
 * Everything that keeps the sessions of a server in one process: the store in the data folder, blobs in it or elsewhere, the lease, the
 * log, and the rounds of reaping and collecting (serving.md, seams: the embedded process is itself one worker).
 */
import { join } from 'node:path';
import { asTreadleError, type TreadleError } from '../../errors.js';
import type { Blobs } from '../blobs/blobs.js';
import { faultyBlobs } from '../blobs/faulty.js';
import { openBlobs, probeBlobs } from '../blobs/open.js';
import { type Clock, processClock } from './clock.js';
import { DiskWatch } from './disk-watch.js';
import { type FaultPoints, NO_FAULTS } from './faults/fault-points.js';
import { garbageCollector } from './garbage.js';
import { heldBy } from './held.js';
import type { Ownership } from './ownership/ownership.js';
import { storeOwnership } from './ownership/stored.js';
import { SAVEPOINTS } from './savepoint-key.js';
import { folderSecret } from './secret.js';
import type { Durability } from './session/durability.js';
import { HouseKeeping, LEASE_MS } from './session/house-keeping.js';
import { deadLogs, pinnedIn } from './session/logs.js';
import type { SavepointTimes } from './session/savepoints.js';
import { storeIdentity } from './store/identity.js';
import { openStore } from './store/libsql.js';
import type { Store } from './store/store.js';

export interface DataOptions {
  folder: string;
  /** `s3://...`, or a folder; `blobs/` in the data folder when absent. */
  blobs?: string | undefined;
  /** Savepoints wait for the disk, so that none vanishes that the store was told of. */
  sync?: boolean;
  clock?: Clock;
  faults?: FaultPoints;
  /** False where somebody else reaps, and has to hear who died. */
  reaps?: boolean;
  /** Only for drills: false lets anybody move any session's head. */
  fence?: boolean;
  onDefect: (error: TreadleError) => void;
}

/** A data folder that is open: one process has it. */
export interface Data {
  store: Store;
  ownership: Ownership;
  blobs: Blobs;
  /** Of the folder. */
  secret: Uint8Array;
  /** One round of the reaper and, every ten minutes, of the garbage collector; they also run by themselves. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

const COLLECT_MS = 600_000;
const PINNED_MS = 30_000;

/** What was answered less than `ms` ago is answered again. */
const lately = <T>(clock: Clock, ms: number, ask: () => T): (() => T) => {
  let last: { at: number; said: T } | undefined;
  return () => {
    const now = clock.now();
    if (last === undefined || now - last.at >= ms) last = { at: now, said: ask() };
    return last.said;
  };
};

/** Throws `folder_in_use`, `data_folder_newer`, and what opening store and blobs throw. */
export const openData = async (options: DataOptions): Promise<Data> => {
  const { folder, clock = processClock, faults = NO_FAULTS, fence = true, onDefect } = options;
  const blobs = faultyBlobs(openBlobs(options.blobs ?? join(folder, 'blobs'), { sync: options.sync === true }), faults);
  await probeBlobs(blobs);
  const store = await openStore(join(folder, 'store'), { clock, faults });
  const ownership = storeOwnership(store, { faults, fence });
  const owner = await storeIdentity(store);
  const secret = folderSecret(folder);
  // What no head refers to no new fork is made of, so a moment ago is as good as now.
  const pinned = lately(clock, PINNED_MS, () => pinnedIn(deadLogs(join(folder, 'logs'), [])));
  const isReferenced = heldBy(ownership, pinned);
  const collector = garbageCollector({ blobs, prefix: SAVEPOINTS, isReferenced, clock, owner });
  let collectedAt = clock.now();
  const tidy = async (): Promise<void> => {
    try {
      if (options.reaps !== false) await ownership.reap();
      if (clock.now() - collectedAt < COLLECT_MS) return;
      collectedAt = clock.now();
      await collector.round();
    } catch (thrown) {
      onDefect(asTreadleError(thrown, 'infrastructure'));
    }
  };
  const timer = setInterval(() => void tidy(), LEASE_MS / 2);
  timer.unref();
  return {
    store,
    ownership,
    blobs,
    secret,
    tidy,
    close: async () => {
      clearInterval(timer);
      await store.close();
    },
  };
};

export interface EmbeddedOptions extends DataOptions {
  durability: Durability;
  /** Bytes of the disk that are kept free. */
  diskReserve?: number;
  times?: Partial<SavepointTimes>;
  leaseMs?: number;
}

export interface Embedded {
  data: Data;
  house: HouseKeeping;
  close(): Promise<void>;
}

const RESERVE = 64 * 1_048_576;

/** Throws as `openData`; nothing is left open then. The server is made with `house.keeping`, and `house.takeOver()` comes before its doors. */
export const openEmbedded = async (options: EmbeddedOptions): Promise<Embedded> => {
  const { folder, durability, times, diskReserve = RESERVE, leaseMs, clock, faults, onDefect } = options;
  const data = await openData({ ...options, sync: durability === 'disk' });
  const disk = new DiskWatch(folder, diskReserve);
  try {
    await disk.begin();
    const house = await HouseKeeping.open({
      name: 'embedded',
      folder,
      durability,
      ownership: data.ownership,
      blobs: data.blobs,
      disk,
      onDefect,
      ...(times ? { times } : {}),
      ...(clock ? { clock } : {}),
      ...(faults ? { faults } : {}),
      ...(leaseMs ? { leaseMs } : {}),
    });
    return {
      data,
      house,
      close: async () => {
        disk.end();
        await house.close();
        await data.close();
      },
    };
  } catch (thrown) {
    disk.end();
    await data.close();
    throw thrown;
  }
};
