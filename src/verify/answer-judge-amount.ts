/** Judges answers that are one amount of money. */
import type { AnswerSpec } from '../artifacts/check.js';
import type { Judgement } from './answer.js';
import { amountsIn, type FoundAmount } from './answer-amount.js';
import { objection } from './answer-claims.js';
import { expectedNumber } from './answer-spec.js';
import { tidy } from './answer-text.js';

const fail = (evidence: string): Judgement => ({ pass: false, evidence });

/** Distractors are minor units where they are numbers, else amounts as written. */
const candidatesOf = (spec: AnswerSpec): number[] =>
  spec.distractors.flatMap((value) =>
    typeof value === 'number'
      ? [value]
      : amountsIn(tidy(value), spec.currency).flatMap(({ minor }) => (minor === undefined ? [] : [minor])),
  );

/** Exactly one amount is told, it is the right one, and a currency beside it is the right currency. */
export const judgeAmount = (spec: AnswerSpec, text: string): Judgement => {
  const expected = expectedNumber(spec);
  const found = amountsIn(text, spec.currency);
  const told = (amount: FoundAmount): string =>
    text.slice(Math.max(0, amount.start - 4), Math.min(text.length, amount.end + 4)).trim();
  const candidates = candidatesOf(spec).filter((value) => value !== expected);
  const candidate = found.find(({ minor, counts }) => minor !== undefined && !counts && candidates.includes(minor));
  if (candidate) return fail(`names another candidate: "${told(candidate)}"`);
  const asked = amountsIn(tidy(spec.asks), spec.currency).map(({ minor }) => minor);
  const right = found.filter((amount) => amount.minor === expected && !amount.counts);
  const others = found.filter((amount) => amount.minor !== expected && !amount.counts && !asked.includes(amount.minor));
  const [other] = others;
  if (right.length === 0)
    return fail(
      other ? `"${told(other)}" is not the amount (${expected} minor units wanted)` : 'no amount in the answer',
    );
  if (other) return fail(`names "${told(other)}" besides the amount`);
  const { currency } = spec;
  const foreign =
    currency === undefined
      ? undefined
      : right.find(({ currencies }) => currencies.length > 0 && !currencies.includes(currency));
  if (foreign) return fail(`"${told(foreign)}" is not in ${currency}`);
  const objected = objection(text, right);
  return objected ? fail(objected) : { pass: true, evidence: `found "${told(right[0] as FoundAmount)}"` };
};
