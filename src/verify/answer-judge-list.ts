/** Judges answers that are a set of names, ids or numbers: exactly those, in any order. */
import type { AnswerSpec } from '../artifacts/check.js';
import type { Judgement } from './answer.js';
import { objection } from './answer-claims.js';
import { judgeNothing } from './answer-judge-truth.js';
import { findNames } from './answer-names.js';
import { numbersIn } from './answer-number.js';
import { shapedLike } from './answer-shape.js';
import { expectedItems, numericDistractors } from './answer-spec.js';
import { type Span, tidy } from './answer-text.js';

const fail = (evidence: string): Judgement => ({ pass: false, evidence });
const few = (items: readonly (string | number)[]): string =>
  `${items.slice(0, 3).join(', ')}${items.length > 3 ? ` and ${items.length - 3} more` : ''}`;

const judgeNumbers = (spec: AnswerSpec, expected: number[], text: string): Judgement => {
  const asked = new Set(numbersIn(tidy(spec.asks)).map(({ value }) => value));
  const candidates = new Set(numericDistractors(spec));
  const told = numbersIn(text).filter(
    ({ value }) => expected.includes(value) || candidates.has(value) || !asked.has(value),
  );
  const extra = told.filter(({ value }) => !expected.includes(value)).map(({ value }) => value);
  if (extra.length > 0) return fail(`names ${few(extra)} too much`);
  const missing = expected.filter((value) => !told.some((number) => number.value === value));
  if (missing.length > 0) return fail(`lacks ${few(missing)}`);
  const objected = objection(text, told, true);
  return objected ? fail(objected) : { pass: true, evidence: `exactly the ${expected.length} expected` };
};

const BULLET = /^\s*(?:[-+•]|\d{1,4}[.)])\s+(.*\S)/;
const isNameLike = (piece: string): boolean => {
  const words = piece.split(/\s+/);
  return piece !== '' && words.length <= 5 && words.every((word) => /^["'(]?[\p{Lu}\p{N}]/u.test(word));
};

/** Items that stand in the list's own form (a bullet, a piece between commas) and are none of the expected. */
const strangers = (text: string, right: readonly Span[]): string[] => {
  const out: string[] = [];
  let at = 0;
  for (const line of text.split('\n')) {
    const [start, end] = [at, at + line.length];
    at = end + 1;
    const here = right.filter((span) => span.start >= start && span.end <= end);
    const bullet = BULLET.exec(line)?.[1];
    if (bullet !== undefined && here.length === 0) out.push(bullet);
    if (here.length === 0) continue;
    let from = start;
    for (const piece of line.split(/(,\s|;|\s&\s|\band\b|\]|\[)/)) {
      const [left, until] = [from, from + piece.length];
      from = until;
      const isMine = here.some((span) => span.start < until && left < span.end);
      const name = piece.trim().replace(/^["'(]+|["').!]+$/g, '');
      if (!isMine && isNameLike(name)) out.push(name);
    }
  }
  return out;
};

/** Exactly the expected set: all of them, no candidate, nothing else that stands as an item or looks like one of their ids. */
export const judgeList = (spec: AnswerSpec, text: string): Judgement => {
  const expected = expectedItems(spec);
  if (expected.length === 0) return judgeNothing(spec, text);
  if (expected.every((item) => typeof item === 'number')) {
    const spelled = judgeNumbers(spec, expected, text);
    // `3,13` is a decimal to one reader and a list to another; here a list was asked for.
    return spelled.pass ? spelled : judgeNumbers(spec, expected, text.replace(/(\d),(?=\d)/g, '$1, '));
  }
  const found = findNames(spec, text, true);
  if (found.wrong.length > 0) return fail(`names ${few(found.wrong.map(({ name }) => name))} too much`);
  if (found.missing.length > 0) return fail(`lacks ${few(found.missing)}`);
  const strange = [...shapedLike(found.text, expected.map(String), found.right), ...strangers(found.text, found.right)];
  const extra = strange.filter((item) => !tidy(spec.asks).toLowerCase().includes(item.toLowerCase()));
  if (extra.length > 0) return fail(`names ${few(extra)} too much`);
  const objected = objection(found.text, found.right, true);
  return objected ? fail(objected) : { pass: true, evidence: `exactly the ${expected.length} expected` };
};
