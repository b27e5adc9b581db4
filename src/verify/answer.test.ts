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

/** [specification, answers that pass, answers that fail] */
const CASES: Record<string, [AnswerSpec, string[], string[]]> = {
  'an id': [
    spec({ kind: 'id', expected: 'INV-10', distractors: ['INV-100', 'INV-11'] }),
    [
      'INV-10',
      'inv-10',
      'The invoice is INV-10.',
      '**INV-10**',
      '`INV-10`',
      '(INV-10)',
      '"INV‑10"',
      'INV-10, as asked: INV-10',
      'ＩＮＶ-10',
      '发票INV-10已付',
    ],
    [
      '',
      '   ',
      'INV-100',
      'INV-1',
      'INV-10-2',
      'XINV-10',
      'INV-10 INV-11',
      'INV-10/INV-11',
      'INV-10, INV-100',
      'INV-10 and INV-12',
      'It is not INV-10',
      'INV-10 is wrong',
      'INV-10 or something',
      'INV 10.5',
      'INV-10.',
      'INV-11',
    ].filter((answer) => answer !== 'INV-10.'),
  ],
  'an id whose letters have case': [
    spec({ kind: 'id', expected: 'cus_9aBx31', distractors: ['cus_9abX31'] }),
    ['cus_9aBx31'],
    ['cus_9ABX31', 'cus_9abX31', 'CUS_9ABX31', 'cus_9aBx31 cus_8aBx31'],
  ],
  'an id named beside the one of the question': [
    spec({ kind: 'id', expected: 'INV-10', asks: 'the invoice before INV-11' }),
    ['INV-10 comes before INV-11'],
    ['INV-10 comes before INV-12'],
  ],
  'a number id': [
    spec({ kind: 'id', expected: 48213, distractors: [48214] }),
    ['48213', 'Order 48213.'],
    ['48214', '148213', '482130', '48213.5', '48213 48214', '48213, 55555'],
  ],
  'names that differ in their blanks': [
    spec({ kind: 'value', expected: 'A-12', distractors: ['A1-2'] }),
    ['A-12', 'A 12'],
    ['A1-2', 'A-12, A1-2'],
  ],
  'a number of a document': [
    spec({ kind: 'value', expected: 'PO-2024-0012', distractors: ['PO-2024-0013'] }),
    ['PO-2024-0012', 'It is PO-2024-0012 of 5 March 2024'],
    ['PO-2024-0012 and PO-2024-0099', 'PO-2024-001', 'PO-2024-0013'],
  ],
  'a word': [
    spec({ kind: 'value', expected: 'in_progress', distractors: ['open', 'closed', 'on_hold'] }),
    ['in_progress', 'In progress', 'The status is "In-Progress".', 'inProgress', 'IN PROGRESS'],
    [
      'open',
      'in_progress, open',
      'in progress (was on hold)',
      'not in progress',
      'in progress or done',
      'progress',
      'reopened',
    ],
  ],
  'a name that begins another': [
    spec({ kind: 'value', expected: 'Acme', distractors: ['Acme Holding', 'Beta'] }),
    ['Acme', 'It is Acme.', "Acme's"],
    ['Acme Holding', 'Acme-Holding', 'Acmecorp', 'Acme and Acme Holding', 'acme.example'],
  ],
  'a name that holds another': [
    spec({ kind: 'value', expected: 'Acme Holding', distractors: ['Acme'] }),
    ['Acme Holding', 'acme holding'],
    ['Acme', 'Acme Holding, not Acme'],
  ],
  'a name with an accent': [
    spec({ kind: 'value', expected: 'Jörg Müller', distractors: ['Jörg Miller'] }),
    ['Jörg Müller', 'Jorg Muller', 'Jo\u0308rg Mu\u0308ller'],
    ['Jörg Miller', 'Jörg'],
  ],
  'accents that tell apart': [
    spec({ kind: 'value', expected: 'Muller', distractors: ['Müller'] }),
    ['Muller'],
    ['Müller'],
  ],
  'punctuation in a name': [
    spec({ kind: 'value', expected: "O'Brien & Sons, Inc." }),
    ["O'Brien & Sons, Inc.", 'O’Brien & Sons, Inc'],
    ["O'Brien"],
  ],
  'a hyphenated name': [spec({ kind: 'value', expected: 'Smith' }), ['Smith'], ['Smith-Jones', 'Blacksmith']],
  'a number': [
    spec({ kind: 'number', expected: 3, distractors: [5, 12] }),
    [
      '3',
      'There are 3.',
      '3.0',
      'three',
      'Three invoices.',
      '3 invoices (INV-10, INV-11 and INV-12)',
      '3 as of 2024-03-05 10:00',
      '3 since 2021',
      '1. Counted.\n2. There are 3.',
    ],
    [
      '13',
      '3.5',
      '-3',
      '30',
      'INV-3',
      '3 or 4',
      '3 of 12',
      '5',
      '3, 5',
      'three or five',
      '2024-03-03',
      '3rd',
      'two',
      'none',
      '3 and then 7',
      'not 3',
      '3k',
      '10.0.0.3',
    ],
  ],
  'a number beside those of the question': [
    spec({ kind: 'number', expected: 3, asks: 'invoices more than 30 days overdue' }),
    ['3 invoices are more than 30 days overdue'],
    ['3 invoices are more than 60 days overdue'],
  ],
  'a large number': [
    spec({ kind: 'number', expected: 1284500 }),
    ['1,284,500', '1284500', '1 284 500', "1'284'500", '1.284.500', '1.284.500,00', '12,84,500', '1,284,500.00'],
    ['1,284', '1284.500', '1284,5', '128450'],
  ],
  'a fraction': [
    spec({ kind: 'number', expected: 12.5 }),
    ['12.5', '12,5', '12.50', '12.5 kg'],
    ['12', '5', '125', '12.55'],
  ],
  'a long fraction': [spec({ kind: 'number', expected: 10 / 3 }), ['3.33', '3.3333'], ['3.3', '3', '3.34']],
  'a share': [spec({ kind: 'number', expected: 0.12 }), ['12%', '0.12', '12 percent'], ['12', '1.2%']],
  'a negative number': [spec({ kind: 'number', expected: -4 }), ['-4', 'It is −4.'], ['4', '10-4']],
  zero: [
    spec({ kind: 'number', expected: 0 }),
    ['0', 'zero', 'None.', 'There are no open invoices.'],
    ['1', '10', 'There are no open invoices but 2 drafts'],
  ],
  'a number value': [spec({ kind: 'value', expected: 7 }), ['7'], ['17']],
  'an amount': [
    spec({ kind: 'amount', expected: 128450, currency: 'EUR', distractors: [99900, 128540] }),
    [
      '1,284.50 EUR',
      '€1.284,50',
      'EUR 1284.5',
      '1284.50',
      '1 284,50 €',
      'EUR1284.50',
      '1284.50 euros',
      'The total of INV-10 (5 March 2024, 3 items, 19% VAT) is €1,284.50.',
      "1'284.50 EUR",
      '1284.5000 EUR',
    ],
    [
      '128450',
      '128450 EUR',
      '1,284.50 USD',
      '$1,284.50',
      '1284.05',
      '1284.501 EUR',
      '1284',
      '12,284.50 EUR',
      '-1284.50 EUR',
      'EUR 1,284.50 or 999.00',
      'EUR 1,284.50, EUR 999',
      '1285.40',
      'EUR 1,284.50 and EUR 20.00',
      '1,284.50, 77',
      'not EUR 1,284.50',
      '',
    ],
  ],
  'a whole amount': [
    spec({ kind: 'amount', expected: 128400, currency: 'USD' }),
    ['$1,284', '1284 dollars', '1.284 USD', 'US$1,284.00', '1,284'],
    ['€1,284', '1,284.40', '12.84', '128400', '1284 invoices'],
  ],
  'an amount without minor units': [
    spec({ kind: 'amount', expected: 1284, currency: 'JPY' }),
    ['¥1,284', '1284 JPY', '1284', '1.284 yen'],
    ['12.84', '¥128400', '12.84 JPY'],
  ],
  'an amount with three decimals': [
    spec({ kind: 'amount', expected: 1284500, currency: 'KWD' }),
    ['1284.500 KWD', '1,284.5 KWD', 'KWD 1284.5'],
    ['1,284 KWD', '1284500', '1.284 KWD'],
  ],
  'a negative amount': [
    spec({ kind: 'amount', expected: -500, currency: 'EUR' }),
    ['-5.00 EUR', '-€5', '€-5'],
    ['5.00 EUR', '€5'],
  ],
  'a date': [
    spec({ kind: 'date', expected: '2024-03-05', distractors: ['2024-05-03', '2024-03-15'] }),
    [
      '2024-03-05',
      '5 March 2024',
      'March 5, 2024',
      'Mar 5 2024',
      '05 Mar 2024',
      '5th of March, 2024',
      '05.03.2024',
      '2024/03/05',
      '20240305',
      '2024-03-05T10:00:00Z',
      'It is due on Tuesday, 5 March 2024.',
      '1709596800',
    ],
    [
      '03/05/2024',
      '05/03/2024',
      '5 March',
      '2024-03-15',
      '2024-03-050',
      '2024-3',
      '15 March 2024',
      'March 2024',
      '2024-03-05 or 2024-03-06',
      'between 2024-03-05 and 2024-03-07',
      'not 2024-03-05',
      '2024-05-03',
      '3 May 2024',
      '12024-03-05',
      '25 March 2024',
    ],
  ],
  'a date that slashes cannot hide': [
    spec({ kind: 'date', expected: '2024-03-25' }),
    ['25/03/2024', '03/25/2024', '25-03-2024'],
    ['24/03/2024', '30 February 2024'],
  ],
  'a date as unix seconds': [
    spec({ kind: 'date', expected: 1709596800, asks: 'due date of the invoice of 1 March 2024' }),
    ['5 March 2024', 'The invoice of 1 March 2024 is due on 5 March 2024'],
    ['1 March 2024', '2 March 2024, 5 March 2024'],
  ],
  'a moment': [
    spec({ kind: 'date', expected: '2024-03-05T10:30:00Z' }),
    ['2024-03-05T10:30:00Z', '2024-03-05 10:30', '2024-03-05T12:30:00+02:00', '5 March 2024'],
    ['2024-03-05T10:31:00Z'],
  ],
  'a list': [
    spec({ kind: 'list', expected: ['INV-1', 'INV-2', 'INV-10'], distractors: ['INV-3', 'INV-11'] }),
    [
      'INV-1, INV-2, INV-10',
      'INV-10\nINV-2\nINV-1',
      '- INV-2\n- INV-1\n- INV-10',
      '["INV-1","INV-10","INV-2"]',
      'The invoices are INV-1, INV-2 and INV-10.',
      '1. INV-1\n2. INV-2\n3. INV-10',
      'INV-1, INV-1, INV-2, INV-10',
      'Here they are:\n* INV-1 (paid)\n* INV-2\n* INV-10\nLet me know.',
    ],
    [
      'INV-1, INV-2',
      'INV-1, INV-2, INV-10, INV-3',
      'INV-1, INV-2, INV-100',
      'INV-1 INV-2 INV-10 INV-77',
      'INV-3, INV-11',
      '',
      'none',
      'INV-1, INV-2 but not INV-10',
    ],
  ],
  'a list of names': [
    spec({ kind: 'list', expected: ['Anna Weber', 'Bo Li'], distractors: ['Anna Webering', 'Cy Young'] }),
    ['Anna Weber, Bo Li', 'Bo Li and Anna Weber', '- Anna Weber (Berlin)\n- Bo Li'],
    [
      'Anna Weber',
      'Anna Webering, Bo Li',
      'Anna Weber, Bo Li, Cy Young',
      'Anna Weber, Dee Fox and Bo Li',
      'Anna Weber, Bo Li, Zed',
      '- Anna Weber\n- Bo Li\n- somebody else',
    ],
  ],
  'a list of numbers': [
    spec({ kind: 'list', expected: [3, 13], distractors: [5] }),
    ['3, 13', '13 and 3', '[3,13]', '3,13'],
    ['3', '13', '3, 13, 5', '3, 13, 7', '313', '3.13'],
  ],
  'a list of one': [spec({ kind: 'list', expected: ['INV-1'] }), ['INV-1'], ['INV-1, INV-2', 'INV-10']],
  'an empty list': [
    spec({ kind: 'list', expected: [], distractors: ['INV-1'] }),
    ['None.', '[]', 'There are no such invoices.'],
    ['INV-1', '', 'I looked.', 'none but INV-1'],
  ],
  'a text with facts': [
    spec({ kind: 'text', expected: ['refund', '30 days', 'policy'], distractors: ['approved'] }),
    ['By our policy a refund is only possible within 30 days.', 'POLICY: refund, 30  days'],
    [
      'A refund is possible within 30 days.',
      'policy refund 130 days',
      'approved: refund policy 30 days',
      'policy, not refund, 30 days',
      '',
    ],
  ],
  'one fact': [
    spec({ kind: 'text', expected: 'manager approval' }),
    ['This needs manager approval.'],
    ['This needs approval.'],
  ],
  yes: [
    spec({ kind: 'value', expected: true }),
    ['Yes', 'true', 'Yes, it is paid.', 'Yes, no later than Friday'],
    ['No', 'false', 'yes and no.', 'maybe', '', 'That is not true'],
  ],
  no: [
    spec({ kind: 'value', expected: false }),
    ['No', 'No, it is open.', 'false', 'The answer is no.'],
    ['Yes', 'Nothing', 'yes. no.'],
  ],
  nothing: [
    spec({ kind: 'value', expected: null, distractors: ['Anna'] }),
    ['None', 'It is not set.', 'No one is assigned; it is unassigned.', 'n/a'],
    ['Anna', 'None, or Anna', 'I do not know'],
  ],
};

describe.each(Object.entries(CASES))('%s', (_, [specification, right, wrong]) => {
  it.each(right)('passes %j', (answer) => {
    expect(judgeAnswer(specification, answer)).toMatchObject({ pass: true });
  });
  it.each(wrong)('fails %j', (answer) => {
    expect(judgeAnswer(specification, answer)).toMatchObject({ pass: false });
  });
});

const ANY_KIND = Object.values(CASES).map(([specification]) => specification);

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
    for (const specification of ANY_KIND.filter((_, n) => n % 6 === 0))
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
