import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../kit/hash.js';
import { rng } from '../../kit/rng.js';
import { corrupted } from './corrupt.js';

const ORDERS = {
  total: 3,
  next_cursor: 'c_20',
  orders: [
    { id: 'o_1', status: 'open', amount: 1250, due_date: '2026-04-17', customer_id: 'c_7' },
    { id: 'o_2', status: 'paid', amount: 980, due_date: '2026-05-02', customer_id: 'c_8' },
    { id: 'o_3', status: 'open', amount: 400, due_date: '2026-05-09', customer_id: 'c_7' },
  ],
};
const lies = (result: Json, n = 60): Json[] =>
  Array.from({ length: n }, (_, seed) => corrupted(result, rng(seed, 'lie'))).flatMap((lie) => lie ?? []);

describe('a lie', () => {
  it('is another answer than the truth, and changes no id, total or cursor', () => {
    for (const lie of lies(ORDERS) as (typeof ORDERS)[]) {
      expect(lie).not.toEqual(ORDERS);
      expect([lie.total, lie.next_cursor]).toEqual([3, 'c_20']);
      for (const order of lie.orders) expect(ORDERS.orders.map(({ id }) => id)).toContain(order.id);
      expect(lie.orders.every(({ customer_id }) => /^c_[78]$/.test(customer_id))).toBe(true);
    }
    expect(lies(ORDERS)).toHaveLength(60);
  });

  it('takes several forms: rows missing, numbers, texts', () => {
    const all = lies(ORDERS) as (typeof ORDERS)[];
    expect(all.some(({ orders }) => orders.length < 3)).toBe(true);
    expect(
      all.some(
        ({ orders }) => orders.length === 3 && orders.some(({ amount }, i) => amount !== ORDERS.orders[i]?.amount),
      ),
    ).toBe(true);
    expect(
      all.some(
        ({ orders }) => orders.length === 3 && orders.some(({ status }, i) => status !== ORDERS.orders[i]?.status),
      ),
    ).toBe(true);
  });

  it('is about the value it is meant to be about, where there is one', () => {
    for (let seed = 0; seed < 40; seed++) {
      const lie = corrupted(ORDERS, rng(seed, 'aim'), 'orders.1.amount') as typeof ORDERS;
      expect(lie.orders[1]?.amount).not.toBe(980);
      expect({ ...lie, orders: lie.orders.map((one, n) => (n === 1 ? ORDERS.orders[1] : one)) }).toEqual(ORDERS);
      for (const path of ['orders.1.id', 'orders.9.amount', 'total', '', '__proto__'])
        expect(corrupted(ORDERS, rng(seed, 'aim'), path)).toEqual(corrupted(ORDERS, rng(seed, 'aim')));
    }
  });

  it('of a date in words is another day of that month', () => {
    for (const lie of lies({ order: { id: 'o', shipped: '26 Sep 2022' } }) as { order: { shipped: string } }[])
      expect(lie.order.shipped).toMatch(/^([1-9]|1\d|2[0-8]) Sep 2022$/);
  });

  it('of a date is a date', () => {
    for (const lie of lies({ order: { id: 'o', shipped_at: '2026-04-17' } }) as { order: { shipped_at: string } }[])
      expect(lie.order.shipped_at).toMatch(/^2026-04-1\d$/);
  });

  it.each([[{}], [null], [[]], ['text'], [{ id: 'o_1' }], [{ ok: null, rows: [] }], [{ total: 0 }]])(
    'there is none about %j',
    (result) => expect(lies(result as Json).every((lie) => typeof lie === 'string')).toBe(true),
  );

  it('keeps the shape of any answer, and leaves the answer itself alone', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.integer(), (value, seed) => {
        const before = JSON.stringify(value);
        const lie = corrupted(value as Json, rng(seed, 'any'));
        expect(JSON.stringify(value)).toBe(before);
        if (lie !== undefined) {
          expect(typeof lie).toBe(typeof value);
          expect(Array.isArray(lie)).toBe(Array.isArray(value));
          if (value !== null && typeof value === 'object' && !Array.isArray(value))
            expect(Object.keys(lie as object)).toEqual(Object.keys(value));
        }
      }),
    );
  });

  it('about a huge answer is found in time that does not grow with it', () => {
    const many = { rows: Array.from({ length: 50_000 }, (_, n) => ({ id: `r_${n}`, size_cm: n })) };
    expect(corrupted(many, rng('x'))).toBeDefined();
  });
});
