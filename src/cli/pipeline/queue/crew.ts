/** Jobs worked off by several processes: which of them takes one changes nothing. */
import type { Json } from '../../../kit/hash.js';
import type { LeasedJob } from '../../../serve/durable/jobs/jobs.js';
import { runJobs } from '../../../serve/durable/jobs/run.js';
import type { Interrupt } from '../../interrupt.js';
import { jobsFailed, queueError } from './errors.js';
import { type FilledQueue, LEASE_MS, type Queue } from './open.js';
import { WorkerProcess, type WorkerProgram } from './process.js';

export interface CrewPlan extends WorkerProgram {
  store: Queue;
  filled: FilledQueue;
  processes: number;
  share?(waiting: number): number;
  interrupt: Interrupt;
  /** How far it came, for who interrupts it. */
  came(): string;
  /** What the jobs are called: `worlds`. */
  what: string;
  onDone(job: LeasedJob, result: Json): void;
}

const LOOK_MS = 100;

/**
 * Ends when everything is done; throws the first failure once what was begun is finished: `interrupted`, what another try would not
 * change, or, after all others, the last error of a job that came to nothing (`worker_died` and others).
 */
export const crew = async (plan: CrewPlan): Promise<void> => {
  const { store, filled, interrupt, share, onDone } = plan;
  const stop = new AbortController();
  let failure: unknown;
  const fail = (thrown: unknown): void => {
    failure ??= thrown;
    stop.abort();
  };
  const onNote = (note: unknown): void => {
    try {
      plan.onNote?.(note);
    } catch (thrown) {
      fail(thrown);
    }
  };
  const look = setInterval(() => void interrupt.check(plan.came()).catch(fail), LOOK_MS);
  try {
    const end = await runJobs({
      jobs: filled.jobs,
      queue: filled.queue,
      hands: plan.processes,
      hire: () => new WorkerProcess({ ...plan, onNote }),
      leaseMs: LEASE_MS,
      stop: stop.signal,
      onDone,
      ...(share ? { share } : {}),
    });
    failure ??= end.failure;
    failure ??= jobsFailed(end.failed, filled.of, plan.what);
  } catch (thrown) {
    fail(thrown);
  } finally {
    clearInterval(look);
  }
  if (failure !== undefined) throw queueError(failure, store.folder);
};
