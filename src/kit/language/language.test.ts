import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Language, LONGEST, languageOf } from './language.js';

const few = (language: Language, most: number): string[] =>
  Array.from({ length: most + 1 }, (_, length) => length).flatMap((length) =>
    Array.from({ length: Number(language.count(length)) }, (_, rank) => language.nth(length, BigInt(rank))),
  );

describe('the texts of a pattern', () => {
  it('are each there once, however many ways the pattern has to them', () => {
    expect(few(languageOf(['^(a|ab)(c|bc)$']) as Language, 5)).toEqual(['ac', 'abc', 'abbc']);
    expect(few(languageOf(['^a?b{2,3}(?:c|d)*$'], 0, 3) as Language, 3)).toEqual(['bb', 'abb', 'bbb', 'bbc', 'bbd']);
  });

  it('meet looks ahead, and other patterns', () => {
    expect(few(languageOf(['^(?!b)[a-c]{1,2}$']) as Language, 2).sort()).toEqual(
      ['a', 'c', 'aa', 'ab', 'ac', 'ca', 'cb', 'cc'].sort(),
    );
    expect(few(languageOf(['^(?=.*[0-9])[a0]{2}$']) as Language, 2).sort()).toEqual(['0a', 'a0', '00'].sort());
    expect(few(languageOf(['^(?=.{3}$)(?:a|b-)+$']) as Language, 6).sort()).toEqual(['ab-', 'aaa', 'b-a'].sort());
    expect(languageOf(['^[a-z]+$', '^[0-9]+$'])).toBeUndefined();
    expect(languageOf(['^[a-z]{5}$'], 0, 4)).toBeUndefined();
  });

  it('are letters and digits where that leaves some', () => {
    expect(few(languageOf(['^[a_-]$']) as Language, 1)).toEqual(['a']);
    expect(few(languageOf(['^[_-]$']) as Language, 1)).toEqual(['-', '_']);
    expect((languageOf(['^[a-z-]+$', '-']) as Language).nth(3, 0n)).toMatch(/-/);
  });

  it.each([
    '^(',
    '[z-a]',
    '(a)\\1',
    '^[\u4e00-\u9fff]+$',
    'a{5000}',
    '^$^',
    '\\p{Han}',
    '(?<n>a)\\k<n>',
    '[',
    '*',
    'a{2,1}',
  ])('gives up on %s, or holds to it', (pattern) => {
    const language = languageOf([pattern]);
    if (!language) return;
    for (let length = 0; length < 8; length++)
      if (language.count(length) > 0n) expect(language.nth(length, 0n)).toMatch(new RegExp(pattern));
  });

  it('takes no time for patterns that backtrack', () => {
    const language = languageOf(['^(?:a+)+b$']) as Language;
    expect(language.count(12)).toBe(1n);
    expect(languageOf([`^${'(?:[a-z]?[0-9]?)'.repeat(60)}$`])?.count(4)).toBeGreaterThan(0n);
  });

  const atom = fc.constantFrom('a', 'b', '[ab]', '[^a]', '\\d', '.', '(?:ab|a)', '(b|c)', '\\w');
  const many = fc.constantFrom('', '?', '*', '+', '{2}', '{1,3}', '{0,2}');
  const pattern = fc
    .array(fc.tuple(atom, many), { minLength: 1, maxLength: 5 })
    .map((parts) => `^${parts.map((part) => part.join('')).join('')}$`);

  it('meet it, and no two ranks give the same', () => {
    fc.assert(
      fc.property(
        pattern,
        fc.bigInt({ min: 0n, max: 1n << 40n }),
        fc.integer({ min: 0, max: 20 }),
        (one, rank, length) => {
          const language = languageOf([one]);
          const all = language?.count(length) ?? 0n;
          if (!language || all === 0n) return;
          const text = language.nth(length, rank % all);
          expect(text).toHaveLength(length);
          expect(text).toMatch(new RegExp(one));
          const seen = Array.from({ length: Math.min(50, Number(all)) }, (_, i) => language.nth(length, BigInt(i)));
          expect(new Set(seen).size).toBe(seen.length);
        },
      ),
      { numRuns: 300, seed: 5 },
    );
    expect(LONGEST).toBeGreaterThan(100);
  });
});
