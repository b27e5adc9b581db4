/** pass^k and pass@k of repeated runs: how likely it is that k runs of a task all pass, and that one of them does. */
import { type Interval, wilson } from '../../kit/wilson.js';

/** C(a, k) / C(b, k), factor by factor; 0 <= a <= b, k <= b. */
const chooseRatio = (a: number, b: number, k: number): number => {
  let ratio = 1;
  for (let i = 0; i < k; i++) ratio *= Math.max(0, a - i) / (b - i);
  return ratio;
};

/** Unbiased from `passed` of `runs` (tau-bench, section 3): C(c, k) / C(n, k). */
export const passHatK = (passed: number, runs: number, k: number): number => chooseRatio(passed, runs, k);

/** Unbiased from `passed` of `runs` (Chen et al. 2021, section 2.1): 1 - C(n - c, k) / C(n, k). */
export const passAtK = (passed: number, runs: number, k: number): number => 1 - chooseRatio(runs - passed, runs, k);

export interface Counted {
  /** Runs that say something of the agent: passed and failed, without faults of the surroundings. */
  runs: number;
  passed: number;
}

export interface Estimate {
  k: number;
  /** Tasks with at least k such runs: the mean is over them; NaN is never given, 0 of none. */
  tasks: number;
  hat: number;
  hatInterval: Interval;
  at: number;
  atInterval: Interval;
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * For k = 1 to `most`, means over tasks with 95 % intervals. Runs of one task are alike, so the tasks are what is counted: each
 * interval is Wilson's of so many tasks, cautious for means of values between 0 and 1.
 */
export const estimates = (tasks: readonly Counted[], most: number): Estimate[] =>
  Array.from({ length: most }, (_, i): Estimate => {
    const k = i + 1;
    const able = tasks.filter(({ runs }) => runs >= k);
    const hat = mean(able.map(({ passed, runs }) => passHatK(passed, runs, k)));
    const at = mean(able.map(({ passed, runs }) => passAtK(passed, runs, k)));
    const n = able.length;
    return { k, tasks: n, hat, hatInterval: wilson(hat * n, n), at, atInterval: wilson(at * n, n) };
  });
