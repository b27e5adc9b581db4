/**
 * A run as jobs, one a world: by this process or by several. A world's rollouts are kept in its own file, which is where a world that
 * was left goes on; its job says who is at it, and how often it failed.
 */
import { fileURLToPath } from 'node:url';
import type { Corpus } from '../../../corpus/corpus.js';
import type { Json } from '../../../kit/hash.js';
import type { LeasedJob } from '../../../serve/durable/jobs/jobs.js';
import { runJobs } from '../../../serve/durable/jobs/run.js';
import { JobWorker } from '../../../serve/durable/jobs/worker.js';
import { jobsFailed, queueError } from '../queue/errors.js';
import { type FilledQueue, LEASE_MS, openQueue } from '../queue/open.js';
import { WorkerProcess } from '../queue/process.js';
import type { Note, Setup } from './crew-protocol.js';
import type { Picked } from './pick.js';
import type { RolloutOptions } from './plan.js';
import { type RunEnd, type RunPlan, runRollouts } from './run.js';

// From src (under a test runner) and from dist alike: the compiled child.
const CHILD = fileURLToPath(new URL('../../../../dist/cli/pipeline/roll/crew-child.js', import.meta.url));

/** With a job for each world; every one is looked at in every run: which rollouts are left is known from its file alone. */
const overQueue = async (
  { corpus, picked }: { corpus: Corpus; picked: readonly Picked[] },
  work: (filled: FilledQueue) => Promise<RunEnd>,
): Promise<RunEnd> => {
  const queue = await openQueue(corpus, 'rollouts');
  let isOver = false;
  try {
    const items = picked.map((one) => ({ id: one.world, payload: one as unknown as Json }));
    const filled = await queue.fill({ settings: null, items, isMade: () => false });
    const end = await work(filled);
    if (end.failure !== undefined) end.failure = queueError(end.failure, queue.folder);
    else isOver = (await filled.jobs.counts(filled.queue)).done === filled.of;
    return end;
  } finally {
    await queue.close(isOver);
  }
};

const pickedOf = ({ payload }: LeasedJob): Picked => payload as unknown as Picked;

export interface CrewRun extends Pick<RunPlan, 'stop' | 'onKept' | 'onSkipped'> {
  corpus: Corpus;
  picked: readonly Picked[];
  options: RolloutOptions;
  jobs: number;
}

const byCrew = async ({ corpus, options, stop, ...run }: CrewRun, filled: FilledQueue): Promise<RunEnd> => {
  const end: RunEnd = { lost: 0, isSpent: false };
  /** Rollouts that are told of already: a world that is begun anew tells of them once more. */
  const told = new Set<string>();
  const onNote = (said: unknown): void => {
    const note = said as Note;
    if ('lost' in note) end.lost += note.lost;
    else if ('kept' in note) {
      if (!told.has(note.kept.id)) run.onKept(note.kept);
      told.add(note.kept.id);
    } else {
      run.onSkipped(note.skipped.filter(({ id }) => !told.has(id)));
      for (const { id } of note.skipped) told.add(id);
    }
  };
  const { failure, failed } = await runJobs({
    jobs: filled.jobs,
    queue: filled.queue,
    hands: run.jobs,
    hire: () =>
      new WorkerProcess({
        program: CHILD,
        setup: { dir: corpus.dir, options } satisfies Setup,
        asked: pickedOf,
        onNote,
      }),
    leaseMs: LEASE_MS,
    stop: stop.signal,
    onDone: () => undefined,
    // The disk, or a file that says nonsense: the run stops, as it does in one process.
    isFatal: ({ code }) => code !== 'worker_died',
  });
  const why = failure ?? jobsFailed(failed, filled.of, 'worlds');
  if (why !== undefined) end.failure = why;
  return end;
};

/**
 * As `runRollouts`, by several processes. One that dies is replaced, and its world goes on where its file ends. Throws `corpus_in_use`,
 * `damaged_jobs` and what the disk says before anything began.
 */
export const crewRollouts = (run: CrewRun): Promise<RunEnd> => overQueue(run, (filled) => byCrew(run, filled));

export interface OwnRun extends Omit<RunPlan, 'picked' | 'onClosed'> {
  picked: readonly Picked[];
}

const byOwn = async (run: OwnRun, { jobs, queue }: FilledQueue): Promise<RunEnd> => {
  const worker = new JobWorker({ jobs, queue, name: 'own', leaseMs: LEASE_MS });
  const open = new Map<string, LeasedJob>();
  const ended: Promise<unknown>[] = [];
  async function* leased(): AsyncGenerator<Picked> {
    for (let [job] = await worker.take(1); job; [job] = await worker.take(1)) {
      open.set(job.id, job);
      yield pickedOf(job);
    }
  }
  const onClosed = (world: string, isWhole: boolean): void => {
    const job = open.get(world);
    if (job && isWhole) ended.push(worker.done(job, {}));
  };
  try {
    const end = await runRollouts({ ...run, picked: leased(), onClosed });
    await Promise.all(ended).catch((thrown: unknown) => {
      end.failure ??= thrown;
    });
    return end;
  } finally {
    worker.close();
  }
};

/** As `runRollouts`, in this process: worlds are leased as there is room for them. Throws as `crewRollouts`. */
export const ownRollouts = (run: OwnRun): Promise<RunEnd> => overQueue(run, (filled) => byOwn(run, filled));
