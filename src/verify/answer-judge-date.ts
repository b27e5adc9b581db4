/** Judges answers that are one date. */
import type { AnswerSpec } from '../artifacts/check.js';
import type { Judgement } from './answer.js';
import { objection } from './answer-claims.js';
import { datesIn, expectedDate, type FoundDate } from './answer-date.js';
import { badDate } from './answer-spec.js';
import { tidy } from './answer-text.js';

const fail = (evidence: string): Judgement => ({ pass: false, evidence });

/** Unix seconds or milliseconds, as some services write dates. */
const unixIn = (text: string): FoundDate[] =>
  [...text.matchAll(/(?<![\w.,-])(\d{10})(\d{3})?(?![\w]|[.,]\d)/g)].map((match) => {
    const instant = Number(match[1]);
    return { start: match.index, end: match.index + match[0].length, day: instant - (instant % 86_400), instant };
  });

/** Exactly one day is told, in a form that means one day only, and it is the right one. */
export const judgeDate = (spec: AnswerSpec, text: string): Judgement => {
  const item = Array.isArray(spec.expected) ? spec.expected[0] : spec.expected;
  if (typeof item !== 'string' && typeof item !== 'number') throw badDate(spec);
  const expected = expectedDate(item);
  if (expected === undefined) throw badDate(spec);
  const found = [...datesIn(text), ...unixIn(text)];
  const told = (date: FoundDate): string => text.slice(date.start, date.end);
  const isRight = (date: FoundDate): boolean =>
    date.day === expected.day &&
    (expected.instant === undefined || date.instant === undefined || date.instant === expected.instant);
  const asked = datesIn(tidy(spec.asks)).map((date) => date.day);
  const candidates = spec.distractors
    .map((value) => expectedDate(value)?.day)
    .filter((day) => day !== undefined && day !== expected.day);
  const candidate = found.find(
    (date) => candidates.includes(date.day) || date.either?.some((day) => candidates.includes(day)),
  );
  if (candidate) return fail(`names another candidate: "${told(candidate)}"`);
  const right = found.filter(isRight);
  const other = found.find((date) => !isRight(date) && !(date.day !== undefined && asked.includes(date.day)));
  if (other?.either) return fail(`"${told(other)}" can mean two days`);
  if (right.length === 0) return fail(other ? `"${told(other)}" is not the date` : 'no date in the answer');
  if (other) return fail(`names "${told(other)}" besides the date`);
  const objected = objection(text, right);
  return objected ? fail(objected) : { pass: true, evidence: `found "${told(right[0] as FoundDate)}"` };
};
