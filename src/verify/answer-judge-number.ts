/** Judges answers that are one number. */
import type { AnswerSpec } from '../artifacts/check.js';
import type { Judgement } from './answer.js';
import { amountsIn } from './answer-amount.js';
import { objection } from './answer-claims.js';
import { type FoundNumber, numbersIn, wordNumbersIn } from './answer-number.js';
import { expectedNumber, numericDistractors } from './answer-spec.js';
import { tidy } from './answer-text.js';

const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
const decimalsOf = (digits: string): number => /[.,](\d+)$/.exec(digits)?.[1]?.length ?? 0;

/** Equal by value; a percentage may be given as a share; a long fraction may be rounded to two or more decimals. */
const says = (found: FoundNumber, expected: number): boolean => {
  if (near(found.value, expected) || (found.percent && near(found.value / 100, expected))) return true;
  const places = decimalsOf(found.digits);
  return (
    places >= 2 &&
    !near(Number(expected.toFixed(places)), expected) &&
    near(found.value, Number(expected.toFixed(places)))
  );
};

const fail = (evidence: string): Judgement => ({ pass: false, evidence });

/** Exactly one number is told (it may be said twice), and it is the right one. Numbers of the question may be repeated. */
export const judgeNumber = (spec: AnswerSpec, text: string): Judgement => {
  const expected = expectedNumber(spec);
  const candidates = numericDistractors(spec).filter((value) => !near(value, expected));
  const asked = numbersIn(tidy(spec.asks)).map((number) => number.value);
  // Money beside a count is context; it still may be the value asked for.
  const numbers = amountsIn(text, undefined).map((number) => ({
    ...number,
    aside: number.aside || number.currencies.length > 0,
  }));
  const words = wordNumbersIn(text).filter((word) => word.value !== 1);
  const candidate = [...numbers.filter((number) => !says(number, expected)), ...words].find(({ value }) =>
    candidates.some((other) => near(value, other)),
  );
  if (candidate) return fail(`names another candidate: ${candidate.value}`);
  const right = numbers.filter((number) => says(number, expected));
  const others = numbers.filter(
    (number) => !says(number, expected) && !number.aside && !asked.some((value) => near(value, number.value)),
  );
  const [other] = others;
  if (right.length === 0 && !other) return inWords(expected, text);
  if (right.length === 0) return fail(`${expected} is not in the answer, ${other?.value} is`);
  if (other) return fail(`says ${other.value} besides ${expected}`);
  const objected = objection(text, right);
  return objected ? fail(objected) : { pass: true, evidence: `found ${expected}` };
};

const inWords = (expected: number, text: string): Judgement => {
  const words = wordNumbersIn(text);
  const firm = words.some((word) => word.value !== 1) ? words.filter((word) => word.value !== 1) : words;
  if (firm.length === 0 && expected === 0 && /\bthere (?:are|were|is|was) no(?:t any)?\b/i.test(text))
    return { pass: true, evidence: 'says there are none' };
  const [first] = firm;
  if (!first) return fail(`no number in the answer, ${expected} wanted`);
  const other = firm.find((word) => word.value !== expected);
  if (other) return fail(`says ${other.value}, ${expected} wanted`);
  const objected = objection(text, firm);
  return objected ? fail(objected) : { pass: true, evidence: `found ${expected} in words` };
};
