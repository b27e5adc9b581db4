/** What the runs of the benchmark come to. */
import type { BenchRun } from './bench.js';

export interface BenchScore {
  briefs: number;
  certified: number;
  rate: number;
  /** 95 % Wilson interval of the rate. */
  interval: [number, number];
  /** Mean of validators passed, of `of`. */
  validators: number;
  of: number;
  /** Validator to the worlds that failed it; `no_world` where nothing could be certified. */
  failures: Record<string, number>;
  rounds: number;
  promptTokens: number;
  completionTokens: number;
  usd?: number;
}

const Z = 1.959964;

/** Wilson's score interval of `k` of `n`; [0, 1] for none. */
export const wilson = (k: number, n: number): [number, number] => {
  if (n === 0) return [0, 1];
  const p = k / n;
  const z2 = Z * Z;
  const middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z / (1 + z2 / n)) * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
};

const total = (runs: readonly BenchRun[], of: (run: BenchRun) => number): number =>
  runs.reduce((sum, run) => sum + of(run), 0);

export const scoreOf = (runs: readonly BenchRun[]): BenchScore => {
  const certified = runs.filter(({ outcome }) => outcome === 'certified').length;
  const failures: Record<string, number> = {};
  for (const id of runs.flatMap(({ failed }) => failed)) failures[id] = (failures[id] ?? 0) + 1;
  const isPriced = runs.some(({ usd }) => usd !== undefined);
  return {
    briefs: runs.length,
    certified,
    rate: runs.length === 0 ? 0 : certified / runs.length,
    interval: wilson(certified, runs.length),
    validators: runs.length === 0 ? 0 : total(runs, ({ passed }) => passed) / runs.length,
    of: Math.max(0, ...runs.map(({ of }) => of)),
    failures,
    rounds: total(runs, ({ rounds }) => rounds),
    promptTokens: total(runs, ({ promptTokens }) => promptTokens),
    completionTokens: total(runs, ({ completionTokens }) => completionTokens),
    ...(isPriced ? { usd: total(runs, ({ usd = 0 }) => usd) } : {}),
  };
};
