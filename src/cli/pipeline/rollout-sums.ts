/** What all rollouts of one command come to: passes, behaviour, rewards and problems, each apart. */
import { FLAG_IDS } from '../../verify/behaviour/registry.js';
import type { RewardShape } from '../../verify/reward.js';
import { isUnfinished, type Rolled, tallyOf } from './rollouts.js';

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
  unfinished: number;
  passed: number;
  /** By flag, in the registry's order: finished rollouts that show it. */
  behaviour: Record<string, number>;
  problems: Record<string, number>;
  reward?: RewardSummary;
}

const add = (into: Map<string, number>, key: string, n = 1): void => {
  into.set(key, (into.get(key) ?? 0) + n);
};

export class RolloutSums {
  readonly #tally = { rollouts: 0, unfinished: 0, passed: 0 };
  readonly #behaviour = new Map<string, number>();
  readonly #problems = new Map<string, number>();
  readonly #fined = new Map<string, number>();
  readonly #fines = new Map<string, number>();
  #judged = 0;
  #base = 0;
  #total = 0;
  #shape: RewardShape = 'all';

  add(rolled: readonly Rolled[]): void {
    const { behaviour = {}, ...counts } = tallyOf(rolled);
    for (const key of ['rollouts', 'unfinished', 'passed'] as const) this.#tally[key] += counts[key];
    for (const [flag, n] of Object.entries(behaviour)) add(this.#behaviour, flag, n);
    for (const { trace, reward } of rolled) {
      if (trace.problem) add(this.#problems, `${trace.problem.code}: ${trace.problem.message}`);
      if (!reward || reward.base === null || reward.total === null || isUnfinished(trace)) continue;
      this.#shape = reward.shape;
      this.#judged++;
      this.#base += reward.base;
      this.#total += reward.total;
      for (const { flag, amount } of reward.penalties) {
        add(this.#fined, flag);
        add(this.#fines, flag, amount);
      }
    }
  }

  summary(): RolloutSummary {
    const inOrder = (counts: ReadonlyMap<string, number>): string[] => FLAG_IDS.filter((flag) => counts.has(flag));
    const penalties = inOrder(this.#fined).map((flag) => ({
      flag,
      rollouts: this.#fined.get(flag) ?? 0,
      total: this.#fines.get(flag) ?? 0,
    }));
    const n = this.#judged;
    return {
      ...this.#tally,
      behaviour: Object.fromEntries(inOrder(this.#behaviour).map((flag) => [flag, this.#behaviour.get(flag) ?? 0])),
      problems: Object.fromEntries(this.#problems),
      ...(n > 0
        ? { reward: { shape: this.#shape, rollouts: n, base: this.#base / n, penalties, mean: this.#total / n } }
        : {}),
    };
  }
}
