/** Latencies in milliseconds, summed up. */

export interface Spread {
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** Nearest-rank quantiles; zeros for no values. */
export const spreadOf = (values: readonly number[]): Spread => {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
};

/** Per second, in whole numbers from 10 on. */
export const rateOf = (count: number, ms: number): number => {
  const rate = ms > 0 ? (count * 1000) / ms : 0;
  return rate >= 10 ? Math.round(rate) : round(rate);
};
