/** What a specification expects, in the form that each kind of judge needs. */
import type { AnswerSpec } from '../artifacts/check.js';
import { TreadleError } from '../errors.js';

const bad = (spec: AnswerSpec, message: string): TreadleError =>
  new TreadleError({
    code: 'bad_answer_spec',
    message,
    value: spec.expected,
    next: 'Mend the task: its answer specification cannot be judged.',
    fault: 'verifier',
  });

/** The expected items; a single value is a list of one. Throws `bad_answer_spec` for an empty or absent name. */
export const expectedItems = (spec: AnswerSpec): (string | number)[] => {
  const items = Array.isArray(spec.expected) ? spec.expected : [spec.expected];
  return items.map((item) => {
    if (item === null || typeof item === 'boolean' || String(item).trim() === '')
      throw bad(spec, `A ${spec.kind} answer expects a word or a number`);
    return item;
  });
};

/** The expected number. Throws `bad_answer_spec` when it is none. */
export const expectedNumber = (spec: AnswerSpec): number => {
  const [item] = Array.isArray(spec.expected) ? spec.expected : [spec.expected];
  const value = typeof item === 'string' && item.trim() !== '' ? Number(item) : item;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw bad(spec, `A ${spec.kind} answer expects a number`);
  return value;
};

export const badDate = (spec: AnswerSpec): TreadleError =>
  bad(spec, 'A date answer expects an ISO date or unix seconds');

/** The distractors that are numbers, or read as one. */
export const numericDistractors = (spec: AnswerSpec): number[] =>
  spec.distractors
    .map((value) => (typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value)))
    .filter(Number.isFinite);
