/** What a test of an agent found: runs by task, and what they come to. */
import { type Interval, wilson } from '../../kit/wilson.js';
import { type Counted, type Estimate, estimates } from './estimate.js';

/** A check that did not hold, with what was asked and what was found. */
export interface FailedCheck {
  milestone: string;
  check: string;
  asked: string;
  evidence: string;
}

export interface TestRun {
  /** From 1. */
  run: number;
  /** `error`: a fault of the surroundings, of a world or a verifier; it says nothing of the agent. */
  outcome: 'passed' | 'failed' | 'error';
  /** Of the trace, where one was made. */
  trace?: string;
  seconds: number;
  calls: number;
  /** Why it is not a pass, in one line: the first failed check, an exit status, a time that was up, a fault. */
  why?: string;
  /** Kind of it, for JUnit's `type`: `check`, `agent_exit`, `timeout`, or the code of a fault. */
  type?: string;
  checks: FailedCheck[];
  /** Where it left the ways to the goal, in one line. */
  divergence?: string;
  /** The end of what the agent wrote on its error output. */
  stderr?: string;
}

export interface TestedTask {
  task: string;
  hash: string;
  world: string;
  /** `atomic` or `composed`. */
  kind: string;
  runs: TestRun[];
}

export const countsOf = ({ runs }: Pick<TestedTask, 'runs'>): Counted & { errors: number } => {
  const passed = runs.filter(({ outcome }) => outcome === 'passed').length;
  const errors = runs.filter(({ outcome }) => outcome === 'error').length;
  return { runs: runs.length - errors, passed, errors };
};

export interface TestTotals {
  tasks: number;
  runs: number;
  passed: number;
  failed: number;
  errors: number;
  /** Of runs without errors. */
  passRate: number;
  /** By tasks, as for pass^1. */
  passRateInterval: Interval;
  estimates: Estimate[];
  /** Tasks of which every run passed. */
  solid: number;
}

export const totalsOf = (tasks: readonly TestedTask[], repeat: number): TestTotals => {
  const counts = tasks.map(countsOf);
  const sum = (pick: (count: (typeof counts)[number]) => number): number =>
    counts.reduce((all, one) => all + pick(one), 0);
  const [passed, runs, errors] = [sum((one) => one.passed), sum((one) => one.runs), sum((one) => one.errors)];
  const judged = counts.filter((one) => one.runs > 0).length;
  const passRate = runs === 0 ? 0 : passed / runs;
  return {
    tasks: tasks.length,
    runs: runs + errors,
    passed,
    failed: runs - passed,
    errors,
    passRate,
    passRateInterval: wilson(passRate * judged, judged),
    estimates: estimates(counts, repeat),
    solid: counts.filter((one) => one.runs > 0 && one.errors === 0 && one.passed === one.runs).length,
  };
};
