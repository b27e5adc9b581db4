import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Naming, Surface } from '../../artifacts/surface.js';
import type { ColumnType } from '../../artifacts/table.js';
import { codecOf } from './codec.js';
import { majorText, minorDigits, minorOf } from './money.js';
import { styled } from './naming.js';

const surface = (over: Partial<Surface>): Surface => ({
  dialect: 'test',
  fields: 'snake',
  args: 'snake',
  enums: 'asis',
  date: 'iso',
  datetime: 'iso',
  money: 'minor',
  currency: 'EUR',
  row: '$fields',
  one: '$row',
  many: { rows: '$rows' },
  done: {},
  paging: 'none',
  error: { error: '$code' },
  ...over,
});

const code = (work: () => unknown): string => {
  try {
    work();
    return 'nothing thrown';
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
};

const DAYS = fc.integer({ min: -719_162, max: 2_932_896 }).map((day) => day * 86_400);
const SECONDS = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 });

describe('dates and times', () => {
  it.each(Surface.shape.date.options)('round-trip days as %s', (date) => {
    const codec = codecOf(surface({ date }), { type: 'date' });
    fc.assert(fc.property(DAYS, (at) => codec.decode(codec.encode(at)) === at));
  });
  it.each(Surface.shape.datetime.options)('round-trip seconds as %s', (datetime) => {
    const codec = codecOf(surface({ datetime }), { type: 'datetime' });
    fc.assert(fc.property(SECONDS, (at) => codec.decode(codec.encode(at)) === at));
  });
  it('write one moment in each style', () => {
    const at = 1_709_632_923;
    const written = Surface.shape.datetime.options.map((datetime) =>
      codecOf(surface({ datetime }), { type: 'datetime' }).encode(at),
    );
    expect(written).toEqual([
      '2024-03-05T10:02:03Z',
      '2024-03-05T10:02:03+00:00',
      1_709_632_923,
      '1709632923',
      1_709_632_923_000,
      '1709632923000',
      '20240305100203',
      '05 Mar 2024 10:02:03',
    ]);
  });
  it('take an offset and a bare day where an instant is asked', () => {
    const codec = codecOf(surface({}), { type: 'datetime' });
    expect(codec.decode('2024-03-05T12:02:03+02:00')).toBe(1_709_632_923);
    expect(codec.decode('2024-03-05')).toBe(1_709_596_800);
  });
  it.each([
    '2024-02-30',
    '2024-13-01',
    '24-01-01',
    '',
    'now',
    '2024-03-05T25:00:00Z',
    1_709_632_923,
    null,
    {},
    ['2024-01-01'],
  ])('refuse %j as a day', (json) =>
    expect(code(() => codecOf(surface({}), { type: 'date' }).decode(json))).toBe('invalid_argument'),
  );
  it.each(['99999999999999', '1e9', '0x10', '1709632923.1234567', '-'])('refuse %j as unix text', (json) =>
    expect(code(() => codecOf(surface({ date: 'unix_text' }), { type: 'date' }).decode(json))).toBe('invalid_argument'),
  );
  it('show what is no date as it is stored', () => {
    expect(codecOf(surface({}), { type: 'date' }).encode(9e15)).toBe(9e15);
  });
});

describe('amounts', () => {
  it.each(Surface.shape.money.options)('round-trip as %s in every currency', (money) => {
    const currency = fc.constantFrom('EUR', 'JPY', 'KWD', undefined);
    const minor = fc.integer({ min: -1_000_000_000_000, max: 1_000_000_000_000 });
    fc.assert(
      fc.property(currency, currency, minor, (fallback, own, value) => {
        const codec = codecOf(surface({ money, currency: fallback }), { type: 'money', ownCurrency: true });
        expect(codec.decode(codec.encode(value, own), own)).toBe(value);
      }),
    );
  });
  it('write 1284.50 EUR in each style', () => {
    const written = Surface.shape.money.options.map((money) =>
      codecOf(surface({ money }), { type: 'money' }).encode(128450),
    );
    expect(written).toEqual([
      128450,
      1284.5,
      '1284.50',
      '1284.50 EUR',
      'EUR 1284.50',
      { amount: '1284.50', currency: 'EUR' },
      1284.5,
    ]);
  });
  it.each([
    ['minor', 12.5],
    ['minor', 2 ** 53],
    ['minor', '100'],
    ['decimal', 1.005],
    ['decimal', Number.NaN],
    ['decimal', 1e21],
    ['text', '1,284.50'],
    ['text', '12.345'],
    ['text', 12],
    ['text_currency', '12.00 USD'],
    ['text_currency', 'EUR 12.00'],
    ['currency_text', '12.00 EUR'],
    ['object', { amount: '1', currency: 'USD' }],
    ['object', '12.00'],
    ['object', { amount: null }],
  ] as const)('%s refuses %j', (money, json) => {
    expect(code(() => codecOf(surface({ money }), { type: 'money' }).decode(json as never))).toBe('invalid_argument');
  });
  it('know the minor units of currencies', () => {
    expect(['EUR', 'jpy', 'KWD', undefined].map(minorDigits)).toEqual([2, 0, 3, 2]);
    expect([majorText(5, 2), majorText(-5, 2), majorText(7, 0), minorOf('+1.50', 2), minorOf('-0', 2)]).toEqual([
      '0.05',
      '-0.05',
      '7',
      150,
      0,
    ]);
  });
});

describe('enums', () => {
  const VALUES = ['open', 'partially_paid', 'InProgress', 'on-hold', 'A1', 'näher', 'with space'];
  it.each(Surface.shape.enums.options)('map back from %s', (enums) => {
    const codec = codecOf(surface({ enums }), { type: 'text', enum: VALUES });
    for (const value of VALUES) expect(codec.decode(codec.encode(value))).toBe(value);
    expect((codec.schema.enum as string[]).length).toBe(VALUES.length);
  });
  it('stay as they are when two would read alike or one would vanish', () => {
    for (const values of [
      ['in_progress', 'in-progress'],
      ['>=', '<'],
    ]) {
      const codec = codecOf(surface({ enums: 'pascal' }), { type: 'text', enum: values });
      expect(values.map((value) => codec.encode(value))).toEqual(values);
    }
  });
  it.each(['opened', 'OPEN', '', '__proto__', 'constructor', 3, null, ['open']])(
    'refuse %j and say what may be',
    (json) => {
      expect(() => codecOf(surface({}), { type: 'text', enum: VALUES }).decode(json)).toThrow(
        /must be one of open, partially_paid/,
      );
    },
  );
});

describe('plain values', () => {
  const hostile = [
    null,
    undefined,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 53,
    {},
    [],
    'x'.repeat(70_000),
    () => 1,
    3n,
  ];
  const types: ColumnType[] = ['int', 'bool', 'date', 'datetime', 'money'];
  it.each(types)('%s refuses everything that is none', (type) => {
    for (const json of hostile)
      expect(code(() => codecOf(surface({}), { type }).decode(json as never))).toBe('invalid_argument');
  });
  it('bounds texts and json, and drops NUL, which SQLite would end a text at', () => {
    const text = codecOf(surface({}), { type: 'text' });
    expect(text.decode('a\u0000b')).toBe('ab');
    expect(text.decode('a\ud800b🙂')).toBe('a\ufffdb🙂');
    expect(code(() => text.decode('x'.repeat(70_000)))).toBe('invalid_argument');
    const json = codecOf(surface({}), { type: 'json' });
    expect(json.encode(json.decode({ b: [1, null], a: 'ä' }))).toEqual({ a: 'ä', b: [1, null] });
    expect(json.encode('not json {')).toBe('not json {');
  });
  it('round-trips numbers, bools and texts', () => {
    fc.assert(fc.property(fc.maxSafeInteger(), (n) => codecOf(surface({}), { type: 'int' }).decode(n) === n));
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (n) => codecOf(surface({}), { type: 'number' }).decode(n) === n,
      ),
    );
    const bool = codecOf(surface({}), { type: 'bool' });
    expect([bool.decode(true), bool.decode(false), bool.encode(1), bool.encode(0)]).toEqual([1, 0, true, false]);
  });
});

describe('naming', () => {
  it('styles names', () => {
    expect(Naming.options.map((naming) => styled(naming, 'due_date'))).toEqual([
      'due_date',
      'dueDate',
      'DueDate',
      'due-date',
      'DUE_DATE',
      'due_date',
    ]);
  });
});
