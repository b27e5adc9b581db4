import { expect, it } from 'vitest';
import type { Table } from '../../artifacts/table.js';
import type { Row } from '../../world/state/types.js';
import { findColumn } from './match.js';
import { conditionsOf, mendRow } from './mend.js';

const table = (check: string[], cols: Table['cols']): Table => ({ noun: 'thing', key: { col: 'id' }, cols, check });
const mended = (of: Table, row: Row, given: Row, others: Row[] = []): Row => {
  const out = { ...row, ...given };
  mendRow(of, conditionsOf(of), out, given, others);
  return out;
};
const amount = { type: 'money', required: true } as const;
const date = { type: 'date', required: true } as const;

it.each([
  [
    table(['paid <= amount'], { id: { type: 'text' }, paid: amount, amount }),
    { paid: 900, amount: 1000 },
    { amount: 5 },
  ],
  [
    table(['arrives < departs'], { id: { type: 'text' }, arrives: date, departs: date }),
    { arrives: 0, departs: 86_400 },
    { arrives: 864_000 },
  ],
  [
    table(["status <> 'closed' OR reason IS NOT NULL"], {
      id: { type: 'text' },
      status: { type: 'text' },
      reason: { type: 'text' },
    }),
    { status: 'open', reason: null },
    { status: 'closed' },
  ],
])('what was filled in gives way to what was given', (of, row, given) => {
  const out = mended(of, row as Row, given as Row, [{ reason: 'late' }]);
  expect(out).toMatchObject(given);
  for (const { holds } of conditionsOf(of)) expect(holds((_, name) => out[name])).not.toBe(0);
});

it('what was given stays, though it breaks a condition', () => {
  const of = table(['paid <= amount'], { id: { type: 'text' }, paid: amount, amount });
  expect(mended(of, {}, { paid: 9, amount: 5 })).toEqual({ paid: 9, amount: 5 });
});

it('a column of that name comes before one that is shown under it', () => {
  const of = table([], { id: { type: 'text', field: 'name' }, name: { type: 'text', field: 'display' } });
  const found = { spec: {} as never, name: 'thing', table: of };
  expect(findColumn('name', found)).toEqual({ col: 'name' });
  expect(findColumn('display', found)).toEqual({ col: 'name' });
});
