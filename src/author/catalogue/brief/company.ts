/** The company behind a brief: what the text says of it, and seeded choices for the rest, each said to be one. */
import { countries as worldCountries } from 'countries-list';
import countryToCurrency, { type Countries } from 'country-to-currency';
import type { Company, Evidence } from '../../../artifacts/world.js';
import { TreadleError } from '../../../errors.js';
import type { Rng } from '../../../kit/rng.js';
import { kebab } from '../../../kit/words.js';
import { phrasesData } from '../../../world/seed/data.js';
import { inventName, nameInText } from './company-name.js';
import type { CountryGuess } from './country.js';
import { languages, places } from './data.js';
import { type Industry, industryOf } from './industry.js';
import { guessSize } from './size.js';
import { type BriefText, fold } from './text.js';
import { industryCode, type TradeMatch } from './trade.js';

/** Where worlds are placed when the text does not say: common business countries with good local data. */
const DEFAULTS: readonly (readonly [string, number])[] = [
  ['US', 6],
  ['GB', 4],
  ['DE', 3],
  ['IE', 2],
  ['NL', 2],
  ['CA', 2],
  ['AU', 2],
  ['SE', 1],
];

export interface CompanyRequest {
  brief: BriefText;
  where: CountryGuess;
  /** Code of the brief's language; where no country is named, the country is drawn among those that speak it. */
  language: string;
  trade: TradeMatch | undefined;
  pins: { country?: string | undefined; industry?: string | undefined };
  rng: Rng;
}

const countryOf = ({ where, pins, rng, language }: CompanyRequest, evidence: Evidence[]): string => {
  if (pins.country) {
    const code = pins.country.toUpperCase();
    if (!places().countries[code])
      throw new TreadleError({
        code: 'unknown_country',
        message: `Country ${pins.country} is not known`,
        value: pins.country,
        next: `Give one of: ${Object.keys(places().countries).join(' ')}.`,
      });
    evidence.push({ choice: `country ${code}`, because: 'pinned by the caller', kind: 'note' });
    return code;
  }
  evidence.push(...where.evidence);
  if (where.code && places().countries[where.code]) return where.code;
  const spoken = Object.entries(languages()[language]?.countries ?? {}).filter(([code]) => places().countries[code]);
  const code = rng.stream('country').weighted(spoken.length > 0 ? spoken : DEFAULTS);
  const because = where.code
    ? `${where.code} has no place data here, so a default was drawn`
    : spoken.length > 0
      ? `the text does not say where; a default drawn among the countries that speak ${languages()[language]?.name}`
      : 'the text does not say where; this is a default drawn by the seed';
  evidence.push({ choice: `country ${code}`, because, kind: 'default' });
  return code;
};

const employeesOf = ({ brief, rng }: CompanyRequest, evidence: Evidence[]): number => {
  const size = guessSize(brief);
  const employees = size?.employees ?? Math.round(6 * 2 ** (rng.stream('size').unit() * 4.5));
  evidence.push({
    choice: `${employees} employees`,
    because: size ? `"${size.says}"` : 'the text does not say; a default drawn by the seed',
    kind: size ? 'words' : 'default',
  });
  return employees;
};

const industryFor = ({ trade, pins, brief }: CompanyRequest, evidence: Evidence[]): Industry => {
  if (pins.industry) {
    const industry = industryOf(pins.industry);
    evidence.push({
      choice: `industry ${industry.naics} ${industry.title}`,
      because: 'pinned by the caller',
      kind: 'note',
    });
    return industry;
  }
  const industry = industryOf(trade ? industryCode(trade, brief) : '541611');
  evidence.push({
    choice: `industry ${industry.naics} ${industry.title}`,
    because: trade
      ? trade.says
          .slice(0, 3)
          .map((word) => `"${word}"`)
          .join(', ')
      : 'the text names no kind of business that is known; this is a default',
    kind: trade ? 'words' : 'default',
  });
  return industry;
};

const MOST_DEALS = 3;

/** What the brief says the company deals with beyond its industry, in the words of data/phrases-services.yaml. */
const dealtWith = (brief: BriefText): string[] => {
  const text = brief.tokens
    .filter(({ denied }) => !denied)
    .flatMap(({ word, alts = [] }) => [word, ...alts])
    .join(' ');
  return phrasesData()
    .narrow.filter(({ match }) => new RegExp(match, 'u').test(text))
    .map(({ tag }) => tag)
    .slice(0, MOST_DEALS);
};

const MOST_TITLE = 60;

/** The company, with evidence for every choice. Throws `unknown_country` and `unknown_industry` for pins. */
export const drawCompany = (request: CompanyRequest): { company: Company; evidence: Evidence[] } => {
  const { brief, where, trade, rng } = request;
  const evidence: Evidence[] = [];
  const country = countryOf(request, evidence);
  const place = places().countries[country];
  if (!place) throw new Error(`no place data for ${country}`);
  const own = where.code === country && where.city;
  const cities = place.cities.filter((city) => /^[\p{Script=Latin} .'-]+$/u.test(city));
  const towns = own ? places().regions[country]?.[own] : undefined;
  const city = towns ? rng.stream('city').pick(towns) : own || rng.stream('city').pick(cities.slice(0, 6));
  if (towns) evidence.push({ choice: `city ${city}`, because: `a town of ${own}, drawn by the seed`, kind: 'draw' });
  if (!own) evidence.push({ choice: `city ${city}`, because: 'the text names none; drawn by the seed', kind: 'draw' });
  const industry = industryFor(request, evidence);
  const said = nameInText(brief);
  const noun = trade?.trade.noun ?? 'Services';
  const name =
    said ?? inventName(rng.stream('name'), noun, /^\p{Script=Latin}/u.test(city) ? city : (cities[0] ?? 'Central'));
  evidence.push({
    choice: `name ${name}`,
    because: said ? 'the text names it' : 'the text gives no name; invented by the seed',
    kind: said ? 'words' : 'draw',
  });
  const deals = dealtWith(brief);
  const employees = employeesOf(request, evidence);
  const currency = countryToCurrency[country as Countries] ?? 'EUR';
  const english = worldCountries[country as keyof typeof worldCountries]?.name ?? country;
  return {
    company: {
      name,
      legalName: `${name} ${rng.stream('legal').pick(place.legal)}`,
      domain: `${
        kebab(
          fold(name)
            .normalize('NFKD')
            .replace(/[^\x20-\x7e]/g, ''),
        ).slice(0, 40) || 'company'
      }.example`,
      about: `${industry.title.slice(0, MOST_TITLE)} in ${city}, ${english}.${deals.length > 0 ? ` Deals with ${deals.join(', ')}.` : ''}`,
      country,
      city,
      timezone: place.zones?.[city] ?? place.tz,
      currency,
      locale: place.locale,
      industry,
      employees,
      founded: 2024 - Math.round(2 ** (rng.stream('founded').unit() * 5.5)),
    },
    evidence,
  };
};
