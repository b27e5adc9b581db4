/** What authoring may cost: calls of the model, tokens, money. */
import { TreadleError } from '../../errors.js';
import type { ChatReply } from '../../models/types.js';

export interface Budget {
  /** Calls of the model; 60 when not said. */
  rounds?: number | undefined;
  /** Tokens in and out; 400,000 when not said. */
  tokens?: number | undefined;
  /** US dollars; needs a price. */
  usd?: number | undefined;
  /** US dollars a million tokens. */
  price?: { input: number; output: number } | undefined;
  /** Most tokens of one answer; 6,000 when not said. */
  answer?: number | undefined;
}

export interface Spent {
  rounds: number;
  promptTokens: number;
  completionTokens: number;
  /** Absent without a price. */
  usd?: number;
}

export interface Meter {
  readonly spent: Spent;
  /** Tokens that the next answer may have, or why there is no next one. */
  room(promptChars: number): { tokens: number } | { why: string };
  /** Counts one exchange; an endpoint that reports nothing, or less than can be, is counted by length. */
  count(promptChars: number, reply: Pick<ChatReply, 'content' | 'reasoning' | 'usage'>): void;
  /** Counts a call that brought no answer. */
  miss(): void;
}

const CHARS_A_TOKEN = 3.5;
/** No text has more characters a token than this; what reports fewer tokens is not believed. */
const MOST_CHARS_A_TOKEN = 16;
/** An answer shorter than this is of no use. */
const LEAST_ANSWER = 200;

const tokensOf = (chars: number): number => Math.ceil(chars / CHARS_A_TOKEN);
const believed = (reported: number | undefined, chars: number): number =>
  reported !== undefined && Number.isFinite(reported) && reported >= chars / MOST_CHARS_A_TOKEN
    ? Math.ceil(reported)
    : tokensOf(chars);

const check = (name: string, value: number | undefined): void => {
  if (value === undefined || (Number.isFinite(value) && value > 0)) return;
  throw new TreadleError({
    code: 'bad_budget',
    message: `The budget of ${name} is not above zero`,
    value,
    next: 'Give a number above zero, or leave it out.',
  });
};

/** Throws `bad_budget` for limits that are none, and `no_price` for a budget in dollars without a price. */
export const meterOf = (budget: Budget = {}): Meter => {
  const { rounds = 60, tokens = 400_000, usd, price, answer = 6_000 } = budget;
  for (const [name, value] of Object.entries({ rounds, tokens, usd, answer })) check(name, value);
  if (price && !(price.input >= 0 && price.output >= 0)) check('price', -1);
  if (usd !== undefined && !price)
    throw new TreadleError({
      code: 'no_price',
      message: 'A budget in dollars needs the price of a million tokens',
      value: usd,
      next: 'Add the price of input and output tokens (--price-in, --price-out).',
    });
  const spent: Spent = { rounds: 0, promptTokens: 0, completionTokens: 0, ...(price ? { usd: 0 } : {}) };
  const cost = (input: number, output: number): number =>
    price ? (input * price.input + output * price.output) / 1e6 : 0;
  return {
    spent,
    room: (promptChars) => {
      if (spent.rounds >= rounds) return { why: `all ${rounds} rounds are used` };
      const prompt = tokensOf(promptChars);
      const left = tokens - spent.promptTokens - spent.completionTokens - prompt;
      if (left < LEAST_ANSWER) return { why: `of ${tokens} tokens too few are left for another answer` };
      const money = usd === undefined ? Number.POSITIVE_INFINITY : usd - (spent.usd ?? 0) - cost(prompt, 0);
      const bought = price && price.output > 0 ? Math.floor((money * 1e6) / price.output) : left;
      if (money <= 0 || bought < LEAST_ANSWER)
        return { why: `of ${usd} dollars too little is left for another answer` };
      return { tokens: Math.min(answer, left, bought) };
    },
    count: (promptChars, { content, reasoning, usage }) => {
      const prompt = believed(usage?.promptTokens, promptChars);
      const output = believed(usage?.completionTokens, content.length + (reasoning?.length ?? 0));
      spent.rounds++;
      spent.promptTokens += prompt;
      spent.completionTokens += output;
      if (spent.usd !== undefined) spent.usd = Math.round((spent.usd + cost(prompt, output)) * 1e9) / 1e9;
    },
    miss: () => {
      spent.rounds++;
    },
  };
};
