import fc from 'fast-check';
import { expect, it } from 'vitest';
import { authorFromBrief } from '../../author/catalogue/author.js';
import { tradeOfIndustry } from '../../author/catalogue/brief/trade.js';
import { meetingProcesses } from './combine.js';
import { briefAt, briefLines, countriesOf, industriesOf, sweep } from './sweep.js';

it('deals every industry and every country as often as any other', () => {
  const countries = countriesOf('5');
  const industries = industriesOf('62,7225,11', '1');
  expect(countries).toHaveLength(5);
  expect(industries.every(({ code }) => /^(62|7225|11)/.test(code))).toBe(true);
  const briefs = sweep(countries, industries, 's');
  const made = Array.from({ length: industries.length * 2 }, (_, i) => briefAt(briefs, i).pins);
  const times = (pick: (pins: (typeof made)[number]) => string | undefined): number[] => {
    const counts = new Map<string, number>();
    for (const pins of made) counts.set(pick(pins) ?? '', (counts.get(pick(pins) ?? '') ?? 0) + 1);
    return [...counts.values()];
  };
  expect(new Set(times(({ industry }) => industry))).toEqual(new Set([2]));
  const byCountry = times(({ country }) => country);
  expect(Math.max(...byCountry) - Math.min(...byCountry)).toBeLessThanOrEqual(1);
});

it('knows every level of NAICS, and each code has a trade that fits', () => {
  const all = industriesOf('all', '1');
  expect(all).toHaveLength(2196);
  expect(new Set(all.map(({ code }) => code)).size).toBe(2196);
  expect(all.filter(({ code }) => tradeOfIndustry(code, []).length === 0)).toEqual([]);
  expect(industriesOf('31-33', '1').map(({ code }) => code.slice(0, 2))).toEqual(expect.arrayContaining(['31', '33']));
  expect(industriesOf('44', '1').every(({ code }) => /^44/.test(code))).toBe(true);
  expect(industriesOf('3118', '1').map(({ code }) => code.length)).toEqual(expect.arrayContaining([4, 5, 6]));
});

it.each(['31', '48-49', '311', '3118', '31181', '62', '81'])('takes a pinned code of any level: %s', (industry) => {
  const { company, services } = authorFromBrief('a company in Oslo', { seed: '1', pins: { industry } });
  expect(company.industry.naics.startsWith(industry)).toBe(true);
  expect(services.length).toBeGreaterThan(3);
});

it('is the same for a seed and another for another', () => {
  const of = (seed: string): string[] => {
    const briefs = sweep(countriesOf('50'), industriesOf('all', seed), seed);
    return Array.from({ length: 20 }, (_, i) => briefAt(briefs, i).text);
  };
  expect(of('1')).toEqual(of('1'));
  expect(of('1')).not.toEqual(of('2'));
  expect(new Set(of('1')).size).toBe(20);
});

it('writes briefs that the author takes, with their industry and country', () => {
  const briefs = sweep(countriesOf('all'), industriesOf('all', 'x'), 'x');
  for (let i = 0; i < 12; i++) {
    const { text, pins } = briefAt(briefs, i * 97);
    expect(text).not.toMatch(/undefined|\s{2}|T in /);
    const { company, services } = authorFromBrief(text, { seed: `s${i}`, pins });
    expect([company.country, company.industry.naics]).toEqual([pins.country, pins.industry]);
    expect(services.length).toBeGreaterThan(3);
  }
});

it.each(['0', '9999', '', 'XX', 'DE,XX', '-1', '1.5', 'germany', ',', '../..', 'de fr'])(
  '--countries %j names nothing',
  (given) => expect(() => countriesOf(given)).toThrow(expect.objectContaining({ code: 'bad_option' })),
);

it.each(['', 'x', '62,x', '99999999', ',', '-62', '6.2', '00', '62;72'])('--industries %j names nothing', (given) =>
  expect(() => industriesOf(given, '1')).toThrow(expect.objectContaining({ code: 'bad_option' })),
);

it('codes may be written small and with blanks', () => expect(countriesOf(' de, fr,DE')).toEqual(['DE', 'FR']));

it('a file of briefs leaves empty lines and comments out, and starts over', () => {
  const briefs = briefLines('# mine\r\n\r\na bakery\n  \n a hotel in Rome \n#\n', 'mine.txt', { country: 'IT' });
  expect([0, 1, 2].map((i) => briefAt(briefs, i).text)).toEqual(['a bakery', 'a hotel in Rome', 'a bakery']);
  expect(briefAt(briefs, 0).pins).toEqual({ country: 'IT' });
});

it('a file without a brief is an error', () => {
  for (const text of ['', '\n\n', '# only\n#\n'])
    expect(() => briefLines(text, 'mine.txt', {})).toThrow(expect.objectContaining({ code: 'empty_brief' }));
});

it('whatever lines there are, each slot has one of them', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), fc.nat(1000), (lines, index) => {
      const text = [...lines, 'a bakery'].join('\n');
      expect(text.split(/\r?\n/).map((line) => line.trim())).toContain(briefAt(briefLines(text, 'f', {}), index).text);
    }),
  );
});

it('brings services together that processes tie: each process begins as often as any other, and the worlds hang together', () => {
  const briefs = sweep(countriesOf('3'), industriesOf('all', '1'), 's', true);
  const count = meetingProcesses().length;
  const made = Array.from({ length: count }, (_, i) => briefAt(briefs, i));
  expect(new Set(made.map(({ pins }) => pins.archetypes?.join(' '))).size).toBeGreaterThan(count * 0.9);
  for (const { pins } of made) {
    expect(pins.archetypes?.length).toBeGreaterThanOrEqual(2);
    expect(pins.archetypes?.length).toBeLessThanOrEqual(5);
  }
  expect(made).toEqual(Array.from({ length: count }, (_, i) => briefAt(briefs, i)));
  for (const { text, pins } of made.slice(0, 12)) {
    const draft = authorFromBrief(text, { seed: 'meet', pins });
    const trade = draft.services.filter(({ role }) => role === 'domain').map(({ spec }) => spec.source.archetype);
    expect(trade.sort()).toEqual([...(pins.archetypes ?? [])].sort());
    expect(draft.processes.length).toBeGreaterThan(0);
  }
});
