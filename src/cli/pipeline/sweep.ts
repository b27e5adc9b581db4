/** Briefs for many worlds: drawn over industries and countries by the seed, or one a line of a file. */

import type { Pins } from '../../author/catalogue/author.js';
import { places } from '../../author/catalogue/brief/data.js';
import { allIndustries, isUnder } from '../../author/catalogue/brief/industry.js';
import { TreadleError } from '../../errors.js';
import { sha256 } from '../../kit/hash.js';
import { type Rng, rng } from '../../kit/rng.js';
import { combinationOf, meetingProcesses } from './combine.js';

/** One world's brief and what is fixed beside it. */
export interface SlotBrief {
  text: string;
  pins: Pins;
}

/** Many briefs as an input, plain data for worker processes: which one a slot gets depends on its number and the seed only. */
export interface Briefs {
  kind: 'briefs';
  /** What they are, for people. */
  text: string;
  name: string;
  hash: string;
  from:
    | { lines: readonly string[]; pins: Pins }
    | { countries: readonly string[]; industries: readonly SweptIndustry[]; seed: string; combines?: true };
}

const badList = (option: string, value: string, next: string): TreadleError =>
  new TreadleError({ code: 'bad_option', message: `${option} names nothing that is known`, value, next });

/** `50` (those best known here, by how many of their places are), `all`, or codes separated by commas. Throws `bad_option`. */
export const countriesOf = (given: string): string[] => {
  const known = Object.keys(places().countries);
  const townsOf = (code: string): number => places().countries[code]?.cities.length ?? 0;
  if (given === 'all') return known;
  if (/^\d+$/.test(given)) {
    const n = Number(given);
    if (n >= 1 && n <= known.length)
      return [...known]
        .sort((a, b) => townsOf(b) - townsOf(a) || (a < b ? -1 : 1))
        .slice(0, n)
        .sort();
    throw badList('--countries', given, `Give a number from 1 to ${known.length}, all, or codes such as DE,FR.`);
  }
  const codes = [
    ...new Set(
      given
        .toUpperCase()
        .split(',')
        .map((code) => code.trim())
        .filter(Boolean),
    ),
  ];
  const unknown = codes.filter((code) => !known.includes(code));
  if (codes.length > 0 && unknown.length === 0) return codes;
  throw badList('--countries', unknown.join(',') || given, `Give all, a number, or some of: ${known.join(' ')}.`);
};

export interface SweptIndustry {
  code: string;
  title: string;
  examples: readonly string[];
}

/** The package marks titles that hold in all three countries with a T at the end. */
const plainTitle = (title: string): string =>
  title
    .trim()
    .replace(/(?<=[a-z)])T$/, '')
    .trim();

/** What a description lists as examples of the industry: short names of trades. */
const examplesIn = (description: string): string[] => {
  const [, listed = ''] = /Illustrative Examples:([\s\S]*?)(?:Cross-References|$)/.exec(description) ?? [];
  return listed
    .split(/\r?\n|\u2022|;/)
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => /^[A-Z][A-Za-z ,'()-]{5,70}$/.test(line) && !/\(except|not elsewhere|other /i.test(line));
};

/**
 * `all` of NAICS 2017 on its five levels, a number of them drawn by the seed, or codes separated by commas: each stands for itself
 * and what is under it. Throws `bad_option`.
 */
export const industriesOf = (given: string, seed: string): SweptIndustry[] => {
  const all = allIndustries().map(({ code, title, description }) => ({
    code,
    title: plainTitle(title),
    examples: examplesIn(description),
  }));
  if (given === 'all') return all;
  if (/^\d$|^\d{3,4}$/.test(given) && !all.some(({ code }) => isUnder(code, given)) && Number(given) >= 1) {
    if (Number(given) <= all.length) return rng(seed, 'sweep', 'industries').sample(all, Number(given));
  }
  const prefixes = given
    .split(',')
    .map((code) => code.trim())
    .filter(Boolean);
  const unknown = prefixes.filter(
    (prefix) => !/^(\d{2,6}|\d\d-\d\d)$/.test(prefix) || !all.some(({ code }) => isUnder(code, prefix)),
  );
  if (prefixes.length > 0 && unknown.length === 0)
    return all.filter(({ code }) => prefixes.some((prefix) => isUnder(code, prefix)));
  throw badList('--industries', unknown.join(',') || given, 'Give all, or NAICS codes such as 62,7225,311811.');
};

const SHAPES = [
  (what: string, where: string, people: number) => `${what} in ${where}, ${people} people`,
  (what: string, where: string, people: number) => `We are a company of ${people} in ${where}. Our business: ${what}.`,
  (what: string, where: string, people: number) => `${where}: ${what}, about ${people} employees`,
  (what: string, where: string, people: number) => `A firm with ${people} staff in ${where}; what we do is ${what}.`,
] as const;

/** A title inside a sentence; abbreviations stay as they are. */
const lower = (text: string): string => text.replace(/\b[A-Z](?=[a-z])/g, (first) => first.toLowerCase());

/** The item of a slot: every block of slots goes once over all items, each block in another order. */
const dealt = <T>(items: readonly T[], index: number, seed: string, name: string): T => {
  const block = Math.floor(index / items.length);
  return rng(seed, 'sweep', name, String(block)).shuffle(items)[index % items.length] as T;
};

/** Briefs over industries and countries, each of both as often as any other. */
export const sweep = (
  countries: readonly string[],
  industries: readonly SweptIndustry[],
  seed: string,
  combines = false,
): Briefs => ({
  kind: 'briefs',
  text: `Companies of ${industries.length} industries in ${countries.length} countries${combines ? ', of services that never met' : ''}`,
  name: combines ? 'processes x countries' : 'industries x countries',
  hash: sha256(JSON.stringify([countries, industries.map(({ code }) => code), ...(combines ? ['combines'] : [])])),
  from: { countries, industries, seed, ...(combines ? { combines } : {}) },
});

/** An industry of the sectors, of those that are swept; any where the process is everybody's or none is of its sectors. */
const industryFor = (industries: readonly SweptIndustry[], sectors: readonly string[], draw: Rng): SweptIndustry => {
  const own = industries.filter(({ code }) => sectors.some((sector) => isUnder(code, sector)));
  return draw.pick(own.length > 0 ? own : industries);
};

/** The brief of a slot. */
export const briefAt = ({ from }: Briefs, index: number): SlotBrief => {
  if ('lines' in from) return { text: from.lines[index % from.lines.length] as string, pins: from.pins };
  const { countries, industries, seed, combines } = from;
  const draw = rng(seed, 'sweep', 'brief', String(index));
  const country = dealt(countries, index, seed, 'country');
  const met = combines
    ? combinationOf(dealt(meetingProcesses(), index, seed, 'process'), draw.stream('combine'))
    : undefined;
  const industry = met
    ? industryFor(industries, met.sectors, draw.stream('industry'))
    : dealt(industries, index, seed, 'industry');
  const towns = (places().countries[country]?.cities ?? []).filter((city) => /^[\p{Script=Latin} .'-]+$/u.test(city));
  const where = draw.pick(towns.slice(0, 6));
  const what = industry.examples.length > 0 && draw.chance(0.5) ? draw.pick(industry.examples) : industry.title;
  const people = Math.round(6 * 2 ** (draw.unit() * 6));
  const shape = draw.pick(SHAPES);
  return {
    text: shape(lower(what), where, people),
    pins: { country, industry: industry.code, ...(met ? { archetypes: met.archetypes } : {}) },
  };
};

/** The lines of a file, empty ones and comments (#) left out; slots beyond the last start over. Throws `empty_brief`. */
export const briefLines = (text: string, name: string, pins: Pins): Briefs => {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length === 0)
    throw new TreadleError({
      code: 'empty_brief',
      message: 'There is no brief in the file',
      value: name,
      next: 'Write one brief a line; lines that start with # are left out.',
    });
  return {
    kind: 'briefs',
    text: `${lines.length} briefs of ${name}`,
    name,
    hash: sha256(lines.join('\n')),
    from: { lines, pins },
  };
};
