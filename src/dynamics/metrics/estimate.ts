/** Shares and means with their 95 % intervals: a figure without one says little of a few hundred runs. */
import { rng } from '../../kit/rng.js';
import { wilson } from '../../kit/wilson.js';

export interface Estimate {
  /** Undefined of no runs. */
  value: number | undefined;
  /** 95 %. */
  low: number | undefined;
  high: number | undefined;
  n: number;
}

const NONE: Estimate = { value: undefined, low: undefined, high: undefined, n: 0 };
/** Wilson's interval for `hits` of `n`, in per cent. */
export const share = (hits: number, n: number): Estimate => {
  if (n === 0) return NONE;
  const { low, high } = wilson(hits, n);
  return { value: (100 * hits) / n, low: 100 * low, high: 100 * high, n };
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
