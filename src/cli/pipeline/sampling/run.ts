/** Samples the tasks of one world after the other's, some tasks at a time; what ends is kept at once and not made again. */
import { setMaxListeners } from 'node:events';
import type { Task } from '../../../artifacts/task.js';
import type { Corpus } from '../../../corpus/corpus.js';
import type { TraceHead } from '../../../corpus/traces/line.js';
import { TraceWriter } from '../../../corpus/traces/writer.js';
import { TreadleError } from '../../../errors.js';
import { addressOf } from '../../../kit/hash.js';
import { slots } from '../../../rollout/slots.js';
import { dropGrounded, groundedWorld } from '../../../world/grounded.js';
import { type LoadedWorld, loadWorld, unloadWorld } from '../../../world/loaded.js';
import type { Engine } from '../../../world/state/engine.js';
import type { Picked } from '../roll/pick.js';
import { writeCounts } from '../roll/tally.js';
import { isSampled, keptIds, type Method, type Sample, type Settings, sampleTask } from './jobs.js';
import type { SamplingSums } from './sums.js';

export interface SamplingRun {
  corpus: Corpus;
  engine: Engine;
  picked: readonly Picked[];
  /** Each task is sampled by each of them. */
  methods: readonly { method: Method; sums: SamplingSums }[];
  settings: Settings;
  samples: number;
  /** Samples what was sampled before, too. */
  again: boolean;
  concurrency: number;
  stop: AbortController;
  onDone(): void;
}

/** Refusals of a task that say nothing of the others. */
const REFUSALS = new Set(['unjudged_stage', 'bad_group', 'not_forkable', 'bad_grounding']);

/** Lets timers, signals and sockets have their turn: scripted policies wait for nothing. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Job extends Sample {
  method: Method;
  sums: SamplingSums;
}

const jobsOf = (tasks: readonly Task[], { methods, samples }: SamplingRun): Job[] =>
  tasks.flatMap((task) => {
    const hash = addressOf(task);
    return Array.from({ length: samples }, (_, index) => methods.map((by) => ({ ...by, task, hash, index }))).flat();
  });

/** By task, negatives before what was kept, whichever ended first and in however many runs. */
const orderOf = (jobs: readonly Job[], settings: Settings, heads: readonly TraceHead[]): string[] => {
  const place = new Map([...new Set(jobs.map(({ task }) => task.id))].map((id, n) => [id, n]));
  const own = new Set(jobs.flatMap((job) => keptIds(job.method, job, settings)));
  const key = ({ taskId, origin, id }: TraceHead): [number, number, string] => [
    place.get(taskId) ?? 0,
    origin === 'negative' ? 0 : 1,
    id,
  ];
  return heads
    .filter(({ taskId, origin, id }) => place.has(taskId) && (own.has(id) || origin === 'negative'))
    .map((head) => key(head))
    .sort((a, b) => a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1))
    .map(([, , id]) => id);
};

/** The worlds that tasks find, each made when its first job starts and let go when its last has ended. */
class Grounds {
  readonly #world: LoadedWorld;
  readonly #open = new Map<string, { world: LoadedWorld; left: number }>();

  constructor(world: LoadedWorld) {
    this.#world = world;
  }

  take({ task, hash }: Job, jobs: number): LoadedWorld {
    const known = this.#open.get(hash);
    if (known) return known.world;
    const world = groundedWorld(this.#world, task.grounding);
    this.#open.set(hash, { world, left: jobs });
    return world;
  }

  give({ hash }: Job): void {
    const own = this.#open.get(hash);
    if (!own || --own.left > 0) return;
    dropGrounded(this.#world, own.world);
    this.#open.delete(hash);
  }

  close(): void {
    for (const { world } of this.#open.values()) dropGrounded(this.#world, world);
  }
}

const sampleWorld = async (run: SamplingRun, { world: id, tasks: wanted }: Picked): Promise<void> => {
  const { corpus, engine, stop } = run;
  const writer = TraceWriter.open(corpus, id);
  const settings = { ...run.settings, signal: stop.signal };
  let world: LoadedWorld | undefined;
  let grounds: Grounds | undefined;
  const free = slots(run.concurrency);
  let failure: unknown;
  let hasKept = false;
  const one = async (job: Job, jobs: number): Promise<void> => {
    try {
      const own = (grounds as Grounds).take(job, jobs);
      const came = await sampleTask(job.method, own, job, settings);
      for (const line of came.lines) writer.append(line);
      hasKept ||= came.lines.length > 0;
      job.sums.add(came);
    } catch (thrown) {
      if (thrown instanceof TreadleError && REFUSALS.has(thrown.code)) job.sums.refuse(thrown.code, thrown.line());
      else {
        failure ??= thrown;
        stop.abort();
      }
    }
    grounds?.give(job);
    run.onDone();
    await turn();
    free.give();
  };
  try {
    const { tasks } = corpus.readTasks(id);
    const all = jobsOf(
      tasks.filter((task) => wanted.includes(task.id)),
      run,
    );
    const isDone = (job: Job): boolean =>
      !run.again && isSampled(job.method, job, settings, (trace) => writer.head(trace));
    const jobs = all.filter((job) => {
      if (!isDone(job)) return true;
      job.sums.skip();
      run.onDone();
      return false;
    });
    const count = new Map<string, number>();
    for (const { hash } of jobs) count.set(hash, (count.get(hash) ?? 0) + 1);
    if (jobs.length > 0) {
      world = loadWorld(engine, corpus.readWorld(id), { lazy: true });
      grounds = new Grounds(world);
    }
    for (const job of jobs) {
      await free.take();
      if (stop.signal.aborted) {
        free.give();
        break;
      }
      void one(job, count.get(job.hash) ?? 1);
    }
    await free.all();
    if (hasKept && !stop.signal.aborted) writer.settle(orderOf(all, settings, writer.heads()));
    writeCounts(corpus, id, writer.heads());
  } finally {
    await free.all();
    writer.close();
    grounds?.close();
    if (world) unloadWorld(world);
  }
  if (failure !== undefined) throw failure;
};

/** Ends early when `stop` fires: what is in flight is cut, kept as such, and made again by the next run. Throws what the disk says. */
export const runSampling = async (run: SamplingRun): Promise<void> => {
  setMaxListeners(0, run.stop.signal);
  for (const picked of run.picked) {
    if (run.stop.signal.aborted) return;
    await sampleWorld(run, picked);
  }
};
