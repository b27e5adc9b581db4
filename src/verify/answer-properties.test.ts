import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnswerSpec } from '../artifacts/check.js';
import { TreadleError } from '../errors.js';
import { judgeAnswer, LONGEST_ANSWER } from './answer.js';

const spec = (part: Partial<AnswerSpec> & Pick<AnswerSpec, 'kind' | 'expected'>): AnswerSpec => ({
  asks: 'the answer',
  distractors: [],
  ...part,
});

/** One specification of every kind. */
const ANY_KIND: AnswerSpec[] = [
  spec({ kind: 'id', expected: 'INV-10', distractors: ['INV-100', 'INV-11'] }),
  spec({ kind: 'value', expected: 'in_progress', distractors: ['open'] }),
  spec({ kind: 'value', expected: true }),
  spec({ kind: 'value', expected: null, distractors: ['Anna'] }),
  spec({ kind: 'number', expected: 3, distractors: [5] }),
  spec({ kind: 'amount', expected: 128450, currency: 'EUR', distractors: [99900] }),
  spec({ kind: 'date', expected: '2024-03-05', distractors: ['2024-05-03'] }),
  spec({ kind: 'list', expected: ['INV-1', 'INV-2'], distractors: ['INV-3'] }),
  spec({ kind: 'list', expected: [3, 13], distractors: [5] }),
  spec({ kind: 'text', expected: ['refund', '30 days'], distractors: ['approved'] }),
];

describe('any answer', () => {
  it('is refused when it takes itself back', () => {
    expect(judgeAnswer(spec({ kind: 'id', expected: 'INV-10' }), 'INV-10. Sorry, that is wrong.').pass).toBe(false);
  });

  it('is refused over the length of an answer, without reading it', () => {
    const long = 'INV-10 '.repeat(150_000);
    for (const specification of ANY_KIND) expect(judgeAnswer(specification, long).pass).toBe(false);
    expect(judgeAnswer(spec({ kind: 'id', expected: 'INV-10' }), 'INV-10'.padEnd(LONGEST_ANSWER, ' ')).pass).toBe(true);
  });

  it('never throws, whatever the text, and gives one line of evidence', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ANY_KIND),
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string({ unit: 'grapheme' }),
          fc.stringMatching(/^[-0-9.,/: €$EURorINV]{0,60}$/),
        ),
        (specification, text) => {
          const { evidence } = judgeAnswer(specification, text);
          expect(evidence).not.toContain('\n');
          expect(evidence.length).toBeLessThanOrEqual(240);
        },
      ),
      { numRuns: 600 },
    );
  });

  it('stays fast on texts made to upset regular expressions', () => {
    const nasty = [
      '1,'.repeat(5000),
      '-'.repeat(9999),
      'a-'.repeat(4999),
      '1 '.repeat(4999),
      '1.'.repeat(4999),
      'a@'.repeat(4999),
      '0'.repeat(9999),
      'or '.repeat(3333),
      '2024-'.repeat(2000),
      'a1'.repeat(4999),
      '_a'.repeat(4999),
    ];
    for (const specification of ANY_KIND)
      for (const text of nasty) expect(judgeAnswer(specification, text)).toHaveProperty('pass');
  });
});

describe('properties', () => {
  const id = fc
    .tuple(fc.constantFrom('INV-', 'cus_', 'PO/', ''), fc.integer({ min: 1000, max: 999_999 }))
    .map(([prefix, n]) => `${prefix}${n}`);

  it('the shotgun answer never passes', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(id, { minLength: 2, maxLength: 12 }),
        fc.constantFrom(', ', '\n', ' / ', ' or ', ' ', '; ', '|'),
        (ids, joint) => {
          const [expected, ...distractors] = ids as [string, ...string[]];
          expect(judgeAnswer(spec({ kind: 'id', expected, distractors }), ids.join(joint)).pass).toBe(false);
          expect(judgeAnswer(spec({ kind: 'list', expected: [expected], distractors }), ids.join(joint)).pass).toBe(
            false,
          );
          expect(judgeAnswer(spec({ kind: 'id', expected, distractors }), distractors.join(joint)).pass).toBe(false);
        },
      ),
    );
  });

  it('the right id in a sentence passes, beside any distractors of the specification', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(id, { minLength: 1, maxLength: 8 }),
        fc.constantFrom('%', 'The id is %.', 'It is "%", as requested', '**%**'),
        (ids, frame) => {
          const [expected, ...distractors] = ids as [string, ...string[]];
          expect(
            judgeAnswer(
              spec({ kind: 'id', expected, distractors }),
              frame.replace('%', () => expected),
            ),
          ).toMatchObject({ pass: true });
        },
      ),
    );
  });

  it('an amount passes in every spelling and only where it is the same amount', () => {
    const styles: ((minor: number) => string)[] = [
      (minor) => `${(minor / 100).toFixed(2)} EUR`,
      (minor) => `€${new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 }).format(minor / 100)}`,
      (minor) => `${new Intl.NumberFormat('de-DE', { minimumFractionDigits: 2 }).format(minor / 100)} €`,
      (minor) => `${new Intl.NumberFormat('fr-FR', { minimumFractionDigits: 2 }).format(minor / 100)} €`,
      (minor) => `EUR ${new Intl.NumberFormat('de-CH', { minimumFractionDigits: 2 }).format(minor / 100)}`,
    ];
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 999_999_999 }),
        fc.integer({ min: 1, max: 999_999_999 }),
        fc.constantFrom(...styles),
        (minor, other, style) => {
          const specification = spec({ kind: 'amount', expected: minor, currency: 'EUR' });
          expect(judgeAnswer(specification, `The total is ${style(minor)}.`)).toMatchObject({ pass: true });
          expect(judgeAnswer(specification, style(other)).pass).toBe(minor === other);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('a number passes only where it is the same number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), fc.integer({ min: 0, max: 1_000_000 }), (n, other) => {
        const specification = spec({ kind: 'number', expected: n });
        expect(judgeAnswer(specification, `There are ${n.toLocaleString('en-US')} of them.`).pass).toBe(true);
        expect(judgeAnswer(specification, String(other)).pass).toBe(n === other);
      }),
    );
  });

  it('a date passes only where it is the same day', () => {
    const day = fc.integer({ min: 0, max: 30_000 }).map((n) => n * 86_400);
    fc.assert(
      fc.property(day, day, (expected, other) => {
        const iso = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);
        expect(judgeAnswer(spec({ kind: 'date', expected: iso(expected) }), `on ${iso(expected)}`).pass).toBe(true);
        expect(judgeAnswer(spec({ kind: 'date', expected }), iso(other)).pass).toBe(expected === other);
      }),
    );
  });
});

it('a specification that cannot be judged is a verifier fault', () => {
  const bad: AnswerSpec[] = [
    spec({ kind: 'number', expected: 'many' }),
    spec({ kind: 'date', expected: 'soon' }),
    spec({ kind: 'amount', expected: null }),
    spec({ kind: 'id', expected: '' }),
  ];
  for (const specification of bad) {
    try {
      judgeAnswer(specification, 'x');
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(TreadleError);
      expect(error).toMatchObject({ code: 'bad_answer_spec', fault: 'verifier' });
    }
  }
});
