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

/** Articles of the sector in families of three to six that differ in one word; cheapest things first drawn at random. */
export const drawArticles = (sector: string, count: number, r: Rng): Article[] => {
  const { things, makes, sizes } = goodsData().sectors[sector] ?? (goodsData().sectors['42'] as never);
  const out: Article[] = [];
  const names = new Set<string>();
  const skus = new Set<string>();
  const add = (text: string, make: string, size: string): void => {
    const [thing = '', low = '1', high = '10', unit = 'each'] = text.split('|');
    const name = [make, thing, size && `${size}`].filter(Boolean).join(' ');
    if (names.has(name) || out.length >= count) return;
    names.add(name);
    const base = [
      skuPart(thing.split(' ').at(-1) ?? thing),
      skuPart(make || thing),
      size
        ? size
            .replace(/[^A-Za-z0-9]/g, '')
            .toUpperCase()
            .slice(0, 5)
        : '',
    ]
      .filter(Boolean)
      .join('-');
    let sku = base;
    for (let n = 2; skus.has(sku); n++) sku = `${base}-${n}`;
    skus.add(sku);
    const [a, b] = [Number(low), Number(high)];
    out.push({ name, thing, sku, unit, price: a + (b - a) * r.unit() ** 1.6 });
  };
  for (const thing of r.shuffle(things)) {
    const make = r.pick(makes);
    for (const size of r.sample(sizes, r.int(2, 4))) add(thing, make, size);
    if (r.chance(0.5)) add(thing, r.pick(makes), r.pick(sizes));
  }
  for (let tries = 0; out.length < count && tries < count * 20; tries++)
    add(r.pick(things), r.pick(makes), r.pick(sizes));
  for (let n = 2; out.length < count; n++) add(r.pick(things), r.pick(makes), `${r.pick(sizes)} no. ${n}`);
  return out;
};

/** Sectors a firm of `sector` buys from or sells to. */
export const chainOf = (sector: string, side: 'buys' | 'sells'): string[] =>
  companiesData().sectors[sector]?.[side] ?? KNOWN_SECTORS();
