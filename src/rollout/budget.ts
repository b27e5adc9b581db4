/** Tokens and money: of one rollout, and of all rollouts of a run together. */
import type { Trace } from '../artifacts/trace.js';
import { TreadleError } from '../errors.js';
import type { Limits } from './limits.js';
import type { Action } from './policy.js';
import type { Run } from './run.js';

/** US dollars a million tokens. */
export interface Prices {
  prompt: number;
  completion: number;
}

/** What all rollouts of a run may cost together, in US dollars. */
export interface Purse {
  readonly limit: number;
  spent: number;
}

export type Used = { promptTokens: number; completionTokens: number };

/** Characters that are taken for a token where an endpoint counts none, so that a budget still ends. */
const CHARS_A_TOKEN = 4;

export const costOf = (used: Used, prices: Prices): number =>
  (used.promptTokens * prices.prompt + used.completionTokens * prices.completion) / 1e6;

/** What a turn is taken to have used: as it was counted, else by its length. Nothing where no budget asks. */
const usedBy = (run: Run, action: Action, { tokens, cost, purse }: Limits): Used | undefined => {
  if (action.usage) return action.usage;
  if (tokens === undefined && cost === undefined && purse === undefined) return undefined;
  if (!action.isModel) return undefined;
  const said = JSON.stringify([action.text, action.reasoning, action.calls]).length;
  const read = run.messages.reduce((sum, { content }) => sum + content.length, 0);
  return { promptTokens: Math.ceil(read / CHARS_A_TOKEN), completionTokens: Math.ceil(said / CHARS_A_TOKEN) };
};

/** Takes what a turn cost from the budgets. */
export const charge = (run: Run, action: Action, limits: Limits): void => {
  const used = usedBy(run, action, limits);
  if (!used) return;
  run.spentTokens += used.promptTokens + used.completionTokens;
  if (!limits.prices) return;
  const cost = costOf(used, limits.prices);
  run.spentCost += cost;
  if (limits.purse) limits.purse.spent += cost;
};

const ended = (code: string, message: string, fault: string): Pick<Trace, 'finish' | 'answer' | 'problem'> => ({
  finish: 'budget',
  answer: '',
  problem: { code, message, fault },
});

/** Why no further turn may be asked for; undefined: there is something left. The turn that spent the rest still counts. */
export const budgetEnd = (
  { spentTokens, spentCost }: Pick<Run, 'spentTokens' | 'spentCost'>,
  { tokens, cost, purse }: Limits,
): Pick<Trace, 'finish' | 'answer' | 'problem'> | undefined => {
  if (tokens !== undefined && spentTokens >= tokens)
    return ended('token_budget', `The budget of ${tokens} tokens is used up`, 'policy');
  if (cost !== undefined && spentCost >= cost)
    return ended('cost_budget', `The budget of ${cost} dollars is used up`, 'policy');
  if (purse && purse.spent >= purse.limit)
    return ended('run_budget', `The budget of ${purse.limit} dollars for the whole run is used up`, 'input');
  return undefined;
};

/** Throws `bad_budget` for a limit that is none, and for money without prices. */
export const checkBudget = ({ tokens, cost, purse, prices }: Limits): void => {
  const bad = (message: string, value: unknown, next: string): TreadleError =>
    new TreadleError({ code: 'bad_budget', message, value, next });
  for (const limit of [tokens, cost, purse?.limit])
    if (limit !== undefined && !(limit > 0)) throw bad('A budget must be above 0', limit, 'Raise it, or leave it out.');
  if ((cost !== undefined || purse) && !prices)
    throw bad('A budget in dollars needs prices', cost ?? purse?.limit, 'Give the prices a million tokens.');
};
