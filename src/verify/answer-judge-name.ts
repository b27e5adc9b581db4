/** Judges answers that are a name, a word, an id, or a text with required facts. */
import type { AnswerSpec } from '../artifacts/check.js';
import type { Judgement } from './answer.js';
import { objection } from './answer-claims.js';
import { findNames } from './answer-names.js';
import { shapedLike } from './answer-shape.js';
import { expectedItems } from './answer-spec.js';
import { tidy } from './answer-text.js';

const fail = (evidence: string): Judgement => ({ pass: false, evidence });
const quote = (text: string): string => `"${text.length > 60 ? `${text.slice(0, 57)}...` : text}"`;

/** Whether the question itself holds the word. */
const isAsked = (spec: AnswerSpec, word: string): boolean => tidy(spec.asks).toLowerCase().includes(word.toLowerCase());

/** One name or id: it is there, not denied, and no other candidate is. Nothing else of an id's shape either. */
export const judgeName = (spec: AnswerSpec, text: string, exact: boolean): Judgement => {
  const [expected = ''] = expectedItems(spec).map(String);
  const found = findNames(spec, text, exact);
  const [wrong] = found.wrong;
  if (wrong) return fail(`names another candidate: ${quote(wrong.name)}`);
  if (found.missing.length > 0) return fail(`${quote(expected)} is not in the answer`);
  const objected = objection(found.text, found.right);
  if (objected) return fail(objected);
  const strange = shapedLike(found.text, [expected], found.right, !exact).find((id) => !isAsked(spec, id));
  if (strange) return fail(`names ${quote(strange)} besides ${quote(expected)}`);
  return { pass: true, evidence: `found ${quote(expected)}` };
};

/** Every required fact is there and none is denied. */
export const judgeFacts = (spec: AnswerSpec, text: string): Judgement => {
  const found = findNames(spec, text, false);
  const [wrong] = found.wrong;
  if (wrong) return fail(`names ${quote(wrong.name)}`);
  if (found.missing.length > 0) return fail(`lacks ${found.missing.slice(0, 3).map(quote).join(', ')}`);
  const objected = objection(found.text, found.right, true);
  if (objected) return fail(objected);
  return { pass: true, evidence: `holds ${expectedItems(spec).length} required facts` };
};
