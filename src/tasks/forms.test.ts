/** Answers in other forms: all of them right, none of another value. */
import { describe, expect, it } from 'vitest';
import type { AnswerSpec } from '../artifacts/check.js';
import { judgeAnswer } from '../verify/answer.js';
import { formsOf } from './forms.js';

const SPECS: [AnswerSpec, string][] = [
  [
    { kind: 'amount', asks: 'the amount of invoice INV-7', expected: 128450, currency: 'EUR', distractors: [99900] },
    'EUR 1,284.50',
  ],
  [
    { kind: 'amount', asks: 'the amount of invoice INV-7', expected: 194840, currency: 'JPY', distractors: [70660] },
    'JPY 194,840',
  ],
  [
    { kind: 'date', asks: 'the due date of invoice INV-7', expected: '2024-03-05', distractors: ['2024-03-06'] },
    '5 March 2024',
  ],
  [{ kind: 'number', asks: 'the number of seats of room 2.1', expected: 12, distractors: [14] }, '12'],
  [
    {
      kind: 'value',
      asks: 'the full name of the handler of dispute DP-1',
      expected: 'Ana Moreira',
      distractors: ['Rui Neves'],
    },
    'Ana Moreira',
  ],
];

describe('formsOf', () => {
  it.each(SPECS)('%j', (spec, given) => {
    const forms = formsOf(spec, given);
    expect(new Set(forms).size).toBeGreaterThanOrEqual(5);
    for (const form of forms) expect(judgeAnswer(spec, form), form).toMatchObject({ pass: true });
  });
  it('writes amounts as their country does', () => {
    const [spec, given] = SPECS[0] as [AnswerSpec, string];
    for (const form of ['1284.5', '1284.50 EUR', '1,284.50', '1.284,50 €'])
      expect(formsOf(spec, given)).toContain(form);
  });
});
