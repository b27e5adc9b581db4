import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rng } from '../../kit/rng.js';
import { meetsPattern, stringOf } from './pattern.js';

const PATTERNS = [
  '^[A-Z]{3}-\\d{4}$',
  '^(?:draft|issued|paid)$',
  '^\\+?[1-9]\\d{1,14}$',
  '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
  '^#?[0-9A-Fa-f]{6}$',
  '[a-z]+(?:-[a-z]+)*',
  '^[^\\s@]+@[^\\s@]+\\.[a-z]{2,}$',
  '^(?!0000)\\d{4}$',
  '^\\w{1,32}$',
  '^\\p{Lu}\\p{L}{2,10}$',
  '^$|^[A-Z]{2}$',
  '^arn:aws[a-z-]*:[a-z0-9]+:.*$',
  '^[\\w.-]+$',
  '^\\d{2}:\\d{2}(:\\d{2})?$',
  '^[a-zA-Z0-9]*[-]?[0-9]+$',
];

describe('strings of patterns', () => {
  it.each(PATTERNS)('%s', (pattern) => {
    for (let seed = 0; seed < 50; seed++) {
      const text = stringOf(pattern, rng(seed, pattern));
      expect(text).toBeDefined();
      expect(new RegExp(pattern, /\\p/.test(pattern) ? 'u' : '').test(text as string)).toBe(true);
    }
  });

  it('keeps length bounds or says that it cannot', () => {
    expect(stringOf('^[a-z]+$', rng(1), 3, 5)).toMatch(/^[a-z]{3,5}$/);
    expect(stringOf('^[a-z]{10}$', rng(1), 0, 5)).toBeUndefined();
  });

  it('never throws, whatever the pattern, and never hands back a string that fails it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'abc019[](){}|?*+.^$\\dwsDbnpu-,:=!<>P'), maxLength: 18 }),
        fc.integer(),
        (pattern, seed) => {
          const text = stringOf(pattern, rng(seed));
          if (text !== undefined) expect(meetsPattern(pattern, text)).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
