/** The figures of kept rollouts in scenarios, by the events that fired (dynamics.md, "Metrics"). */
import type { Task } from '../../artifacts/task.js';
import type { Trace } from '../../artifacts/trace.js';
import type { Corpus } from '../../corpus/corpus.js';
import type { TraceLine } from '../../corpus/traces/line.js';
import { eachTrace } from '../../corpus/traces/read.js';
import { type SourcedRun, type SourceFigures, sourceFigures } from '../../dynamics/metrics/by-source.js';
import { type CostFigures, type CostRun, costFigures } from '../../dynamics/metrics/costbench.js';
import { type Estimate, share } from '../../dynamics/metrics/estimate.js';
import {
  firedProfile,
  firedSet,
  firedSources,
  type OptimumFrom,
  optimumFor,
  scenarioCostRun,
  scenarioFaultRun,
} from '../../dynamics/metrics/from-scenario.js';
import { type FaultRun, type ToolMazeFigures, toolMazeFigures } from '../../dynamics/metrics/toolmaze.js';
import { turnsFor } from './roll/attempt.js';
import type { Scene } from './scenes.js';

export interface ScenarioScore {
  /** Runs that count: passed or failed by their own doing. */
  runs: number;
  /** Success by the sources of the events that fired. Ours. */
  success: SourceFigures;
  /** By the profile of the fault events that fired, where nothing else did; NP is of the runs without events and faults. */
  faults: ToolMazeFigures;
  /** Runs in which faults of several profiles fired, or faults and other events: no figure of one profile takes them. */
  mixed: number;
  /** The gap is to the optimum for the events as they fired. */
  cost: CostFigures;
  /** Where that optimum is from; runs that nothing solves are in no gap. */
  optima: Record<OptimumFrom | 'unsolved', number>;
  /** Of the runs that did not pass: whose fault it was, by whether the task could still be done when the last event fired. Ours. */
  failures: { policy: Estimate; scenario: Estimate; unasked: number };
  /** Runs of scenarios that the corpus has no more, or has made anew. */
  stale: number;
}

/** By content address of the scenario: what fired in its reference's run, where one that passed is kept. */
export const referenceRuns = (corpus: Corpus, world: string): Map<string, string> => {
  const runs = new Map<string, string>();
  for (const { trace, verdict } of eachTrace(corpus, world, isReferenceRun))
    if (trace.scenario && verdict.pass) runs.set(trace.scenario.hash, firedSet(trace));
  return runs;
};

const isReferenceRun = ({ producer, scenario }: Pick<Trace, 'producer' | 'scenario'>): boolean =>
  producer.policy === 'reference' && scenario !== undefined;

export class ScenarioSums {
  stale = 0;
  #mixed = 0;
  #failed = { policy: 0, scenario: 0, unasked: 0 };
  readonly #runs: SourcedRun[] = [];
  readonly #faults: FaultRun[] = [];
  readonly #costs: CostRun[] = [];
  readonly #unsolved: Omit<CostRun, 'optimum'>[] = [];
  readonly #optima: ScenarioScore['optima'] = { reference: 0, solved_anew: 0, unsolved: 0 };

  get isEmpty(): boolean {
    return this.#runs.length === 0 && this.stale === 0 && this.#failed.scenario === 0;
  }

  /** The scenario itself could not be solved any more: it says nothing of who acted. */
  addUnsolvable(): void {
    this.#failed.scenario++;
  }

  /** A run that passed or failed; `reference`: what fired in the reference's run. */
  add(
    { trace, verdict }: TraceLine,
    task: Task,
    { scenario, task: resolved }: Scene,
    reference: string | undefined,
  ): void {
    const rolled = { trace, verdict, task, scenario };
    this.#runs.push({ passed: verdict.pass, sources: firedSources(trace) });
    // Where nothing fired, there is nobody else.
    const isAsked = verdict.solvable !== undefined || firedSources(trace).length === 0;
    if (!verdict.pass) this.#failed[isAsked ? 'policy' : 'unasked']++;
    const fault = scenarioFaultRun(rolled, turnsFor(resolved));
    if (fault) this.#faults.push(fault);
    else if (firedProfile(rolled) === 'mixed') this.#mixed++;
    const optimum = optimumFor(rolled, reference);
    this.#optima[optimum?.from ?? 'unsolved']++;
    const { optimum: calls, ...run } = scenarioCostRun(rolled, optimum ?? { calls: 0, from: 'reference' });
    if (optimum) this.#costs.push({ ...run, optimum: calls });
    else this.#unsolved.push(run);
  }

  /** `still`: runs of tasks without events and faults. */
  score(still: readonly FaultRun[]): ScenarioScore {
    const { policy, scenario, unasked } = this.#failed;
    const failed = policy + scenario;
    const gap = costFigures(this.#costs);
    // Whether a run is correct, and its calls valid, needs no optimum.
    const all = costFigures([...this.#costs, ...this.#unsolved.map((run) => ({ ...run, optimum: run.cost }))]);
    return {
      runs: this.#runs.length,
      success: sourceFigures(this.#runs),
      faults: toolMazeFigures([...still, ...this.#faults]),
      mixed: this.#mixed,
      cost: { ...all, costGap: gap.costGap },
      optima: this.#optima,
      failures: { policy: share(policy, failed), scenario: share(scenario, failed), unasked },
      stale: this.stale,
    };
  }
}
