import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultProfiles, parseMix, parseProfiles, quotasOf } from './profiles.js';

const refused = (read: () => unknown): string => {
  try {
    read();
  } catch (thrown) {
    return `${(thrown as { code?: string }).code} ${(thrown as Error).message}`;
  }
  return 'accepted';
};

describe('quotas', () => {
  it('add up, and each is within one of its due', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5000 }),
        fc
          .array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 6 })
          .filter((shares) => shares.some((n) => n > 0)),
        (count, shares) => {
          const named = Object.fromEntries(shares.map((share, i) => [`p${i}`, share]));
          const quotas = quotasOf(count, named);
          const sum = shares.reduce((all, share) => all + share, 0);
          expect(Object.values(quotas).reduce((all, n) => all + n, 0)).toBe(count);
          for (const [name, n] of Object.entries(quotas)) {
            expect(Math.abs(n - (count * (named[name] as number)) / sum)).toBeLessThan(1);
            if (named[name] === 0) expect(n).toBe(0);
          }
        },
      ),
    );
  });

  it('what is left goes to the largest remainders, the earlier first', () => {
    expect(quotasOf(10, { a: 1, b: 1, c: 1 })).toEqual({ a: 4, b: 3, c: 3 });
    expect(quotasOf(3, { a: 0.15, b: 0.2, c: 0.35, d: 0.2, e: 0.1 })).toEqual({ a: 0, b: 1, c: 1, d: 1, e: 0 });
  });

  it('shares that are none are refused with the one that is wrong', () => {
    expect(refused(() => quotasOf(3, { a: 0, b: 0 }))).toMatch(/^bad_mix No profile has a share/);
    expect(refused(() => quotasOf(3, { a: 1, b: -1 }))).toMatch(/^bad_mix The share of b/);
    expect(refused(() => quotasOf(3, { a: Number.NaN }))).toMatch(/^bad_mix The share of a/);
  });
});

describe('a mix', () => {
  it('names profiles', () =>
    expect(parseMix('simple=1, expert=2')).toEqual({ simple: 1, standard: 0, moderate: 0, complex: 0, expert: 2 }));
  it.each(['', 'simple', 'simple=', 'hard=1', 'simple=-1', 'simple=x', 'simple=1,,expert=1', 'simple=Infinity'])(
    'refuses %j',
    (text) => expect(refused(() => parseMix(text))).toMatch(/^bad_mix/),
  );
});

describe('a profile file', () => {
  const file = (line: string): string => `surplus: 1.5\nprofiles:\n  simple: ${line}\n`;
  it('the project’s own reads, and its profiles grow', () => {
    const { profiles, surplus } = defaultProfiles();
    expect(surplus).toBeGreaterThan(1);
    const lengths = ['simple', 'standard', 'moderate', 'complex', 'expert'].map(
      (name) => profiles[name as 'simple']?.stages[0],
    );
    expect(lengths).toEqual([...lengths].sort((a, b) => Number(a) - Number(b)));
  });
  it.each([
    ['no YAML', 'a: [', /bad_profiles/],
    [
      'a profile nobody knows',
      'surplus: 2\nprofiles: {hard: {stages: [1, 2], services: [1, 2], domains: [1, 2], share: 1}}',
      /hard|profiles/,
    ],
    ['a range backwards', file('{stages: [9, 4], services: [1, 2], domains: [1, 2], share: 1}'), /stages/],
    [
      'more stages than a task may have',
      file('{stages: [9, 400], services: [1, 2], domains: [1, 2], share: 1}'),
      /at most 100/,
    ],
    ['a share below zero', file('{stages: [1, 4], services: [1, 2], domains: [1, 2], share: -1}'), /share/],
    ['a surplus below one', 'surplus: 0.5\nprofiles: {}', /surplus/],
    ['a list', '- 1', /bad_profiles/],
    ['nothing', '', /bad_profiles/],
  ])('%s is refused with its place', (_, text, says) => {
    const line = refused(() => parseProfiles(text, 'own.yaml'));
    expect(line).toMatch(/^bad_profiles own\.yaml/);
    expect(line).toMatch(says);
  });
});
