/** Patterns of a document: tested without hanging on those that backtrack without end, and met where they can be. */
import type { Rng } from '../../../kit/rng.js';
import { stringOf } from '../../../world/seed/pattern.js';
import { regexOf } from './flat.js';

/** A repeated group with a repetition inside may take time exponential in the text's length. */
const RISKY = /\((?:[^()\\]|\\.)*[+*}](?:[^()\\]|\\.)*\)[+*{]|\)[+*]\)|\\[1-9]/;
const SAFE_LENGTH = 24;
const MOST_REPEATED = 5_000;
const MOST_CHARACTERS = 2_000;

/** How many characters its counted repetitions ask for at least, were all nested. */
const repeated = (pattern: string): number => {
  let product = 1;
  for (const [, count = '1'] of pattern.matchAll(/\{(\d+)/g)) product *= Math.max(1, Number(count));
  return product;
};

export interface Pattern {
  has(text: string): boolean;
  make(r: Rng, low: number, high: number): string | undefined;
}

export const patternOf = (pattern: string): Pattern => {
  const regex = regexOf(pattern);
  const risky = RISKY.test(pattern);
  const makeable =
    pattern.length <= MOST_CHARACTERS && repeated(pattern) <= MOST_REPEATED && !(risky && pattern.length > 200);
  return {
    has: (text) => regex === undefined || (risky && text.length > SAFE_LENGTH ? false : regex.test(text)),
    make: (r, low, high) => (makeable ? stringOf(pattern, r, low, high) : undefined),
  };
};
