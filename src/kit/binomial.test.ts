import { describe, expect, it } from 'vitest';
import { binomialCdf, upperBound } from './binomial.js';
import { rng } from './rng.js';

/** By whole numbers: `numerator / denominator` is the share, the result P(X <= k) times denominator ** n. */
const exactTail = (k: number, n: number, numerator: bigint, denominator: bigint): bigint => {
  let sum = 0n;
  let choose = 1n;
  for (let i = 0; i <= k; i++) {
    sum += choose * numerator ** BigInt(i) * (denominator - numerator) ** BigInt(n - i);
    choose = (choose * BigInt(n - i)) / BigInt(i + 1);
  }
  return sum;
};

describe('the bound', () => {
  it('is what tables say', () => {
    // Rule of three, and the usual sample of 59 for 95/95.
    expect(upperBound(0, 59)).toBeCloseTo(1 - 0.05 ** (1 / 59), 10);
    expect(upperBound(0, 59)).toBeLessThan(0.05);
    expect(upperBound(0, 58)).toBeGreaterThan(0.05);
    expect(upperBound(1, 93)).toBeLessThan(0.05);
    expect(upperBound(1, 92)).toBeGreaterThan(0.05);
    expect(upperBound(2, 124)).toBeLessThan(0.05);
    expect(upperBound(0, 299)).toBeLessThan(0.01);
  });
  it('says nothing where nothing was drawn or everything was found', () => {
    expect(upperBound(0, 0)).toBe(1);
    expect(upperBound(4, 4)).toBe(1);
  });
  it('stands where brute force in whole numbers says, for every count up to 24', () => {
    const parts = 4000;
    for (let n = 1; n <= 24; n++) {
      for (let k = 0; k < n; k++) {
        const bound = upperBound(k, n);
        const limit = BigInt(parts) ** BigInt(n);
        // Below the bound the tail is above 5 %, above it below.
        const under = BigInt(Math.floor(bound * parts));
        const over = BigInt(Math.ceil(bound * parts));
        expect(exactTail(k, n, under, BigInt(parts)) * 20n >= limit, `${k} of ${n}`).toBe(true);
        expect(exactTail(k, n, over, BigInt(parts)) * 20n <= limit, `${k} of ${n}`).toBe(true);
      }
    }
  });
  it('rises with what was found and falls with what was drawn', () => {
    for (let n = 2; n <= 60; n++)
      for (let k = 0; k < n - 1; k++) {
        expect(upperBound(k + 1, n)).toBeGreaterThan(upperBound(k, n));
        expect(upperBound(k, n + 1)).toBeLessThan(upperBound(k, n));
      }
  });
  it('covers: of seeded samples at least 95 in 100 have their share below it', () => {
    for (const share of [0.02, 0.1, 0.4]) {
      const random = rng('cover', String(share));
      let covered = 0;
      const runs = 2000;
      for (let run = 0; run < runs; run++) {
        const found = Array.from({ length: 40 }, () => random.chance(share)).filter(Boolean).length;
        if (upperBound(found, 40) >= share) covered++;
      }
      // Three deviations below 95 %.
      expect(covered / runs).toBeGreaterThan(0.95 - 3 * Math.sqrt((0.95 * 0.05) / runs));
    }
  });
  it('takes large counts', () => {
    expect(binomialCdf(500, 10_000, 0.05)).toBeCloseTo(0.512, 2);
    expect(upperBound(500, 10_000)).toBeCloseTo(0.0538, 3);
  });
});
