import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Check } from '../artifacts/check.js';
import type { RowChange } from '../world/state/types.js';
import type { Evidence } from './evidence.js';
import { outsideFrame } from './frame.js';

const change = (kind: RowChange['change'], table: string, key: string | number, ...cols: string[]): RowChange => ({
  table,
  key,
  change: kind,
  cols,
});
const inserted = (table: string, key: string): RowChange => change('insert', table, key, 'id', 'name');
const frame = (except: unknown[], changes: Record<string, RowChange[]>): string | undefined =>
  outsideFrame(
    Check.parse({ id: 'c', kind: 'unchanged', footprint: [], except }) as never,
    { changes } as unknown as Evidence,
  );
const invoice = { service: 'billing', table: 'invoice' };

describe('the frame', () => {
  it('holds where nothing changed', () => {
    expect(frame([], {})).toBeUndefined();
    expect(frame([{ ...invoice, keys: ['i1'] }], { billing: [] })).toBeUndefined();
  });

  it('names the first change that nobody allowed', () => {
    expect(frame([], { billing: [change('update', 'invoice', 'i1', 'status')] })).toBe(
      'update in billing.invoice: status of i1',
    );
    expect(frame([], { billing: [inserted('invoice', 'i9')] })).toBe('insert in billing.invoice: i9');
    expect(frame([], { billing: [change('delete', 'invoice', 'i1', 'id')] })).toBe('delete in billing.invoice: i1');
  });
});

describe('updates', () => {
  const touched = { billing: [change('update', 'invoice', 'i1', 'status', 'updated_at')] };
  it.each([
    ['any row and column', { ...invoice }, true],
    ['this row', { ...invoice, keys: ['i1'] }, true],
    ['another row', { ...invoice, keys: ['i2'] }, false],
    ['these columns', { ...invoice, keys: ['i1'], cols: ['status', 'updated_at', 'memo'] }, true],
    ['one of the columns', { ...invoice, keys: ['i1'], cols: ['status'] }, false],
    ['no columns', { ...invoice, keys: ['i1'], cols: [] }, false],
    ['another table', { service: 'billing', table: 'payment', keys: ['i1'] }, false],
    ['the same table elsewhere', { service: 'books', table: 'invoice', keys: ['i1'] }, false],
    ['only new rows', { ...invoice, inserts: 5 }, false],
    ['only that it goes', { ...invoice, keys: ['i1'], deletes: true }, false],
  ])('an allowance for %s', (_, allowance, holds) => {
    expect(frame([allowance], touched) === undefined).toBe(holds);
  });

  it('two allowances do not add up over one row’s columns', () => {
    const parts = [
      { ...invoice, keys: ['i1'], cols: ['status'] },
      { ...invoice, keys: ['i1'], cols: ['updated_at'] },
    ];
    expect(frame(parts, touched)).toBeDefined();
  });
});

describe('inserts', () => {
  const two = { billing: [inserted('invoice', 'a'), inserted('invoice', 'b')] };
  it.each([
    ['none', [], false],
    ['one', [{ ...invoice, inserts: 1 }], false],
    ['two', [{ ...invoice, inserts: 2 }], true],
    [
      'one and one',
      [
        { ...invoice, inserts: 1 },
        { ...invoice, inserts: 1 },
      ],
      true,
    ],
    ['any update', [{ ...invoice }], false],
    ['zero', [{ ...invoice, inserts: 0 }], false],
    ['those keys', [{ ...invoice, keys: ['a', 'b'], inserts: 2 }], true],
    ['one of the keys', [{ ...invoice, keys: ['a'], inserts: 2 }], false],
  ])('%s allowed', (_, except, holds) => {
    expect(frame(except, two) === undefined).toBe(holds);
  });
});

describe('deletes', () => {
  const gone = { billing: [change('delete', 'invoice', 'i1', 'id')] };
  it.each([
    ['the row', [{ ...invoice, keys: ['i1'], deletes: true }], true],
    ['another row', [{ ...invoice, keys: ['i2'], deletes: true }], false],
    ['an update of it', [{ ...invoice, keys: ['i1'] }], false],
    ['new rows', [{ ...invoice, inserts: 1 }], false],
  ])('an allowance for %s', (_, except, holds) => {
    expect(frame(except, gone) === undefined).toBe(holds);
  });
});

it('integer and text keys are different keys', () => {
  const changes = { billing: [change('update', 'invoice', 1, 'status')] };
  expect(frame([{ ...invoice, keys: ['1'] }], changes)).toBeDefined();
  expect(frame([{ ...invoice, keys: [1] }], changes)).toBeUndefined();
});

/** More changes never make a broken frame whole, and a wider frame never breaks. */
it('is monotone', () => {
  const key = fc.constantFrom('a', 'b', 'c');
  const cols = fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { minLength: 1 });
  const changes = fc.array(
    fc.record({
      table: fc.constantFrom('invoice', 'payment'),
      key,
      change: fc.constantFrom('insert', 'update', 'delete'),
      cols,
    }),
    { maxLength: 6 },
  );
  const allowance = fc.record(
    {
      service: fc.constant('billing'),
      table: fc.constantFrom('invoice', 'payment'),
      keys: fc.uniqueArray(key),
      cols,
      inserts: fc.nat(3),
      deletes: fc.constant(true as const),
    },
    { requiredKeys: ['service', 'table'] },
  );
  fc.assert(
    fc.property(fc.array(allowance, { maxLength: 4 }), allowance, changes, changes, (except, more, some, others) => {
      const holds = (list: unknown[], rows: unknown[]): boolean =>
        frame(list, { billing: rows as RowChange[] }) === undefined;
      if (holds(except, [...some, ...others])) expect(holds(except, some)).toBe(true);
      if (holds(except, some)) expect(holds([...except, more], some)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
