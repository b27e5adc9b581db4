/**
 * A queue worked off by hands: processes, or this one. Each leases some jobs at a time and ends them one by one, exactly once by
 * (id, attempt); a hand that dies is replaced and what it had is leased again; a job that fails is tried again until its tries are
 * used up, and the others go on.
 */
import { asTreadleError, TreadleError } from '../../../errors.js';
import type { Json } from '../../../kit/hash.js';
import { type Clock, processClock } from '../clock.js';
import type { JobRow, Jobs, LeasedJob } from './jobs.js';
import { JobWorker } from './worker.js';

/** How a hand ends its jobs, each once. */
export interface Ends {
  done(job: LeasedJob, result: Json): Promise<void>;
  failed(job: LeasedJob, thrown: unknown): Promise<void>;
}

export interface Hand {
  /**
   * Works through the jobs and resolves when it wants more; those that it did not end are given back. Rejects when it died: those
   * that it did not end are then tried again, by another hand.
   */
  work(jobs: readonly LeasedJob[], ends: Ends): Promise<void>;
  /** What is begun is finished, nothing else is begun. */
  stop(): void;
  /** It gets no more jobs. */
  close(): void;
  /** It should be replaced before it gets more. */
  readonly isWornOut: boolean;
}

export interface JobsRun {
  jobs: Jobs;
  queue: string;
  hands: number;
  /** `name`: unique in this run. */
  hire(name: string): Hand;
  /** Jobs leased at a time, of so many that wait; 1 when absent. */
  share?(waiting: number): number;
  /** Told once a job. What it throws ends the run. */
  onDone(job: LeasedJob, result: Json): void | Promise<void>;
  /** This try failed; it may not be the last. */
  onFailed?(job: LeasedJob, error: TreadleError): void;
  /** An error that every other job would meet, or that another try would not change: it ends the run, and the job waits. */
  isFatal?(error: TreadleError): boolean;
  /** Ends the run: what is begun is finished. */
  stop?: AbortSignal;
  /** Of this run among others on the queue. */
  name?: string;
  leaseMs?: number;
  clock?: Clock;
}

export interface JobsEnd {
  /** What ended the run before the queue was empty. */
  failure?: unknown;
  /** Jobs whose tries are used up, with their last error as result. */
  failed: JobRow[];
}

/** How long a hand without jobs waits before it asks whether others lost theirs. */
const IDLE_MS = 500;

/** Errors as data: without their class and their cause. */
export const errorJson = (thrown: unknown): Json => {
  const { code, message, value, next, fault } = asTreadleError(thrown, 'infrastructure');
  const shown = typeof value === 'string' ? value : JSON.stringify(value);
  const json: Record<string, string> = { code, message, fault };
  if (shown !== undefined) json.value = shown;
  if (next !== undefined) json.next = next;
  return json;
};

/** The error that a job was failed with. */
export const errorOf = ({ result }: Pick<JobRow, 'result'>): TreadleError => {
  const { code = 'job_failed', message = '', ...rest } = (result ?? {}) as Record<string, string>;
  return new TreadleError({ fault: 'infrastructure', ...rest, code, message });
};

const isOfInput = ({ fault }: TreadleError): boolean => fault === 'input';

/** Ends when the queue holds nothing that waits or is leased, or when it is stopped. Throws nothing that a job threw; see `JobsEnd`. */
export const runJobs = async (run: JobsRun): Promise<JobsEnd> => {
  const { jobs, queue, clock = processClock, isFatal = isOfInput, name = 'run', share = () => 1 } = run;
  const end: JobsEnd = { failed: [] };
  const hired = new Set<Hand>();
  /** Jobs that were with a hand that died: leased one at a time from then on, so that only the culprit is blamed again. */
  const suspects = new Set<string>();
  const idle = new Set<AbortController>();
  let isStopping = false;
  let number = 0;

  const wake = (): void => {
    for (const one of idle) one.abort();
    idle.clear();
  };
  const stop = (): void => {
    isStopping = true;
    for (const hand of hired) hand.stop();
    wake();
  };
  const fail = (thrown: unknown): void => {
    end.failure ??= thrown;
    stop();
  };
  const pause = async (): Promise<void> => {
    const until = new AbortController();
    idle.add(until);
    await clock.sleep(IDLE_MS, until.signal);
    idle.delete(until);
  };

  const endsOf = (worker: JobWorker): Ends => ({
    done: async (job, result) => {
      suspects.delete(job.id);
      try {
        if ((await worker.done(job, result)) !== 'stale') await run.onDone(job, result);
      } catch (thrown) {
        fail(thrown);
      }
      wake();
    },
    failed: async (job, thrown) => {
      const error = asTreadleError(thrown, 'infrastructure');
      suspects.delete(job.id);
      try {
        if (isFatal(error)) fail(error);
        else if ((await worker.failed(job, errorJson(error))) === 'done') run.onFailed?.(job, error);
      } catch (cause) {
        fail(cause);
      }
      wake();
    },
  });

  /** Undefined where nothing is left for anybody. */
  const next = async (worker: JobWorker): Promise<LeasedJob[] | undefined> => {
    while (!isStopping) {
      const { waiting } = await jobs.counts(queue);
      const leased = await worker.take(suspects.size > 0 ? 1 : Math.max(1, share(waiting)));
      if (leased.length > 0) return leased;
      const left = await jobs.counts(queue);
      if (left.waiting + left.leased === 0) break;
      await pause();
    }
    return undefined;
  };

  const died = async (worker: JobWorker, thrown: unknown): Promise<void> => {
    const { held } = worker;
    const error = errorJson(thrown);
    for (const job of held) {
      if ((await worker.failed(job, error)) === 'done' && held.length > 1) suspects.add(job.id);
      else suspects.delete(job.id);
    }
    wake();
  };

  const employ = async (): Promise<void> => {
    const worker = new JobWorker({
      jobs,
      queue,
      name: `${name}#${++number}`,
      ...(run.leaseMs === undefined ? {} : { leaseMs: run.leaseMs }),
    });
    let hand: Hand | undefined;
    const ends = endsOf(worker);
    const letGo = (): void => {
      if (hand) hired.delete(hand);
      hand?.close();
      hand = undefined;
    };
    try {
      for (let leased = await next(worker); leased; leased = await next(worker)) {
        if (!hand) {
          hand = run.hire(worker.options.name);
          hired.add(hand);
        }
        try {
          await hand.work(leased, ends);
          await worker.giveBack();
          if (hand.isWornOut) letGo();
        } catch (thrown) {
          letGo();
          await died(worker, thrown);
        }
      }
    } catch (thrown) {
      fail(thrown);
    } finally {
      letGo();
      worker.close();
    }
  };

  run.stop?.addEventListener('abort', stop, { once: true });
  if (run.stop?.aborted) stop();
  const { waiting, leased } = await jobs.counts(queue);
  await Promise.all(Array.from({ length: Math.min(run.hands, waiting + leased) }, employ));
  run.stop?.removeEventListener('abort', stop);
  if ((await jobs.counts(queue)).failed > 0)
    end.failed = (await jobs.list(queue)).filter(({ state }) => state === 'failed');
  return end;
};
