/** What a rollout may take. */
import { TreadleError } from '../errors.js';
import { checkBudget, type Prices, type Purse } from './budget.js';

export interface Limits {
  /** Assistant messages. */
  turns: number;
  /** Characters of one tool result that the policy sees. */
  maxObservationChars: number;
  /** Milliseconds for the whole rollout; none when absent. */
  deadlineMs?: number;
  /** Prompt and completion tokens of all turns together. */
  tokens?: number;
  /** US dollars; needs `prices`. */
  cost?: number;
  prices?: Prices;
  /** Shared by all rollouts of a run; needs `prices`. */
  purse?: Purse;
}

export const DEFAULT_LIMITS: Limits = { turns: 30, maxObservationChars: 16_000 };

/** Throws `bad_limits` for limits that allow nothing, `bad_budget` for budgets that are none. */
export const checkLimits = (limits: Limits): void => {
  checkBudget(limits);
  if (limits.turns >= 1 && limits.maxObservationChars >= 1) return;
  throw new TreadleError({
    code: 'bad_limits',
    message: 'A rollout needs at least one turn and one character of observation',
    value: limits,
    next: 'Raise the limits.',
  });
};
