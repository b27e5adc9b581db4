/** The figures of a corpus's kept rollouts by who acted: success, recovery from faults, and cost (dynamics.md, "Metrics"). */
import type { Trace } from '../../artifacts/trace.js';
import type { Corpus } from '../../corpus/corpus.js';
import { eachTrace } from '../../corpus/traces/read.js';
import { type CostFigures, type CostRun, costFigures } from '../../dynamics/metrics/costbench.js';
import { costRun, faultRun } from '../../dynamics/metrics/from-trace.js';
import { type FaultRun, type ToolMazeFigures, toolMazeFigures } from '../../dynamics/metrics/toolmaze.js';
import { addressOf } from '../../kit/hash.js';
import { outcomeOf } from '../../rollout/outcome.js';
import { turnsFor } from './roll/attempt.js';

export interface Score {
  /** `reference`, `scripted`, a model's name, a harness and its model. */
  producer: string;
  /** Runs that count: passed or failed. */
  runs: number;
  /** Runs that say nothing of who acted: cut, or somebody else's fault. */
  apart: number;
  /** Runs under rules of several profiles at once, which no figure of one profile takes. */
  mixed: number;
  /** Runs of tasks that the corpus has no more, or has changed. */
  stale: number;
  faults: ToolMazeFigures;
  /** Of runs without faults. */
  cost: CostFigures;
}

interface Sums extends Pick<Score, 'runs' | 'apart' | 'mixed' | 'stale'> {
  faults: FaultRun[];
  cost: CostRun[];
}

/** A scripted policy's name is its plan of mistakes: all plans are one producer. */
const producerOf = ({ producer: { policy, name, model } }: Trace): string => {
  if (policy === 'model') return name;
  return policy === 'harness' ? `${name}${model ? ` with ${model}` : ''}` : policy;
};

const sumsOf = (all: Map<string, Sums>, producer: string): Sums => {
  const known = all.get(producer) ?? { runs: 0, apart: 0, mixed: 0, stale: 0, faults: [], cost: [] };
  all.set(producer, known);
  return known;
};

/** Reads one rollout at a time; keeps seven numbers of each. */
export const scoreCorpus = (corpus: Corpus, worlds: readonly string[]): Score[] => {
  const all = new Map<string, Sums>();
  for (const world of worlds) {
    const tasks = new Map(corpus.readTasks(world).tasks.map((task) => [addressOf(task), task]));
    for (const { trace, verdict } of eachTrace(corpus, world)) {
      const sums = sumsOf(all, producerOf(trace));
      const { outcome } = outcomeOf(trace, verdict);
      const task = tasks.get(trace.task);
      if (!task) sums.stale++;
      else if (outcome === 'cut' || outcome === 'fault') sums.apart++;
      else {
        sums.runs++;
        const rolled = { trace, verdict, task };
        const run = faultRun(rolled, turnsFor(task));
        if (run) sums.faults.push(run);
        else sums.mixed++;
        if (!trace.faults) sums.cost.push(costRun(rolled));
      }
    }
  }
  return [...all]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([producer, { faults, cost, ...counts }]) => ({
      producer,
      ...counts,
      faults: toolMazeFigures(faults),
      cost: costFigures(cost),
    }));
};
