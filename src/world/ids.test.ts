import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IdStyle } from '../artifacts/table.js';
import { capacityOf, idOf } from './ids.js';

const SHAPES: [IdStyle, RegExp][] = [
  [{ style: 'base62', prefix: 'inv_' }, /^inv_[0-9A-Za-z]{14}$/],
  [{ style: 'base62', length: 32 }, /^[0-9A-Za-z]{32}$/],
  [{ style: 'base36', prefix: '/customers/', length: 8 }, /^\/customers\/[0-9a-z]{8}$/],
  [{ style: 'digits', length: 11 }, /^[1-9][0-9]{10}$/],
  [{ style: 'upper', prefix: 'C', length: 10 }, /^C[0-9A-Z]{10}$/],
  [{ style: 'hex' }, /^[0-9a-f]{24}$/],
  [{ style: 'hex', length: 32 }, /^[0-9a-f]{32}$/],
  [{ style: 'uuid' }, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
];

describe('idOf', () => {
  it.each(SHAPES)('writes %o in its shape, the same every time', (style, shape) => {
    for (let n = 0; n < 200; n++) {
      const id = idOf(style, 'w/billing/invoice', n);
      expect(id).toMatch(shape);
      expect(idOf({ ...style }, 'w/billing/invoice', n)).toBe(id);
    }
  });

  it('gives numbers of the asked length for style integer, and safe ones at the longest', () => {
    for (let n = 0; n < 500; n++) expect(String(idOf({ style: 'integer', length: 5 }, 's', n))).toMatch(/^[1-9]\d{4}$/);
    expect(Number.isSafeInteger(idOf({ style: 'integer', length: 32 }, 's', 7))).toBe(true);
  });

  it('covers the whole of a small space before it grows by one character', () => {
    const style: IdStyle = { style: 'digits', length: 3 };
    const ids = Array.from({ length: 1200 }, (_, n) => String(idOf(style, 'tiny', n)));
    expect(new Set(ids).size).toBe(1200);
    expect(new Set(ids.slice(0, 900))).toEqual(new Set(Array.from({ length: 900 }, (_, n) => String(n + 100))));
    expect(ids.slice(900).every((id) => id.length === 4)).toBe(true);
  });

  it('is injective for every style, length and secret', () => {
    const style = fc.record({
      style: fc.constantFrom('base62', 'base36', 'digits', 'integer', 'upper', 'hex', 'uuid'),
      length: fc.integer({ min: 3, max: 32 }),
      prefix: fc.constantFrom('', 'cus_'),
    }) as fc.Arbitrary<IdStyle>;
    fc.assert(
      fc.property(style, fc.string(), fc.integer({ min: 0, max: 2 ** 31 }), (one, secret, from) => {
        const ids = Array.from({ length: 300 }, (_, i) => idOf(one, secret, from + i));
        expect(new Set(ids).size).toBe(300);
      }),
      { numRuns: 60 },
    );
  });

  it('does not show the order of creation, and differs between secrets', () => {
    const style: IdStyle = { style: 'integer', length: 6 };
    const ids = Array.from({ length: 1000 }, (_, n) => idOf(style, 'a', n) as number);
    const rises = ids.filter((id, i) => i > 0 && id > ids[i - 1]!).length;
    expect(rises).toBeGreaterThan(400);
    expect(rises).toBeLessThan(600);
    const steps = new Set(ids.slice(1).map((id, i) => id - ids[i]!));
    expect(steps.size).toBeGreaterThan(950);
    expect(ids.filter((id, n) => idOf(style, 'b', n) === id).length).toBeLessThan(10);
  });

  it('spreads over every character position', () => {
    const ids = Array.from({ length: 2000 }, (_, n) => String(idOf({ style: 'base62', length: 14 }, 'z', n)));
    for (let at = 0; at < 14; at++) expect(new Set(ids.map((id) => id[at])).size).toBe(62);
  });

  it.each<[IdStyle, RegExp]>([
    [
      { style: 'pattern', pattern: '^arn:aws:iot:[a-z]{2}-[a-z]+-\\d:\\d{12}:thing/[0-9a-f]+$' },
      /^arn:aws:iot:[a-z]{2}-[a-z]+-\d:\d{12}:thing\/[0-9a-f]+$/,
    ],
    [{ style: 'pattern', pattern: '^[\\w.-]{1,2048}$', minLength: 20 }, /^\w{24}$/],
    [{ style: 'pattern', pattern: '[0-9a-f]{64}' }, /^[0-9a-f]{64}$/],
    [{ style: 'digits', min: 1_000, max: 90_000 }, /^\d{4,5}$/],
  ])('meets %o, each id once', (style, shape) => {
    const ids = Array.from({ length: 3_000 }, (_, n) => String(idOf(style, 'w/aws/thing', n)));
    for (const id of ids) expect(id).toMatch(shape);
    expect(new Set(ids).size).toBe(3_000);
  });

  it('has as many ids as a narrow style leaves, and begins again behind them', () => {
    const styles: [IdStyle, number][] = [
      [{ style: 'integer', min: 1, max: 9 }, 9],
      [{ style: 'integer', pattern: '^(?:1|5|80)$' }, 3],
      [{ style: 'pattern', pattern: '^[a-z]{2}$' }, 676],
      [{ style: 'pattern', pattern: '^(?:daily|weekly)$' }, 2],
    ];
    for (const [style, capacity] of styles) {
      expect(capacityOf(style)).toBe(capacity);
      const ids = Array.from({ length: capacity }, (_, n) => idOf(style, 's', n));
      expect(new Set(ids).size).toBe(capacity);
      expect(idOf(style, 's', capacity)).toBe(ids[0]);
    }
    expect(capacityOf({ style: 'uuid' })).toBe(Number.POSITIVE_INFINITY);
  });
});
