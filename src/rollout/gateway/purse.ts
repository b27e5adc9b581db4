/** A rollout's budget: what was spent, and whether one more answer may be asked for. */
import { TreadleError } from '../../errors.js';
import type { Backend } from '../../models/backend.js';
import type { ChatMessage, ChatReply } from '../../models/types.js';
import type { Budget } from './types.js';

export interface Purse {
  /** Resolves when an answer may be asked for; `settle` must follow. Throws the budget that ended. */
  admit(): Promise<void>;
  /** Ends what `admit` began; no reply: the attempt failed and costs nothing. */
  settle(reply?: ChatReply, messages?: readonly ChatMessage[]): void;
  /** The most tokens that one more answer may have; undefined: no limit. */
  left(): number | undefined;
  usage(): { turns: number; promptTokens?: number; completionTokens?: number; cost?: number };
}

const over = (code: string, message: string, value: number): TreadleError =>
  new TreadleError({
    code,
    message,
    value,
    next: 'The rollout is over: end here. Whoever runs it may raise the budget.',
    fault: 'policy',
  });

/** Characters that are taken for a token where a backend counts none, so that a token budget still ends. */
const CHARS_A_TOKEN = 4;

/** Throws `bad_budget` for a limit that is none, and for a cost without prices. */
export const purse = (budget: Budget, prices: Backend['prices']): Purse => {
  for (const [name, limit] of Object.entries(budget))
    if (limit !== undefined && !(limit > 0))
      throw new TreadleError({ code: 'bad_budget', message: `A budget of ${name} must be above 0`, value: limit });
  if (budget.cost !== undefined && !prices)
    throw new TreadleError({
      code: 'bad_budget',
      message: 'A budget in dollars needs prices',
      value: budget.cost,
      next: "Give the backend's prices a million prompt and completion tokens.",
    });
  let turns = 0;
  let underway = 0;
  let spent = 0;
  let counted: { promptTokens: number; completionTokens: number } | undefined;
  let waiting: (() => void)[] = [];
  const cost = (): number | undefined =>
    counted && prices
      ? (counted.promptTokens * prices.prompt + counted.completionTokens * prices.completion) / 1e6
      : undefined;
  const ended = (): TreadleError | undefined => {
    if (budget.turns !== undefined && turns >= budget.turns)
      return over('turn_budget', `The budget of ${budget.turns} answers is used up`, turns);
    if (budget.tokens !== undefined && spent >= budget.tokens)
      return over('token_budget', `The budget of ${budget.tokens} tokens is used up`, spent);
    const dollars = cost() ?? 0;
    if (budget.cost !== undefined && dollars >= budget.cost)
      return over('cost_budget', `The budget of ${budget.cost} dollars is used up`, dollars);
    return undefined;
  };
  return {
    admit: async () => {
      for (;;) {
        const error = ended();
        if (error) throw error;
        // An answer under way may be the last: whether one more is allowed is known when it has ended.
        if (budget.turns === undefined || turns + underway < budget.turns) break;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      underway++;
    },
    settle: (reply, messages = []) => {
      underway--;
      if (reply) {
        turns++;
        if (reply.usage) {
          counted ??= { promptTokens: 0, completionTokens: 0 };
          counted.promptTokens += reply.usage.promptTokens;
          counted.completionTokens += reply.usage.completionTokens;
          spent += reply.usage.promptTokens + reply.usage.completionTokens;
        } else if (budget.tokens !== undefined)
          spent += Math.ceil(JSON.stringify([messages, reply]).length / CHARS_A_TOKEN);
      }
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    left: () => (budget.tokens === undefined ? undefined : Math.max(1, budget.tokens - spent)),
    usage: () => {
      const dollars = cost();
      return { turns, ...counted, ...(dollars === undefined ? {} : { cost: dollars }) };
    },
  };
};
