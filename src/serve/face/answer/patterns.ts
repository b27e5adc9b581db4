/** Patterns of a document: tested without hanging on those that backtrack without end, and met where they can be. */
import { type Context, createContext, Script } from 'node:vm';
import type { Rng } from '../../../kit/rng.js';
import { stringOf } from '../../../world/seed/pattern.js';
import { regexOf } from './flat.js';

/** A repeated group with a repetition inside may take time exponential in the text's length. */
const RISKY = /\((?:[^()\\]|\\.)*(?:[+*]|\{\d+,\d*\})(?:[^()\\]|\\.)*\)(?:[+*]|\{\d+,)|\)[+*]\)|\\[1-9]/;
const SAFE_LENGTH = 24;
const MOST_REPEATED = 5_000;
const MOST_CHARACTERS = 2_000;
const MOST_KEPT = 2_000;
/** Long enough that a busy machine does not give up what is quick: an answer must not hang on the machine. */
const PATIENCE_MS = 200;
const MOST_GIVEN_UP = 2;

let room: { context: Context; script: Script } | undefined;
const tested = new Map<string, boolean>();
const givenUp = new Map<string, number>();

/** A test that is given up, as a no, when it takes long; what it found is kept. */
const patient = (regex: RegExp, text: string): boolean => {
  const key = `${regex.flags}/${regex.source}/${text}`;
  const known = tested.get(key);
  if (known !== undefined) return known;
  const failures = givenUp.get(regex.source) ?? 0;
  if (failures >= MOST_GIVEN_UP) return false;
  room ??= { context: createContext({}), script: new Script('regex.test(text)') };
  Object.assign(room.context, { regex, text });
  let found = false;
  try {
    found = room.script.runInContext(room.context, { timeout: PATIENCE_MS }) === true;
  } catch {
    if (givenUp.size > MOST_KEPT) givenUp.clear();
    givenUp.set(regex.source, failures + 1);
  }
  if (tested.size > MOST_KEPT) tested.clear();
  tested.set(key, found);
  return found;
};

/** How many characters its counted repetitions ask for at least, or nearly. */
const leastLength = (pattern: string): number => {
  const open = [0];
  let last = 0;
  const add = (size: number): void => {
    open[open.length - 1] = (open.at(-1) ?? 0) + last;
    last = size;
  };
  for (const [part] of pattern.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|[\s\S]/g)) {
    if (part === '(') {
      add(0);
      open.push(0);
    } else if (part === ')') {
      add(0);
      last = (open.length > 1 ? open.pop() : 0) ?? 0;
    } else if (/^\{\d/.test(part)) last *= Number(/\d+/.exec(part)?.[0]);
    else if (!/^[*+?|^$]$/.test(part)) add(1);
  }
  add(0);
  return open.reduce((sum, size) => sum + size, 0);
};

/** Longer by more of one of its own letters, where the pattern goes on with them. */
const stretched = (text: string, low: number, high: number, has: (text: string) => boolean): string | undefined => {
  const missing = low - text.length;
  if (missing <= 0 || missing > MOST_REPEATED) return undefined;
  for (let at = text.length - 1; at >= 0 && at > text.length - 40; at--) {
    const longer = text.slice(0, at) + (text[at] as string).repeat(missing) + text.slice(at);
    if (longer.length <= high && has(longer)) return longer;
  }
  return undefined;
};

export interface Pattern {
  has(text: string): boolean;
  make(r: Rng, low: number, high: number): string | undefined;
}

export const patternOf = (pattern: string): Pattern => {
  const regex = regexOf(pattern);
  const risky = RISKY.test(pattern);
  const makeable = pattern.length <= MOST_CHARACTERS && leastLength(pattern) <= MOST_REPEATED;
  const has = (text: string): boolean =>
    regex === undefined || (risky && text.length > SAFE_LENGTH ? patient(regex, text) : regex.test(text));
  return {
    has,
    make: (r, low, high) => {
      if (!makeable) return undefined;
      const made = stringOf(pattern, r, low, high);
      if (made !== undefined) return made;
      const other = stringOf(pattern, r);
      if (other === undefined) return undefined;
      const cut = other.slice(0, high);
      return cut.length >= low && has(cut) ? cut : stretched(other, low, high, has);
    },
  };
};
