/** Shares and means with their 95 % intervals: a figure without one says little of a few hundred runs. */
import { rng } from '../../kit/rng.js';

export interface Estimate {
  /** Undefined of no runs. */
  value: number | undefined;
  /** 95 %. */
  low: number | undefined;
  high: number | undefined;
  n: number;
}

const NONE: Estimate = { value: undefined, low: undefined, high: undefined, n: 0 };
/** Two-sided 95 % of the normal distribution. */
const Z = 1.959964;

/** Wilson's interval for `hits` of `n`, in per cent. */
export const share = (hits: number, n: number): Estimate => {
  if (n === 0) return NONE;
  const p = hits / n;
  const middle = (p + Z ** 2 / (2 * n)) / (1 + Z ** 2 / n);
  const half = (Z / (1 + Z ** 2 / n)) * Math.sqrt((p * (1 - p)) / n + Z ** 2 / (4 * n ** 2));
  // The ends of 0 of n and n of n are 0 and 1 themselves, rounding apart.
  const low = hits === 0 ? 0 : middle - half;
  const high = hits === n ? 1 : middle + half;
  return { value: 100 * p, low: 100 * low, high: 100 * high, n };
};

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const RESAMPLES = 1_000;

/** The mean, with a percentile bootstrap of 1,000 seeded resamples. */
export const mean = (values: readonly number[], seed = 'mean'): Estimate => {
  const n = values.length;
  if (n === 0) return NONE;
  const random = rng(seed, 'bootstrap');
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += values[random.int(0, n - 1)] as number;
    return sum / n;
  }).sort((a, b) => a - b);
  return {
    value: meanOf(values),
    low: means[Math.floor(0.025 * RESAMPLES)],
    high: means[Math.ceil(0.975 * RESAMPLES) - 1],
    n,
  };
};
