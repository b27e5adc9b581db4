/** A world while its rollouts run: loaded when the first one starts, let go when the last is kept. */
import { statSync } from 'node:fs';
import type { Task } from '../../../artifacts/task.js';
import type { Corpus } from '../../../corpus/corpus.js';
import { exists } from '../../../corpus/files.js';
import { listScenarios, readScenario } from '../../../corpus/scenarios.js';
import type { TraceHead, TraceLine } from '../../../corpus/traces/line.js';
import { TraceWriter } from '../../../corpus/traces/writer.js';
import { addressOf } from '../../../kit/hash.js';
import { rng } from '../../../kit/rng.js';
import { dropGrounded, groundedWorld } from '../../../world/grounded.js';
import { type LoadedWorld, loadWorld, unloadWorld } from '../../../world/loaded.js';
import type { Engine } from '../../../world/state/engine.js';
import { type Acting, type Scene, sampleId } from './attempt.js';
import type { Picked } from './pick.js';
import { isToRepeat, writeCounts } from './tally.js';

/** Which kept rollouts are made again besides those that are unfinished: `cut` by a limit of their own, or `all`. */
export type Again = 'unfinished' | 'cut' | 'all';

export interface Job {
  id: string;
  task: Task;
  hash: string;
  index: number;
  scene?: Scene;
}

/** What a loaded world takes beside its images: compiled tools, descriptions. */
const OVERHEAD = 4 * 2 ** 20;

/** By task; undefined where tasks stand still. Throws what reading scenarios does. */
const scenesOf = (corpus: Corpus, { world, scenarios }: Picked): Map<string, Scene[]> | undefined => {
  if (!scenarios) return undefined;
  const wanted = new Set(scenarios);
  const heads = (listScenarios(corpus, world)?.scenarios ?? []).filter(({ id }) => wanted.has(id));
  const byTask = new Map<string, Scene[]>();
  for (const head of heads) {
    const scene = { scenario: readScenario(corpus, world, head), hash: head.hash };
    byTask.set(head.task, [...(byTask.get(head.task) ?? []), scene]);
  }
  return byTask;
};

export class OpenWorld {
  readonly id: string;
  /** What is to be done, in the order of the run. */
  readonly jobs: readonly Job[];
  /** Rollouts of the plan that were kept before and stay. */
  readonly kept: readonly TraceHead[];
  /** Bytes that it will take once loaded. */
  readonly bytes: number;
  readonly #corpus: Corpus;
  readonly #engine: Engine;
  readonly #writer: TraceWriter;
  /** Ids of all rollouts of the plan, in the order in which they are left in the file. */
  readonly #order: readonly string[];
  readonly #grounded = new Map<string, { world?: LoadedWorld; left: number }>();
  #world: LoadedWorld | undefined;
  #left: number;

  private constructor(
    corpus: Corpus,
    engine: Engine,
    { id, writer, order, jobs }: { id: string; writer: TraceWriter; order: string[]; jobs: Job[] },
  ) {
    this.#corpus = corpus;
    this.#engine = engine;
    this.id = id;
    this.#writer = writer;
    this.#order = order;
    this.jobs = jobs;
    const ids = new Set(jobs.map((job) => job.id));
    this.kept = order.flatMap((name) => (ids.has(name) ? [] : (writer.head(name) ?? [])));
    this.#left = jobs.length;
    const data = (service: string): string => corpus.path('worlds', id, 'data', `${service}.sqlite`);
    const files = corpus.readSurface(id).services.map((service) => data(service.id));
    this.bytes = files.reduce((sum, file) => sum + (exists(file) ? statSync(file).size : 0), OVERHEAD);
    for (const { hash } of jobs) this.#count(hash);
  }

  /** Reads tasks and kept rollouts and says what is left to do. Throws `traces_in_use`, and what the files say. */
  static open(
    corpus: Corpus,
    engine: Engine,
    picked: Picked,
    { acting, samples, again }: { acting: Acting; samples: number; again: Again },
  ): OpenWorld {
    const wanted = new Set(picked.tasks);
    const tasks = corpus.readTasks(picked.world).tasks.filter(({ id }) => wanted.has(id));
    const writer = TraceWriter.open(corpus, picked.world);
    try {
      const scenes = scenesOf(corpus, picked);
      const all = tasks.flatMap((task): Job[] => {
        const hash = addressOf(task);
        const own: { scene?: Scene }[] = scenes ? (scenes.get(task.id) ?? []).map((scene) => ({ scene })) : [{}];
        return own.flatMap(({ scene }) =>
          Array.from({ length: samples }, (_, index) => {
            const job = { task, hash, index, ...(scene ? { scene } : {}) };
            return { id: sampleId(job, acting), ...job };
          }),
        );
      });
      const isDone = ({ id }: Job): boolean => {
        const head = writer.head(id);
        if (!head || again === 'all' || isToRepeat(head)) return false;
        return again !== 'cut' || !(head.finish === 'cut' || head.finish === 'budget');
      };
      const jobs = rng(acting.seed, 'rollout', picked.world).shuffle(all.filter((job) => !isDone(job)));
      const order = all.map(({ id }) => id);
      return new OpenWorld(corpus, engine, { id: picked.world, writer, order, jobs });
    } catch (thrown) {
      writer.close();
      throw thrown;
    }
  }

  #count(hash: string): void {
    const known = this.#grounded.get(hash);
    if (known) known.left++;
    else this.#grounded.set(hash, { left: 1 });
  }

  /** Throws what the files say, and what `loadWorld` does. */
  load(): LoadedWorld {
    this.#world ??= loadWorld(this.#engine, this.#corpus.readWorld(this.id), { lazy: true });
    return this.#world;
  }

  /** The world as a task finds it. Throws `bad_grounding`. */
  worldFor({ task, hash }: Job): LoadedWorld {
    const world = this.load();
    const own = this.#grounded.get(hash);
    if (!own) return world;
    own.world ??= groundedWorld(world, task.grounding);
    return own.world;
  }

  /** Keeps a rollout. Throws what the disk says. */
  keep(line: TraceLine): TraceHead {
    return this.#writer.append(line);
  }

  /** A job has ended, kept or not. Answers whether it was the last. */
  done(job: Job): boolean {
    const own = this.#grounded.get(job.hash);
    if (own && --own.left === 0) {
      if (own.world && this.#world) dropGrounded(this.#world, own.world);
      this.#grounded.delete(job.hash);
    }
    return --this.#left === 0;
  }

  get isWhole(): boolean {
    return this.#left === 0;
  }

  /** Puts the rollouts in their order where all are there, writes the counts, and lets go. */
  close(): void {
    try {
      if (this.#left === 0) this.#settle();
      writeCounts(this.#corpus, this.id, this.#writer.heads());
    } finally {
      this.#writer.close();
      if (this.#world) {
        for (const { world } of this.#grounded.values()) if (world) dropGrounded(this.#world, world);
        unloadWorld(this.#world);
      }
    }
  }

  #settle(): void {
    try {
      this.#writer.settle(this.#order);
    } catch {
      // On a disk without room for a second copy the rollouts stay in the order in which they came.
    }
  }
}
