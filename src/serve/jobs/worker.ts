/** A worker's part in the jobs of its server: it takes items, makes each one's result, and sessions go first. */
import { asTreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import type { Blobs } from '../blobs/blobs.js';
import { type Clock, processClock } from '../durable/clock.js';
import type { LeasedJob } from '../durable/jobs/jobs.js';
import { errorJson } from '../durable/jobs/run.js';
import { JobWorker } from '../durable/jobs/worker.js';
import { blobOf, ITEM_LEASE_MS, queueOf, type Taken } from './desk.js';
import type { RemoteDesk } from './link.js';
import type { JobRequest } from './request.js';

export interface ItemWork {
  /** Makes the item's result. Throws its failure; a fault of the input is not tried again. */
  make(request: JobRequest, item: LeasedJob): Promise<Json>;
  /** Nothing is to be done for now. */
  rest(): void;
}

export interface WorkingOptions {
  /** Of this process alone. */
  name: string;
  desk: RemoteDesk;
  blobs: Blobs;
  work: ItemWork;
  /** No more is wanted. */
  isOver(): boolean;
  /** Requests of sessions wait. */
  isBusy(): boolean;
  clock?: Clock;
}

/** Items taken at a time. */
const AT_A_TIME = 8;
/** How long it waits without work before it asks whether others lost theirs. */
const IDLE_MS = 2_000;
const STEP_MS = 100;
const LOOK_MS = 5;
/** Sessions go first, so long before each item: a server that is always busy gets on with its jobs all the same. */
const MOST_MS_BEHIND = 200;

/** Works until it is over, or the link to the front is. Throws nothing. */
export const workOnJobs = async (options: WorkingOptions): Promise<void> => {
  const { name, desk, blobs, work, isOver, isBusy, clock = processClock } = options;
  let woken = new AbortController();
  desk.onWork(() => woken.abort());

  const turn = async (): Promise<void> => {
    const since = clock.now();
    do await new Promise((done) => (isBusy() ? setTimeout(done, LOOK_MS) : setImmediate(done)));
    while (isBusy() && !isOver() && clock.now() - since < MOST_MS_BEHIND);
  };

  const one = async (hold: JobWorker, { job, request }: Taken, item: LeasedJob): Promise<void> => {
    let result: Json;
    try {
      result = await work.make(request, item);
    } catch (thrown) {
      // What is closed under an item is no failure of it.
      if (isOver()) return;
      const error = asTreadleError(thrown, 'world');
      await hold.failed(item, errorJson(error), error.fault === 'input');
      return;
    }
    const key = blobOf(job, item.id, item.attempt);
    await blobs.put(key, Buffer.from(JSON.stringify(result)));
    if ((await hold.done(item, { blob: key })) === 'stale') await blobs.delete(key);
  };

  const batch = async (taken: Taken): Promise<void> => {
    const hold = new JobWorker({ jobs: desk.jobs, queue: queueOf(taken.job), name, leaseMs: ITEM_LEASE_MS });
    hold.hold(taken.items);
    try {
      for (const item of taken.items) {
        await turn();
        if (isOver()) break;
        if (hold.has(item)) await one(hold, taken, item);
      }
    } finally {
      await hold.giveBack().catch(() => undefined);
      hold.close();
    }
  };

  while (!isOver()) {
    woken = new AbortController();
    try {
      const taken = await desk.take(name, AT_A_TIME);
      if (taken) {
        await batch(taken);
        continue;
      }
    } catch (thrown) {
      // Without its front it can do nothing; whatever else failed, leases run out and the items are tried again.
      if (asTreadleError(thrown, 'infrastructure').code === 'worker_link') return;
    }
    work.rest();
    const since = clock.now();
    while (!isOver() && !woken.signal.aborted && clock.now() - since < IDLE_MS)
      await clock.sleep(STEP_MS, woken.signal);
  }
};
