/** Measures how hard a world's tasks are: their make, and seeded runs of careless agents. */
import type { Task } from '../../artifacts/task.js';
import type { TaskDifficulty } from '../../corpus/difficulty.js';
import { addressOf } from '../../kit/hash.js';
import { carelessPolicy } from '../../rollout/difficulty/slips.js';
import { structureOf } from '../../rollout/difficulty/structure.js';
import { sampleSeed } from '../../rollout/many.js';
import { dropGrounded, groundedWorld } from '../../world/grounded.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { rollWorld } from './rollouts.js';

export interface DifficultyPlan {
  /** Chances of a slip at each step. */
  rates: readonly number[];
  /** Runs of each rate. */
  runs: number;
  seed: string;
  onDone?: (task: string) => void;
}

/** A slip of every step and what it leads to stays within these. */
const SPARE_TURNS = 20;
const TURNS_A_CALL = 8;

const measureOne = async (world: LoadedWorld, task: Task, plan: DifficultyPlan): Promise<TaskDifficulty> => {
  const { rates, runs, seed } = plan;
  const success: TaskDifficulty['success'] = [];
  const turns = SPARE_TURNS + TURNS_A_CALL * task.reference.calls.length;
  for (const rate of rates) {
    const rolled = await rollWorld(world, [task], {
      samples: runs,
      seed,
      concurrency: 4,
      limits: { turns, maxObservationChars: 16_000 },
      // The same seed at every rate: who slips at a low one slips there at a high one, too.
      policyFor: (_, sample) => carelessPolicy(task, rate, sampleSeed(seed, task.id, sample)),
    });
    success.push({ rate, runs, passed: rolled.filter(({ verdict }) => verdict.pass).length });
  }
  const own = groundedWorld(world, task.grounding);
  try {
    return { hash: addressOf(task), ...structureOf(own, task), success };
  } finally {
    dropGrounded(world, own);
  }
};

/** By task id. The same world, tasks, rates, runs and seed give the same numbers. */
export const measureDifficulty = async (
  world: LoadedWorld,
  tasks: readonly Task[],
  plan: DifficultyPlan,
): Promise<Record<string, TaskDifficulty>> => {
  const out: Record<string, TaskDifficulty> = {};
  for (const task of tasks) {
    out[task.id] = await measureOne(world, task, plan);
    plan.onDone?.(task.id);
  }
  return out;
};

export interface DifficultyFigures {
  tasks: number;
  calls: number;
  lookups: number;
  services: number;
  distractors: number;
  /** Share of passed runs by rate. */
  success: { rate: number; share: number }[];
}

/** Means over some tasks; undefined of none. */
export const figuresOf = (all: readonly TaskDifficulty[]): DifficultyFigures | undefined => {
  if (all.length === 0) return undefined;
  const mean = (pick: (one: TaskDifficulty) => number): number =>
    all.reduce((sum, one) => sum + pick(one), 0) / all.length;
  const rates = [...new Set(all.flatMap(({ success }) => success.map(({ rate }) => rate)))].sort((a, b) => a - b);
  return {
    tasks: all.length,
    calls: mean(({ calls }) => calls),
    lookups: mean(({ lookups }) => lookups),
    services: mean(({ services }) => services),
    distractors: mean(({ distractors }) => distractors),
    success: rates.map((rate) => {
      const own = all.flatMap(({ success }) => success.filter((one) => one.rate === rate));
      const runs = own.reduce((sum, one) => sum + one.runs, 0);
      return { rate, share: runs > 0 ? own.reduce((sum, one) => sum + one.passed, 0) / runs : 0 };
    }),
  };
};

/** A task's difficulty for a person: counts, and passed of runs by rate. */
export const difficultyWords = ({ hash: _, success, ...counts }: TaskDifficulty): Record<string, unknown> => ({
  ...counts,
  passes: Object.fromEntries(success.map(({ rate, runs, passed }) => [`slips ${rate}`, `${passed} of ${runs}`])),
});
