/** Values found again in another result of the same call: rows are known by what only they say. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../kit/hash.js';
import { valueAt } from '../../kit/json-path.js';
import { pathTo } from '../../tasks/ground/plan.js';
import { valueNow } from './same-row.js';

const ORDERS = {
  total: 3,
  orders: [
    { id: 'o_1', no: 'A-1', status: 'open', owner: 'ada' },
    { id: 'o_2', no: 'A-2', status: 'paid', owner: 'ben' },
    { id: 'o_3', no: 'A-3', status: 'open', owner: 'ada' },
  ],
};
const rows = (...picked: number[]): Json => ({ total: 3, orders: picked.map((n) => ORDERS.orders[n] as Json) });

describe('the value of a row', () => {
  it('is found wherever the row stands now', () =>
    expect(valueNow(ORDERS, rows(2, 0, 1), 'orders.1.status')).toBe('paid'));
  it('is what it says now', () => {
    const now = structuredClone(ORDERS);
    (now.orders[1] as { status: string }).status = 'void';
    expect(valueNow(ORDERS, now, 'orders.1.status')).toBe('void');
  });
  it('is not there when the row has gone, whoever else is left', () => {
    expect(valueNow(ORDERS, rows(0, 2), 'orders.1.id')).toBeUndefined();
    expect(valueNow(ORDERS, rows(0, 1), 'orders.2.id')).toBeUndefined();
  });
  it.each<[Json | undefined, string]>([
    [undefined, 'orders.0.id'],
    [{ error: { code: 'not_found' } }, 'orders.0.id'],
    [{ orders: [] }, 'orders.0.id'],
    [{ orders: 'none' }, 'orders.0.id'],
    [ORDERS, 'orders.7.id'],
    [ORDERS, 'constructor'],
    [ORDERS, 'orders.0.__proto__'],
  ])('is not there in %j at %s', (now, path) => expect(valueNow(ORDERS, now, path)).toBeUndefined());
});

it('in the very same result it is the value itself, whatever the result', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.string(), (value, wanted) => {
      const result = { list: [value, { name: wanted }] } as Json;
      const path = pathTo(result, wanted) as string;
      // A key that is empty or has a dot in it is no path.
      fc.pre(valueAt(result, path) === wanted);
      expect(valueNow(result, structuredClone(result), path)).toBe(wanted);
    }),
    { examples: [[{ '': [''] }, '']] },
  );
});
