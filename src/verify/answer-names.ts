/** Which of the expected names and of the candidates stand in an answer. */
import type { AnswerSpec } from '../artifacts/check.js';
import { expectedItems } from './answer-spec.js';
import { type Mention, plain, same, scan, tidy } from './answer-text.js';

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

/** Finds the expected names and the candidates (distractors that mean something else) in a tidied text. */
export const findNames = (spec: AnswerSpec, text: string, exact: boolean): Names => {
  const expected = expectedItems(spec).map(String);
  const candidates = spec.distractors.map(String).filter((other) => !expected.some((name) => same(name, other, exact)));
  const fold = accentBlind(expected, candidates, exact) ? plain : (name: string) => name;
  const strict = new Set(expected.map((name) => fold(tidy(name))));
  const seen = fold(text);
  const mentions = scan(seen, [...strict, ...candidates.map((name) => fold(tidy(name)))], strict, exact);
  const right = mentions.filter((mention) => strict.has(mention.name));
  return {
    right,
    wrong: mentions.filter((mention) => !strict.has(mention.name)),
    missing: expected.filter((name) => !right.some((mention) => mention.name === fold(tidy(name)))),
    text: seen,
  };
};
