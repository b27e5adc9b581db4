/** Many rollouts at a time, each behind its own boundary, results in the order of the jobs. */
import type { Trace } from '../artifacts/trace.js';
import { asTreadleError, type Outcome } from '../errors.js';
import { type Rollout, rolloutTask } from './rollout.js';

/** One rollout to be run. `open` makes its host and policy; `close` sees trace and host while the host still lives. */
export interface RolloutJob<T> {
  open: () => Promise<Rollout> | Rollout;
  /** Judges and lets go. It also runs after a failed rollout. */
  close: (trace: Trace, rollout: Rollout) => Promise<T> | T;
}

/** One job; whatever throws outside the policy (opening a session, judging) is that job's failure only. */
const runJob = async <T>(job: RolloutJob<T>): Promise<Outcome<T>> => {
  try {
    const rollout = await job.open();
    return { ok: true, value: await job.close(await rolloutTask(rollout), rollout) };
  } catch (thrown) {
    return { ok: false, error: asTreadleError(thrown, 'infrastructure', 'rollout_failed') };
  }
};

/**
 * Runs the jobs, `concurrency` at a time, and yields one outcome a job, in order. Jobs are drawn as they are needed, at most
 * `concurrency` ahead of the reader, so that neither jobs nor results pile up.
 */
export const rolloutMany = async function* <T>(
  jobs: Iterable<RolloutJob<T>>,
  concurrency = 8,
): AsyncGenerator<Outcome<T>> {
  const running: Promise<Outcome<T>>[] = [];
  for (const job of jobs) {
    running.push(runJob(job));
    if (running.length >= Math.max(1, concurrency)) yield await (running.shift() as Promise<Outcome<T>>);
  }
  while (running.length > 0) yield await (running.shift() as Promise<Outcome<T>>);
};

/** The seed of the `index`-th sample of a task: its own stream, whatever runs beside it. */
export const sampleSeed = (seed: string, taskId: string, index: number): string => `${seed}/${taskId}/${index}`;
