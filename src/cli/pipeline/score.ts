/** The figures of a corpus's kept rollouts by who acted: success, recovery from faults, and cost (dynamics.md, "Metrics"). */
import type { Trace } from '../../artifacts/trace.js';
import type { Corpus } from '../../corpus/corpus.js';
import type { TraceLine } from '../../corpus/traces/line.js';
import { eachTrace } from '../../corpus/traces/read.js';
import { type CostFigures, type CostRun, costFigures } from '../../dynamics/metrics/costbench.js';
import { costRun, faultRun } from '../../dynamics/metrics/from-trace.js';
import { type FaultRun, type ToolMazeFigures, toolMazeFigures } from '../../dynamics/metrics/toolmaze.js';
import { addressOf } from '../../kit/hash.js';
import { outcomeOf } from '../../rollout/outcome.js';
import { turnsFor } from './roll/attempt.js';
import { scenesIn } from './scenes.js';
import { referenceRuns, type ScenarioScore, ScenarioSums } from './score-scenarios.js';

export interface Score {
  /** `reference`, `stale`, `scripted`, a model's name, a harness and its model. */
  producer: string;
  /** Runs without events that count: passed or failed. */
  runs: number;
  /** Runs that say nothing of who acted: cut, or somebody else's fault. */
  apart: number;
  /** Runs under rules of several profiles at once, which no figure of one profile takes. */
  mixed: number;
  /** Runs of tasks that the corpus has no more, or has changed. */
  stale: number;
  /** Dropped attempts of prefix-preserving sampling: kept for having failed. */
  dropped: number;
  faults: ToolMazeFigures;
  /** Of runs without faults. */
  cost: CostFigures;
  /** Where runs in scenarios are kept. */
  scenarios?: ScenarioScore;
}

/** Which figures are the paper's as it defines them, which it gives in words only, and which are ours. */
export const WHOSE = {
  paper: ['avg', 'tcr', 'itur'],
  words: ['np', 'tsr', 'costGap'],
  ours: ['prr', 'rc', 'notRecovered', 'scenarios.success', 'scenarios.failures'],
} as const;

interface Sums extends Pick<Score, 'runs' | 'apart' | 'mixed' | 'stale' | 'dropped'> {
  faults: FaultRun[];
  cost: CostRun[];
  scenarios: ScenarioSums;
}

/** A scripted policy's name is its plan of mistakes: all plans are one producer. */
const producerOf = ({ producer: { policy, name, model } }: Trace): string => {
  if (policy === 'model') return name;
  return policy === 'harness' ? `${name}${model ? ` with ${model}` : ''}` : policy;
};

const sumsOf = (all: Map<string, Sums>, producer: string): Sums => {
  const known: Sums = all.get(producer) ?? {
    runs: 0,
    apart: 0,
    mixed: 0,
    stale: 0,
    dropped: 0,
    faults: [],
    cost: [],
    scenarios: new ScenarioSums(),
  };
  all.set(producer, known);
  return known;
};

/** Adds a world's rollouts, one in memory at a time. */
const addWorld = (all: Map<string, Sums>, corpus: Corpus, world: string): void => {
  const tasks = new Map(corpus.readTasks(world).tasks.map((task) => [addressOf(task), task]));
  const sceneOf = scenesIn(corpus, world);
  let references: Map<string, string> | undefined;
  const add = (sums: Sums, line: TraceLine): void => {
    const { trace, verdict } = line;
    const { outcome } = outcomeOf(trace, verdict);
    const task = tasks.get(trace.task);
    const scene = task && trace.scenario && sceneOf(task, trace.scenario);
    if (trace.origin?.kind === 'negative') sums.dropped++;
    else if (!task) sums.stale++;
    else if (trace.scenario && !scene) sums.scenarios.stale++;
    else if (scene && verdict.fault === 'scenario') sums.scenarios.addUnsolvable();
    else if (outcome === 'cut' || outcome === 'fault') sums.apart++;
    else if (scene) {
      references ??= referenceRuns(corpus, world);
      sums.scenarios.add(line, task, scene, references.get(scene.hash));
    } else {
      sums.runs++;
      const rolled = { trace, verdict, task };
      const run = faultRun(rolled, turnsFor(task));
      if (run) sums.faults.push(run);
      else sums.mixed++;
      if (!trace.faults) sums.cost.push(costRun(rolled));
    }
  };
  for (const line of eachTrace(corpus, world)) add(sumsOf(all, producerOf(line.trace)), line);
};

/** Reads one rollout at a time; keeps a few numbers of each. Throws what reading tasks, scenarios and rollouts does. */
export const scoreCorpus = (corpus: Corpus, worlds: readonly string[]): Score[] => {
  const all = new Map<string, Sums>();
  for (const world of worlds) addWorld(all, corpus, world);
  return [...all]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([producer, { faults, cost, scenarios, ...counts }]) => ({
      producer,
      ...counts,
      faults: toolMazeFigures(faults),
      cost: costFigures(cost),
      ...(scenarios.isEmpty
        ? {}
        : { scenarios: scenarios.score(faults.filter(({ profile }) => profile === undefined)) }),
    }));
};
