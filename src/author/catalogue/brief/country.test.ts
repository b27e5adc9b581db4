/** Where a company is, said in a language that is not the country's own (data/exonyms.yaml). */
import { expect, it } from 'vitest';
import { guessCountry } from './country.js';
import { exonyms } from './data.js';
import { readBrief } from './reading.js';

const countryOf = (text: string): string | undefined => {
  const { brief, language } = readBrief(text);
  return guessCountry(brief, language.code).code;
};

it.each([
  ['bakery in Luxemburg', 'LU'],
  ['private Kita in Luxemburg-Stadt, 45 Plätze', 'LU'],
  ['obchod s koly v Rakousku', 'AT'],
  ['sklep rowerowy w Niemczech', 'DE'],
  ['kawiarnia na Węgrzech', 'HU'],
  ['kavárna ve Španělsku', 'ES'],
  ['Étterem Ausztriában, 40 férőhely', 'AT'],
  ['オーストリアのホテル', 'AT'],
])('%s', (text, country) => expect(countryOf(text)).toBe(country));

it('a market is not the place: who exports to Austria is not there', () =>
  expect(countryOf('Kleine Brauerei, wir exportieren nach Österreich und Italien')).toBe(undefined));

it('no stem of one country begins the name of another', () => {
  const names = Object.entries(exonyms().countries).flatMap(([code, line]) =>
    line.split('|').map((name) => ({ code, stem: name.endsWith('*') ? name.slice(0, -1) : undefined, name })),
  );
  const clashes = names.flatMap(({ code, stem }) =>
    stem === undefined
      ? []
      : names
          .filter((other) => other.code !== code && other.name.startsWith(stem))
          .map((other) => `${stem} ${other.name}`),
  );
  expect(clashes).toEqual([]);
});
