/** Figures on what a run costs, as CostBench names them in DynaWeave's Table 1. */
import { type Estimate, mean, share } from './estimate.js';

/** One run of a task. */
export interface CostRun {
  passed: boolean;
  /** What its calls cost. */
  cost: number;
  /** What the optimum for the events as they fired costs: never along the agent's own path. */
  optimum: number;
  calls: number;
  /** Calls that no tool took: unknown tools, arguments that do not fit. Injected failures are none. */
  invalidCalls: number;
}

export interface CostFigures {
  /** Mean of (cost - optimum) / normaliser over correct runs. */
  costGap: Estimate;
  /** What the gap was divided by: 1 where it is in calls, the mean optimum where it is relative. */
  normaliser: number;
  /** Correctly completed tasks over all, in per cent. */
  tcr: Estimate;
  /** Invalid calls over all calls, in per cent. */
  itur: Estimate;
}

export const costFigures = (runs: readonly CostRun[], normaliser = 1): CostFigures => {
  const correct = runs.filter(({ passed }) => passed);
  const sum = (of: (run: CostRun) => number): number => runs.reduce((total, run) => total + of(run), 0);
  return {
    costGap: mean(correct.map(({ cost, optimum }) => (cost - optimum) / normaliser)),
    normaliser,
    tcr: share(correct.length, runs.length),
    itur: share(
      sum(({ invalidCalls }) => invalidCalls),
      sum(({ calls }) => calls),
    ),
  };
};
