/** What attempts cost: calls, turns, tokens and time, in what was kept and in what was dropped (rollout.md). */
import type { Message } from '../../artifacts/trace.js';
import { elapsedMs } from '../../kit/clock.js';
import { costOf, type Prices } from '../budget.js';
import type { Action, Policy } from '../policy.js';

export interface Cost {
  /** Attempts at stages, or at whole trajectories. */
  attempts: number;
  /** Answers of the policy. */
  turns: number;
  calls: number;
  /** Characters of the history as the policy was shown it, once a turn; tools' schemas are not counted. */
  read: number;
  /** Characters that the policy wrote: text, reasoning, calls. */
  written: number;
  promptTokens: number;
  completionTokens: number;
  /** Turns whose tokens the endpoint counted. */
  countedTurns: number;
  /** Milliseconds by the wall clock: for people and tables, never in an artifact. */
  wallMs: number;
}

export const noCost = (): Cost => ({
  attempts: 0,
  turns: 0,
  calls: 0,
  read: 0,
  written: 0,
  promptTokens: 0,
  completionTokens: 0,
  countedTurns: 0,
  wallMs: 0,
});

export const addCost = (into: Cost, more: Cost): void => {
  for (const key of Object.keys(into) as (keyof Cost)[]) into[key] += more[key];
};

export const sumOf = (costs: readonly Cost[]): Cost => {
  const sum = noCost();
  for (const cost of costs) addCost(sum, cost);
  return sum;
};

/** Characters that one token stands for where nobody counted tokens: a common rule of thumb, and named as such. */
export const CHARACTERS_A_TOKEN = 4;

export type Counting = 'counted' | 'characters/4';

/** How `tokensOf` comes by its number: the endpoint's count where it counted every turn. */
export const countingOf = ({ turns, countedTurns }: Cost): Counting =>
  turns > 0 && countedTurns === turns ? 'counted' : 'characters/4';

/** Prompt and completion tokens together. */
export const tokensOf = (cost: Cost, counting = countingOf(cost)): number =>
  counting === 'counted'
    ? cost.promptTokens + cost.completionTokens
    : Math.round((cost.read + cost.written) / CHARACTERS_A_TOKEN);

/** US dollars, by the same count as `tokensOf`. */
export const dollarsOf = (cost: Cost, prices: Prices): number =>
  costOf(
    countingOf(cost) === 'counted'
      ? cost
      : { promptTokens: cost.read / CHARACTERS_A_TOKEN, completionTokens: cost.written / CHARACTERS_A_TOKEN },
    prices,
  );

const sizes = new WeakMap<Message, number>();

/** Messages are never changed, and a history is read once a turn. */
const sizeOf = (message: Message): number => {
  const known = sizes.get(message);
  if (known !== undefined) return known;
  const calls = message.toolCalls?.map(
    ({ name, arguments: args, malformed }) => name + (malformed ?? JSON.stringify(args)),
  );
  const size = message.content.length + (message.reasoning?.length ?? 0) + (calls?.join('').length ?? 0);
  sizes.set(message, size);
  return size;
};

const sizeOfAction = ({ text, reasoning, calls }: Action): number =>
  calls.reduce(
    (sum, { name, args }) => sum + name.length + (args.ok ? JSON.stringify(args.args) : args.raw).length,
    text.length + (reasoning?.length ?? 0),
  );

export interface Meter {
  policy: Policy;
  /** So far; `attempts` is one. */
  cost(calls: number): Cost;
}

/** The policy with its turns counted. `before` each turn hears what this attempt has cost; its throw ends the attempt. */
export const metered = (policy: Policy, before?: (cost: Cost) => void): Meter => {
  const cost = noCost();
  const start = elapsedMs();
  cost.attempts = 1;
  return {
    policy: {
      producer: policy.producer,
      next: async (view) => {
        before?.(cost);
        cost.read += view.messages.reduce((sum, message) => sum + sizeOf(message), 0);
        const action = await policy.next(view);
        cost.turns++;
        cost.written += sizeOfAction(action);
        if (action.usage) {
          cost.countedTurns++;
          cost.promptTokens += action.usage.promptTokens;
          cost.completionTokens += action.usage.completionTokens;
        }
        return action;
      },
    },
    cost: (calls) => ({ ...cost, calls, wallMs: elapsedMs() - start }),
  };
};
