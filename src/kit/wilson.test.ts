import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wilson } from './wilson.js';

it('gives the published values', () => {
  // Wilson 1927 as tabulated by Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
  const rounded = (found: number, n: number): [number, number] => {
    const { low, high } = wilson(found, n);
    return [Number(low.toFixed(4)), Number(high.toFixed(4))];
  };
  expect(rounded(81, 263)).toEqual([0.2553, 0.3662]);
  expect(rounded(15, 148)).toEqual([0.0624, 0.1605]);
  expect(rounded(0, 20)).toEqual([0, 0.1611]);
  expect(rounded(1, 29)).toEqual([0.0061, 0.1718]);
});

it('holds the share, stays within 0 and 1, and narrows with more', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (n, share) => {
      const found = share * n;
      const { low, high } = wilson(found, n);
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      expect(low).toBeLessThanOrEqual(share + 1e-12);
      expect(high).toBeGreaterThanOrEqual(share - 1e-12);
      const more = wilson(found * 4, n * 4);
      expect(more.high - more.low).toBeLessThan(high - low + 1e-12);
    }),
  );
  expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
  expect(wilson(5, 5).high).toBe(1);
});
