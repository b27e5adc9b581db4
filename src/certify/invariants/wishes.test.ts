/** What conditions ask of single columns. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Table } from '../../artifacts/table.js';
import { granted, wishesOf } from './wishes.js';

const TABLE = {
  noun: 'thing',
  key: { col: 'id' },
  cols: {
    id: { type: 'text' },
    status: { type: 'text', enum: ['open', 'held', 'closed'] },
    total: { type: 'money' },
    day: { type: 'date' },
    note: { type: 'text' },
  },
} as unknown as Table;
const DAY = 86_400;
const NOW = 20_000 * DAY;

describe('wishes', () => {
  it.each([
    ["t.status = 'open'", 't', { status: 'open' }, { status: 'held' }],
    ["x.status in ('open', 'held')", 'x', { status: 'open' }, { status: 'closed' }],
    ["status not in ('open')", 't', { status: 'held' }, { status: 'open' }],
    ["t.status <> 'closed'", 't', { status: 'open' }, { status: 'closed' }],
    ['t.total > 500', 't', { total: 650 }, { total: 500 }],
    ['t.total <= 500', 't', { total: 500 }, { total: 650 }],
    ["t.note = 'it''s'", 't', { note: "it's" }, {}],
    ['t.note is not null', 't', {}, {}],
  ] as const)('%s', (where, side, yes, no) => {
    const found = wishesOf(where, side, TABLE, undefined, NOW);
    expect(granted(found, true)).toEqual(yes);
    expect(granted(found, false)).toEqual(no);
  });
  it('leave the other side out, take its values, and read a comparison from both ends', () => {
    const where = 'x.day >= t.day and x.day < t.day + 604800 and x.total = t.total';
    const t = { day: NOW, total: 70 };
    expect(granted(wishesOf(where, 'x', TABLE, t, NOW), true)).toMatchObject({ total: 70 });
    expect(wishesOf("t.status = 'open'", 'x', TABLE, undefined, NOW)).toEqual([]);
    const turned = wishesOf('x.day >= t.day', 't', TABLE, { day: NOW }, NOW);
    expect(turned).toEqual([{ col: 'day', yes: [NOW, NOW - 6 * DAY], no: [NOW + 6 * DAY] }]);
    expect(wishesOf('x.day < t.day + 86400', 't', TABLE, { day: NOW }, NOW)[0]?.yes).toEqual([NOW + 5 * DAY]);
  });
  it('know the clock', () => {
    expect(wishesOf('x.day >= :now - 86400', 'x', TABLE, undefined, NOW)[0]?.yes[0]).toBe(NOW - DAY);
  });
  it('take any text for a condition without an error, and only columns that are there', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.constantFrom('t' as const, 'x' as const), (where, side) => {
        for (const { col } of wishesOf(where, side, TABLE, { day: null, total: 3 }, NOW))
          expect(Object.hasOwn(TABLE.cols, col)).toBe(true);
      }),
    );
  });
  it('end in time on a long condition', () => {
    const where = Array.from({ length: 5_000 }, (_, i) => `t.total > ${i} and t.c${i} in (${'1,'.repeat(20)}2)`).join(
      ' and ',
    );
    expect(wishesOf(where, 't', TABLE, undefined, NOW).length).toBe(5_000);
  });
});
