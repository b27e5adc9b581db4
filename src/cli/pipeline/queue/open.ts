/**
 * The queue of a command, kept in the corpus while it works: `.treadle/<kind>/`. It says what is done, failed or to be done, and lets one
 * process at a time do it; what was made lies in the corpus itself. It goes when everything is done.
 */
import { existsSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Corpus } from '../../../corpus/corpus.js';
import { makeFolder } from '../../../corpus/files.js';
import { TreadleError } from '../../../errors.js';
import { canonicalJson, type Json, sha256 } from '../../../kit/hash.js';
import type { JobRow, Jobs, NewJob } from '../../../serve/durable/jobs/jobs.js';
import { storeJobs } from '../../../serve/durable/jobs/stored.js';
import type { Store } from '../../../serve/durable/store/store.js';
import { warn } from '../../ui.js';
import { queueError } from './errors.js';

/** Tries of one item in one run of a command. */
export const TRIES = 3;
/** Processes are seen to die; only one that a debugger holds is waited for so long. */
export const LEASE_MS = 600_000;

export interface QueueItems {
  /** What the items are made with: other settings are another queue. */
  settings: Json;
  items: readonly NewJob[];
  /** Whether what a job that is done made is still there. */
  isMade(row: JobRow): boolean;
}

export interface FilledQueue {
  jobs: Jobs;
  queue: string;
  /** Items in it. */
  of: number;
  /** Done by an earlier run, and still there. */
  before: JobRow[];
}

export interface Queue {
  folder: string;
  /** Everything that is not done waits, with all its tries. */
  fill(items: QueueItems): Promise<FilledQueue>;
  /** `isOver`: nothing is left to go on with. Throws nothing. */
  close(isOver: boolean): Promise<void>;
}

const PARTS = ['store.db', 'store.db-wal', 'store.db-shm'];

const removeEmpty = (...folders: string[]): void => {
  for (const folder of folders)
    try {
      rmdirSync(folder);
    } catch {
      // Another process has begun in it, or it holds another queue.
      return;
    }
};

const fillStore = async (store: Store, kind: string, { settings, items, isMade }: QueueItems): Promise<FilledQueue> => {
  const jobs = storeJobs(store, { attempts: TRIES });
  const queue = `${kind}/${sha256(canonicalJson([settings, items.map(({ id }) => id)])).slice(0, 16)}`;
  await jobs.enqueue(queue, items);
  const before: JobRow[] = [];
  const again: string[] = [];
  for (const row of await jobs.list(queue)) {
    if (row.state === 'done' && isMade(row)) before.push(row);
    else if (row.attempt > 0) again.push(row.id);
  }
  await jobs.again(queue, again);
  return { jobs, queue, of: items.length, before };
};

/** A file system on which a database cannot work, as some of a network: what is made is found by its files there, as ever. */
const isUnfit = ({ code, value }: TreadleError): boolean =>
  code === 'store_failed' && typeof value === 'string' && value.startsWith('SQLITE_');

const openOrBeside = async (folder: string): Promise<Store> => {
  // Read when it is needed: most commands have no queue.
  const { openStore } = await import('../../../serve/durable/store/libsql.js');
  try {
    return await openStore(folder, { sync: 'normal' });
  } catch (thrown) {
    if (!(thrown instanceof TreadleError) || !isUnfit(thrown)) throw thrown;
    warn(
      `warning: ${folder} cannot hold a list of what is done (${thrown.value}): see yourself that nobody else works there`,
    );
    return openStore(undefined);
  }
};

/** Throws `corpus_in_use` where another process has it, `damaged_jobs`, and what the disk says. */
export const openQueue = async (corpus: Corpus, kind: string): Promise<Queue> => {
  const above = corpus.path('.treadle');
  const folder = join(above, kind);
  makeFolder(folder);
  let store: Store;
  try {
    store = await openOrBeside(folder);
  } catch (thrown) {
    const error = queueError(thrown, folder);
    if (error.code !== 'corpus_in_use' && !PARTS.some((name) => existsSync(join(folder, name))))
      rmSync(folder, { recursive: true, force: true });
    removeEmpty(above);
    throw error;
  }
  const isEmpty = async (): Promise<boolean> => {
    const [row] = await store.tx((sql) => sql.all('select count(*) as n from jobs'));
    return Number(row?.n) === 0;
  };
  return {
    folder,
    fill: async (items) => {
      try {
        return await fillStore(store, kind, items);
      } catch (thrown) {
        throw queueError(thrown, folder);
      }
    },
    close: async (isOver) => {
      const goes = isOver || (await isEmpty().catch(() => false));
      // While it is still ours: who comes next finds all of it or nothing.
      try {
        if (goes) for (const name of PARTS) rmSync(join(folder, name), { force: true, recursive: true });
        await store.close();
      } catch {
        // What is left over is looked at by who comes next; how the work ended is what matters.
      }
      if (goes) removeEmpty(join(folder, 'lock'), folder, above);
    },
  };
};
