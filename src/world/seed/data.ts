/** The package data the seeder reads, parsed once per process when first asked for. */
import { readDataFile } from '../../kit/data-file.js';

const parsed = new Map<string, unknown>();

const load = <T>(name: string): T => {
  const known = parsed.get(name);
  if (known) return known as T;
  const value = readDataFile(name);
  parsed.set(name, value);
  return value as T;
};

export interface RuleData {
  id: string;
  match: string;
  type: string;
  format?: string;
  unique?: boolean;
  hit?: string[];
  miss?: string[];
}
export interface ConsistencyData {
  id: string;
  check: string;
  holds: Record<string, unknown>;
  breaks: Record<string, unknown>;
}
export interface ColumnsData {
  qualifiers: Record<string, string[]>;
  rules: RuleData[];
  consistency: ConsistencyData[];
  populations: { id: string; rule: string }[];
}

export interface CountryData {
  name: string;
  currency: string;
  lang: string;
  locale: string;
  names: string;
  streets: string;
  tz: string;
  /** Standard and reduced rate, percent. */
  vat: number;
  reduced: number;
  legal: string[];
  legalFirst?: boolean;
  phone: string;
  area?: number[];
  tax: [string, string];
  iban?: string;
  address: string;
  cities: string[];
}
export interface NamesData {
  female: string;
  male: string;
  last: string | { female: string; male: string };
  faker?: string;
}
export interface PlacesData {
  currencies: Record<string, [number, number]>;
  /** By country, a share of what the United States pay; `other` for those not listed. */
  wages: Record<string, number>;
  countries: Record<string, CountryData>;
  names: Record<string, NamesData>;
  streets: Record<string, string[]>;
}

export interface CompaniesData {
  forms: [string, number][];
  kin: Record<string, string>;
  tails: string[];
  coins: [string[], string[]];
  sectors: Record<string, { trade: string[]; buys: string[]; sells: string[] }>;
  departments: Record<string, string[]>;
  sector_departments: Record<string, Record<string, string[]>>;
}
export interface GoodsData {
  sectors: Record<string, { things: string[] }>;
  /** Narrower trades by the title of their NAICS code and what they deal with; `kept` ones are what such a company has in stock, too. */
  lines: { match: string; things: string[]; kept?: boolean }[];
  /** What a company of services buys and keeps, by sector and for `any`. */
  supplies: Record<string, string[]>;
}
type Lists = Record<string, string[]>;
/** What a company may deal with beyond its industry. */
export interface NarrowData {
  tag: string;
  match: string;
  values?: Lists;
  names?: Lists;
}
export interface PhrasesData {
  nouns: Lists;
  names: Lists;
  titles: Lists;
  bodies: Lists;
  /** Subjects with the texts that go with them, and `reply`: short answers. */
  threads: Record<string, [string, string][]>;
  replies: string[];
  notes: Lists;
  descriptions: Lists;
  reasons: Lists;
  /** Words of goods by the days they keep. */
  shelf_life: Record<string, string[]>;
  kinds: Lists;
  values: Lists;
  /** Values or ranges (`20..200`) of counted things by column or last word. */
  numbers: Record<string, (number | string)[]>;
  /** Texts that a column names with its `seed`. */
  lists: Lists;
  narrow: NarrowData[];
}

/** A file without its version line, made once: every cell of every row asks for it. */
const unversioned = <T>(name: string): T => {
  const key = `${name} without its version`;
  const known = parsed.get(key);
  if (known) return known as T;
  const { treadle: _version, ...rest } = load<Record<string, unknown>>(name);
  parsed.set(key, rest);
  return rest as T;
};

/** data/fitting.yaml: choices by column, the first whose condition holds. */
export const fittingData = (): Record<string, { when?: string; give: (string | number)[] | null }[]> =>
  unversioned('fitting');
/** data/paces.yaml: nouns by the pace of their processes. */
export const pacesData = (): Lists => unversioned('paces');
/** data/columns.yaml: how a column's generator is found. */
export const columnsData = (): ColumnsData => load('columns');
/** data/places.yaml: countries, cities, names, streets. */
export const placesData = (): PlacesData => load('places');
/** data/companies.yaml: company names and departments. */
export const companiesData = (): CompaniesData => load('companies');
/** data/phrases-goods.yaml: goods and services by sector. */
export const goodsData = (): GoodsData => load('phrases-goods');
let merged: PhrasesData | undefined;

const joined = (a: Lists, b: Lists): Lists => {
  const out: Lists = { ...a };
  for (const [key, list] of Object.entries(b)) out[key] = [...(out[key] ?? []), ...list];
  return out;
};

/** data/phrases.yaml and data/phrases-services.yaml: nouns, titles, sentences. */
export const phrasesData = (): PhrasesData => {
  if (merged) return merged;
  const common = load<PhrasesData>('phrases');
  const more = load<Pick<PhrasesData, 'nouns' | 'names' | 'titles' | 'lists' | 'narrow'>>('phrases-services');
  merged = {
    ...common,
    nouns: joined(common.nouns, more.nouns),
    names: { ...more.names, ...common.names },
    titles: { ...more.titles, ...common.titles },
    lists: more.lists,
    narrow: more.narrow,
  };
  return merged;
};
