/** Company names by our own grammar (data/companies.yaml), and what a company of a sector sells. */
import type { Rng } from '../../kit/rng.js';
import { companiesData, goodsData } from './data.js';
import { asciiOf, drawPerson, type Person } from './people.js';
import { type Country, makePlace, type Place } from './places.js';

export interface Firm {
  name: string;
  legalName: string;
  domain: string;
  sector: string;
  trade: string;
  place: Place;
  contact: Person;
  headcount: number;
}

export interface Article {
  name: string;
  /** Family the variants share. */
  thing: string;
  sku: string;
  unit: string;
  /** US dollars. */
  price: number;
}

const KNOWN_SECTORS = (): string[] => Object.keys(companiesData().sectors).sort();

/** `311811`, `31-33`, '' -> a sector with data. */
export const sectorOf = (naics: string): string => {
  const two = naics.slice(0, 2);
  return companiesData().sectors[two] ? two : '42';
};

const coin = (r: Rng): string => {
  const [front, back] = companiesData().coins;
  return r.pick(front) + r.pick(back);
};

/** A company of `sector` in `country`. Names are drawn once per `used` (first words, lower case), which grows. */
export const drawFirm = (country: Country, sector: string, r: Rng, used: Set<string>, like?: Firm): Firm => {
  const data = companiesData();
  const place = makePlace(country, r);
  const { trade: trades = ['Trading'] } = data.sectors[sector] ?? {};
  let name = '';
  let trade = '';
  for (let tries = 0; tries < 40; tries++) {
    trade = r.pick(trades);
    const form = like ? '{like} {trade}' : r.weighted(data.forms);
    name = form
      .replace('{like}', like?.name.split(' ')[0] ?? '')
      .replace('{founder2}', drawPerson(country.names, r).last)
      .replace('{founder}', drawPerson(country.names, r).last)
      .replace('{place}', place.city.name)
      .replace('{coin}', coin(r))
      .replace('{trade}', trade)
      .replace('{tail}', r.pick(data.tails))
      .replace('{kin}', data.kin[country.lang.slice(0, 2)] ?? (data.kin.en as string));
    const key = like ? name.toLowerCase() : (name.split(' ')[0] ?? '').toLowerCase();
    if (!used.has(key) && !used.has(name.toLowerCase())) {
      used.add(key);
      break;
    }
  }
  used.add(name.toLowerCase());
  const form = r.pick(country.legal);
  const domain = asciiOf(name).slice(0, 24) || 'firm';
  return {
    name,
    legalName: country.legalFirst ? `${form.trim()} ${name}` : name + form,
    domain: `${domain}.example`,
    sector,
    trade,
    place,
    contact: drawPerson(country.names, r),
    headcount: Math.round(Math.exp(2.5 + r.normal() * 1.1)) + 2,
  };
};

const skuPart = (text: string): string =>
  asciiOf(text)
    .toUpperCase()
    .replace(/[AEIOU]/g, (vowel, at: number) => (at === 0 ? vowel : ''))
    .slice(0, 3);

/** `box of 10` -> BX10, `1.5 kW` -> 15KW */
const sizePart = (size: string): string => {
  const digits = size.replace(/[^0-9]/g, '');
  const letters = size.replace(/[^A-Za-z]/g, '').toUpperCase();
  return digits
    ? `${letters
        .replace(/OF$/, '')
        .replace(/[AEIOU]/g, '')
        .slice(0, 2)}${digits}`.slice(0, 6)
    : skuPart(size);
};

interface Thing {
  name: string;
  low: number;
  high: number;
  unit: string;
  makes: string[];
  sizes: string[];
}

/** A trade with so many supplies of its own keeps no others in stock. */
const OWN_SUPPLIES = 4;

/** Things of a narrower trade where its title names one (`Breweries`), else of the sector; `supplies` are what it buys for itself. */
const thingsOf = (sector: string, title: string, supplies: boolean, naics: string): Thing[] => {
  const { sectors, lines, supplies: bought } = goodsData();
  const line = lines.find(({ match, kept }) => (kept || !supplies) && new RegExp(match, 'i').test(title));
  // By the longest code listed: a laboratory is no office.
  const at = Object.keys(bought)
    .filter((code) => naics.startsWith(code))
    .sort((a, b) => b.length - a.length)[0];
  const own = bought[at ?? sector] ?? [];
  const things =
    supplies && !line
      ? own.length >= OWN_SUPPLIES
        ? own
        : [...own, ...(bought.any ?? [])]
      : (line?.things ?? (sectors[sector] ?? (sectors['42'] as never)).things);
  return things.map((text) => {
    const [name = '', low = '1', high = '10', unit = 'each', makes = '', sizes = ''] = text.split('|');
    return {
      name,
      low: Number(low),
      high: Number(high),
      unit,
      makes: makes.split('/'),
      sizes: sizes === '' ? [''] : sizes.split('/'),
    };
  });
};

/** Articles of the sector in families of two to six that differ in one word; larger sizes cost more. */
export const drawArticles = (
  sector: string,
  count: number,
  r: Rng,
  title = '',
  supplies = false,
  naics = sector,
): Article[] => {
  const out: Article[] = [];
  const names = new Set<string>();
  const skus = new Set<string>();
  const add = (thing: Thing, make: string, size: string, mark = ''): void => {
    const name = `${[make, thing.name].filter(Boolean).join(' ')}${size ? `, ${size}` : ''}${mark}`;
    if (names.has(name) || out.length >= count) return;
    names.add(name);
    const base = [
      skuPart(thing.name.split(' ').at(-1) ?? thing.name),
      skuPart(make || thing.name),
      size ? sizePart(size) : '',
    ]
      .filter(Boolean)
      .join('-');
    let sku = base;
    for (let n = 2; skus.has(sku); n++) sku = `${base}-${n}`;
    skus.add(sku);
    const step = thing.sizes.length > 1 ? thing.sizes.indexOf(size) / (thing.sizes.length - 1) : 0.3;
    const price = thing.low + (thing.high - thing.low) * Math.min(1, step * 0.7 + r.unit() * 0.3);
    out.push({ name, thing: thing.name, sku, unit: thing.unit, price });
  };
  const things = r.shuffle(thingsOf(sector, title, supplies, naics));
  // Families first: one make in several sizes, then the other makes until there are enough.
  for (const thing of things) {
    const make = r.pick(thing.makes);
    for (const size of r.sample(thing.sizes, 3).sort((a, b) => thing.sizes.indexOf(a) - thing.sizes.indexOf(b)))
      add(thing, make, size);
  }
  for (let tries = 0; out.length < count && tries < count * 20; tries++) {
    const thing = r.pick(things);
    add(thing, r.pick(thing.makes), r.pick(thing.sizes));
  }
  for (let n = 2; out.length < count; n++) {
    const thing = r.pick(things);
    add(thing, r.pick(thing.makes), r.pick(thing.sizes), ` no. ${n}`);
  }
  return out;
};

/** Sectors a firm of `sector` buys from or sells to. */
export const chainOf = (sector: string, side: 'buys' | 'sells'): string[] =>
  companiesData().sectors[sector]?.[side] ?? KNOWN_SECTORS();
