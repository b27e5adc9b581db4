/**
 * Rollouts of many tasks of many worlds: hundreds in flight, each kept as soon as it has ended, few worlds loaded at a time. What
 * was kept before is not made again.
 */
import { setMaxListeners } from 'node:events';
import type { Corpus } from '../../../corpus/corpus.js';
import type { TraceHead, TraceLine } from '../../../corpus/traces/line.js';
import { slots } from '../../../rollout/slots.js';
import type { Engine } from '../../../world/state/engine.js';
import { type Acting, brokenLine, rollOut } from './attempt.js';
import { type Again, type Job, OpenWorld } from './open-world.js';
import type { Picked } from './pick.js';

export interface RunPlan {
  corpus: Corpus;
  engine: Engine;
  picked: Iterable<Picked> | AsyncIterable<Picked>;
  acting: Acting;
  samples: number;
  again: Again;
  /** Rollouts in flight. */
  concurrency: number;
  /** Bytes of loaded worlds; one world is loaded whatever it takes. */
  memory: number;
  /** Ends the run: nothing new begins, and what is in flight is cut and kept as such. */
  stop: AbortController;
  /** A rollout was kept. */
  onKept(head: TraceHead): void;
  /** Rollouts of a world that had been kept before and are not made again. */
  onSkipped(heads: readonly TraceHead[]): void;
  /** A world is let go; `isWhole`: everything planned of it is kept. */
  onClosed?(world: string, isWhole: boolean): void;
}

export interface RunEnd {
  /** Why the run ended before its time: what the disk said, or a defect. */
  failure?: unknown;
  /** Rollouts that ended and could not be kept. */
  lost: number;
  /** The run's money is used up: nothing more was begun. */
  isSpent: boolean;
}

/** Lets timers, signals and sockets have their turn: rollouts of scripted policies wait for nothing. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Runs until everything is kept or the run is stopped; never throws for what happens to one rollout. */
export const runRollouts = async (plan: RunPlan): Promise<RunEnd> => {
  const { corpus, engine, acting, samples, again, stop } = plan;
  setMaxListeners(0, stop.signal);
  const free = slots(plan.concurrency);
  const end: RunEnd = { lost: 0, isSpent: false };
  const purse = acting.limits?.purse;
  const isOver = (): boolean => {
    end.isSpent ||= purse !== undefined && purse.spent >= purse.limit;
    return end.isSpent || stop.signal.aborted;
  };
  const open = new Set<OpenWorld>();
  let bytes = 0;
  let onClosed: (() => void) | undefined;

  const fail = (thrown: unknown): void => {
    end.failure ??= thrown;
    stop.abort();
  };
  const close = (world: OpenWorld): void => {
    open.delete(world);
    bytes -= world.bytes;
    try {
      world.close();
      plan.onClosed?.(world.id, world.isWhole);
    } catch (thrown) {
      fail(thrown);
    }
    onClosed?.();
  };
  const made = async (world: OpenWorld, job: Job): Promise<TraceLine> => {
    try {
      const { task, hash, index, scene } = job;
      const sample = { world: world.worldFor(job), task, hash, index, scene };
      return await rollOut(sample, { ...acting, signal: stop.signal });
    } catch (thrown) {
      return brokenLine(job, acting, thrown);
    }
  };
  const one = async (world: OpenWorld, job: Job): Promise<void> => {
    const line = await made(world, job);
    try {
      plan.onKept(world.keep(line));
    } catch (thrown) {
      end.lost++;
      fail(thrown);
    }
    if (world.done(job)) close(world);
    await turn();
    free.give();
  };

  for await (const picked of plan.picked) {
    if (isOver()) break;
    let world: OpenWorld;
    try {
      world = OpenWorld.open(corpus, engine, picked, { acting, samples, again });
    } catch (thrown) {
      fail(thrown);
      break;
    }
    plan.onSkipped(world.kept);
    while (open.size > 0 && bytes + world.bytes > plan.memory)
      await new Promise<void>((resolve) => {
        onClosed = resolve;
      });
    open.add(world);
    bytes += world.bytes;
    if (world.jobs.length === 0) close(world);
    else
      try {
        world.load();
      } catch (thrown) {
        fail(thrown);
        break;
      }
    for (const job of world.jobs) {
      await free.take();
      if (isOver()) {
        free.give();
        break;
      }
      void one(world, job);
    }
  }
  await free.all();
  for (const world of [...open]) close(world);
  return end;
};
