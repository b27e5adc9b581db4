/** What sampling many tasks comes to: accepted, what it cost in kept and in dropped attempts, and why the rest was given up. */
import type { Prices } from '../../../rollout/budget.js';
import {
  addCost,
  type Cost,
  type Counting,
  countingOf,
  dollarsOf,
  noCost,
  sumOf,
  tokensOf,
} from '../../../rollout/sampling/cost.js';
import type { Came, Method } from './jobs.js';

/** Costs as they are told. `wallMs` is the sum over attempts, which may have run at the same time. */
export interface Told {
  attempts: number;
  turns: number;
  calls: number;
  tokens: number;
  wallMs: number;
  /** US dollars, where prices were given. */
  usd?: number;
}

export interface MethodSums {
  method: Method;
  /** Tasks sampled now, times samples. */
  tasks: number;
  /** With `group`: at least one branch passed. */
  accepted: number;
  /** Sampled by an earlier run and not again. */
  skipped: number;
  /** Refused before anything ran, by code. */
  refused: Record<string, number>;
  /** Not accepted, by reason. */
  ended: Record<string, number>;
  /** How tokens were come by. */
  tokens: Counting;
  /** With `group`: `kept` is that of the branches, `dropped` that of the history they share. */
  cost: { kept: Told; dropped: Told };
  /** All of it, accepted or not, for each accepted trajectory; null where none was. */
  perAccepted: Told | null;
  group?: { branches: number; passed: number; passRate: number | null };
}

const told = (cost: Cost, counting: Counting, prices: Prices | undefined, by = 1): Told => ({
  attempts: cost.attempts / by,
  turns: cost.turns / by,
  calls: cost.calls / by,
  tokens: Math.round(tokensOf(cost, counting) / by),
  wallMs: Math.round(cost.wallMs / by),
  ...(prices ? { usd: Number((dollarsOf(cost, prices) / by).toFixed(6)) } : {}),
});

export class SamplingSums {
  readonly method: Method;
  readonly #prices: Prices | undefined;
  readonly #kept = noCost();
  readonly #dropped = noCost();
  readonly #ended: Record<string, number> = {};
  readonly #refused: Record<string, number> = {};
  #examples = new Map<string, string>();
  #tasks = 0;
  #accepted = 0;
  #skipped = 0;
  #branches = 0;
  #passed = 0;

  constructor(method: Method, prices?: Prices) {
    this.method = method;
    this.#prices = prices;
  }

  add({ accepted, cost, ended, group }: Came): void {
    this.#tasks++;
    if (accepted) this.#accepted++;
    addCost(this.#kept, cost.kept);
    addCost(this.#dropped, cost.dropped);
    if (ended) {
      this.#ended[ended.why] = (this.#ended[ended.why] ?? 0) + 1;
      if (!this.#examples.has(ended.why)) this.#examples.set(ended.why, ended.message);
    }
    if (!group) return;
    this.#branches += group.branches;
    this.#passed += group.passed;
  }

  skip(): void {
    this.#skipped++;
  }

  refuse(code: string, message: string): void {
    this.#refused[code] = (this.#refused[code] ?? 0) + 1;
    if (!this.#examples.has(code)) this.#examples.set(code, message);
  }

  /** Tasks that are through, whatever became of them. */
  get done(): number {
    return this.#tasks + this.#skipped + Object.values(this.#refused).reduce((sum, n) => sum + n, 0);
  }
  get accepted(): number {
    return this.#accepted;
  }
  /** What the first of each reason said. */
  get examples(): ReadonlyMap<string, string> {
    return this.#examples;
  }

  summary(): MethodSums {
    const all = sumOf([this.#kept, this.#dropped]);
    const counting = countingOf(all);
    return {
      method: this.method,
      tasks: this.#tasks,
      accepted: this.#accepted,
      skipped: this.#skipped,
      refused: this.#refused,
      ended: this.#ended,
      tokens: counting,
      cost: { kept: told(this.#kept, counting, this.#prices), dropped: told(this.#dropped, counting, this.#prices) },
      perAccepted: this.#accepted > 0 ? told(all, counting, this.#prices, this.#accepted) : null,
      ...(this.method === 'group'
        ? {
            group: {
              branches: this.#branches,
              passed: this.#passed,
              passRate: this.#branches > 0 ? this.#passed / this.#branches : null,
            },
          }
        : {}),
    };
  }
}

/** What an accepted trajectory costs less by one method than by the other, as shares; null where one accepted none. */
export const savedBy = (own: MethodSums, other: MethodSums): Record<'calls' | 'tokens' | 'wall', number> | null => {
  const [a, b] = [own.perAccepted, other.perAccepted];
  if (!a || !b) return null;
  const share = (key: 'calls' | 'tokens' | 'wallMs'): number =>
    b[key] === 0 ? 0 : Number((1 - a[key] / b[key]).toFixed(4));
  return { calls: share('calls'), tokens: share('tokens'), wall: share('wallMs') };
};
