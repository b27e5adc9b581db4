/** Which of the expected names and of the candidates stand in an answer. */
import type { AnswerSpec } from '../artifacts/check.js';
import { expectedItems } from './answer-spec.js';
import { byClaim, type Mention, plain, type Sought, same, scan, seek, tidy } from './answer-text.js';

/** Accents are no difference, unless a candidate differs from the right value by nothing else. */
const accentBlind = (expected: readonly string[], candidates: readonly string[], exact: boolean): boolean =>
  !expected.some((name) => candidates.some((other) => same(plain(name), plain(other), exact)));

export interface Names {
  right: Mention[];
  wrong: Mention[];
  /** Expected names that are not in the text. */
  missing: string[];
  /** The text the spans refer to. */
  text: string;
}

interface Prepared {
  expected: string[];
  /** Expected names in the form they are looked for. */
  strict: Map<string, string>;
  sought: Sought[];
  fold: (text: string) => string;
}

const prepare = (spec: AnswerSpec, exact: boolean): Prepared => {
  const expected = expectedItems(spec).map(String);
  const candidates = spec.distractors.map(String).filter((other) => !expected.some((name) => same(name, other, exact)));
  const fold = accentBlind(expected, candidates, exact) ? plain : (name: string) => name;
  const strict = new Map(expected.map((name) => [name, fold(tidy(name))]));
  const right = new Set(strict.values());
  const wrong = new Set(candidates.map((name) => fold(tidy(name))));
  const sought = [
    ...[...right].map((name) => seek(name, { exact, borders: 'strict' })),
    ...[...wrong].map((name) => seek(name, { exact, borders: 'loose' })),
  ].sort(byClaim);
  return { expected, strict, sought, fold };
};

// A specification is judged many times over (every mutant, every rollout), and is frozen data.
const known = { exact: new WeakMap<AnswerSpec, Prepared>(), words: new WeakMap<AnswerSpec, Prepared>() };

const preparedOf = (spec: AnswerSpec, exact: boolean): Prepared => {
  const cache = exact ? known.exact : known.words;
  const found = cache.get(spec) ?? prepare(spec, exact);
  cache.set(spec, found);
  return found;
};

/** Finds the expected names and the candidates (distractors that mean something else) in a tidied text. */
export const findNames = (spec: AnswerSpec, text: string, exact: boolean): Names => {
  const { expected, strict, sought, fold } = preparedOf(spec, exact);
  const seen = fold(text);
  const right = new Set(strict.values());
  const mentions = scan(seen, sought);
  const there = new Set(mentions.map(({ name }) => name));
  return {
    right: mentions.filter((mention) => right.has(mention.name)),
    wrong: mentions.filter((mention) => !right.has(mention.name)),
    missing: expected.filter((name) => !there.has(strict.get(name) ?? '')),
    text: seen,
  };
};
