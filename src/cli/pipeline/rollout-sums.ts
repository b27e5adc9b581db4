/** What all rollouts of one command come to: outcomes, behaviour, rewards and problems, each apart. Only sums are kept. */
import { EVENT_SOURCES, type EventSource } from '../../artifacts/trace.js';
import type { TraceHead } from '../../corpus/traces/line.js';
import { FLAG_IDS } from '../../verify/behaviour/registry.js';
import type { RewardShape } from '../../verify/reward.js';
import { became } from './roll/tally.js';

export interface RewardSummary {
  shape: RewardShape;
  /** Over finished rollouts that a working verifier judged. */
  rollouts: number;
  base: number;
  /** Rollouts with the penalty, and what they lost by it together. */
  penalties: { flag: string; rollouts: number; total: number }[];
  mean: number;
}

export interface RolloutSummary {
  rollouts: number;
  /** `cut` and all `faults`: they say nothing of who acted. */
  unfinished: number;
  passed: number;
  failed: number;
  cut: number;
  /** By whose fault it was. */
  faults: Record<string, number>;
  /** Rollouts made a second time because the infrastructure broke the first attempt. */
  retried: number;
  /** By flag, in the registry's order: finished rollouts that show it. */
  behaviour: Record<string, number>;
  /** By code: whatever problem a rollout had, finished or not, broken attempts included; each with an example. */
  problems: Record<string, { rollouts: number; example: string }>;
  usage: { turns: number; calls: number; promptTokens: number; completionTokens: number; cost: number };
  reward?: RewardSummary;
  /** Of finished rollouts in scenarios, by the sources of the scenario's events: one of several counts for each. */
  sources?: Sources;
}

export type Sources = Partial<Record<EventSource, { passed: number; of: number }>>;

/** Sums as plain data: what worker processes send. */
export interface Sums {
  outcomes: { passed: number; failed: number; cut: number; fault: number };
  faults: Record<string, number>;
  retried: number;
  behaviour: Record<string, number>;
  problems: RolloutSummary['problems'];
  usage: RolloutSummary['usage'];
  reward: {
    judged: number;
    base: number;
    total: number;
    shape: RewardShape;
    fined: Record<string, number>;
    fines: Record<string, number>;
  };
  sources: Sources;
}

const none = (): Sums => ({
  outcomes: { passed: 0, failed: 0, cut: 0, fault: 0 },
  faults: {},
  retried: 0,
  behaviour: {},
  problems: {},
  usage: { turns: 0, calls: 0, promptTokens: 0, completionTokens: 0, cost: 0 },
  reward: { judged: 0, base: 0, total: 0, shape: 'all', fined: {}, fines: {} },
  sources: {},
});

const add = (into: Record<string, number>, key: string, n = 1): void => {
  into[key] = (into[key] ?? 0) + n;
};

const addAll = <K extends string>(into: Record<K, number>, from: Readonly<Partial<Record<K, number>>>): void => {
  for (const key of Object.keys(from) as K[]) into[key] = (into[key] ?? 0) + (from[key] ?? 0);
};

export class RolloutSums {
  readonly #sums = none();

  /** As data, and all of it added to another. */
  data(): Sums {
    return this.#sums;
  }

  merge(other: Sums): void {
    const own = this.#sums;
    addAll(own.outcomes, other.outcomes);
    addAll(own.faults, other.faults);
    own.retried += other.retried;
    addAll(own.behaviour, other.behaviour);
    for (const [code, { rollouts, example }] of Object.entries(other.problems)) this.#problem(code, example, rollouts);
    addAll(own.usage, other.usage);
    const { shape, fined, fines, ...numbers } = other.reward;
    if (numbers.judged > 0) own.reward.shape = shape;
    own.reward.judged += numbers.judged;
    own.reward.base += numbers.base;
    own.reward.total += numbers.total;
    addAll(own.reward.fined, fined);
    addAll(own.reward.fines, fines);
    for (const source of EVENT_SOURCES) {
      const { passed, of } = other.sources[source] ?? { passed: 0, of: 0 };
      if (of > 0) this.#source(source, passed, of);
    }
  }

  #source(source: EventSource, passed: number, of = 1): void {
    const known = this.#sums.sources[source] ?? { passed: 0, of: 0 };
    this.#sums.sources[source] = { passed: known.passed + passed, of: known.of + of };
  }

  get outcomes(): Readonly<Sums['outcomes']> {
    return this.#sums.outcomes;
  }

  /** In a fixed order; empty where no rollout was in a scenario. */
  get sources(): Sources {
    const { sources } = this.#sums;
    return Object.fromEntries(EVENT_SOURCES.flatMap((name) => (sources[name] ? [[name, sources[name]]] : [])));
  }

  #problem(code: string, example: string, n = 1): void {
    const known = this.#sums.problems[code];
    this.#sums.problems[code] = { rollouts: (known?.rollouts ?? 0) + n, example: known?.example ?? example };
  }

  add(head: TraceHead): void {
    const sums = this.#sums;
    const { outcome, fault } = became(head);
    sums.outcomes[outcome]++;
    if (fault !== undefined) add(sums.faults, fault);
    if (head.attempts?.length) sums.retried++;
    for (const { problem } of head.attempts ?? []) this.#problem(problem.code, problem.message);
    if (head.problem) this.#problem(head.problem.code, head.problem.message);
    addAll<keyof Sums['usage']>(sums.usage, head.usage);
    if (outcome === 'cut' || outcome === 'fault') return;
    for (const flag of head.flags) add(sums.behaviour, flag);
    for (const source of head.scenario?.sources ?? []) this.#source(source, Number(outcome === 'passed'));
    const { reward } = head;
    if (!reward || reward.base === null || reward.total === null) return;
    sums.reward.shape = reward.shape;
    sums.reward.judged++;
    sums.reward.base += reward.base;
    sums.reward.total += reward.total;
    for (const { flag, amount } of reward.penalties) {
      add(sums.reward.fined, flag);
      add(sums.reward.fines, flag, amount);
    }
  }

  summary(): RolloutSummary {
    const { outcomes, faults, retried, behaviour, problems, usage, reward } = this.#sums;
    const inOrder = (counts: Readonly<Record<string, number>>): string[] => FLAG_IDS.filter((flag) => counts[flag]);
    const penalties = inOrder(reward.fined).map((flag) => ({
      flag,
      rollouts: reward.fined[flag] ?? 0,
      total: reward.fines[flag] ?? 0,
    }));
    const { judged: n, base, total, shape } = reward;
    const { passed, failed, cut, fault } = outcomes;
    const { sources } = this;
    return {
      rollouts: passed + failed + cut + fault,
      unfinished: cut + fault,
      passed,
      failed,
      cut,
      faults,
      retried,
      behaviour: Object.fromEntries(inOrder(behaviour).map((flag) => [flag, behaviour[flag] ?? 0])),
      problems: Object.fromEntries(Object.entries(problems).sort(([a], [b]) => (a < b ? -1 : 1))),
      usage,
      ...(n > 0 ? { reward: { shape, rollouts: n, base: base / n, penalties, mean: total / n } } : {}),
      ...(Object.keys(sources).length > 0 ? { sources } : {}),
    };
  }
}
