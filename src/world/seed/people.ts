/** Names of people by country: own lists of common names, with a pinned faker locale's lists behind them. */
import { createRequire } from 'node:module';
import type { Rng } from '../../kit/rng.js';
import { type NamesData, placesData } from './data.js';

export interface Person {
  first: string;
  last: string;
  gender: 'female' | 'male';
}

interface Names {
  female: string[];
  male: string[];
  last: { female: string[]; male: string[] };
}

const words = (text: string): string[] => text.split(' ').map((word) => word.replaceAll('_', ' '));

const require = createRequire(import.meta.url);
const LATIN = /^[\p{Script=Latin} .'-]{2,20}$/u;

const list = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string' && LATIN.test(item)) : [];

/** faker's own lists: its definitions are data, so they are drawn from with our streams and not with its generator. */
const fromFaker = (locale: string): Names => {
  const { faker } = require(`@faker-js/faker/locale/${locale}`) as {
    faker: { rawDefinitions: { person?: Record<string, Record<string, unknown> | undefined> } };
  };
  const { first_name: first = {}, last_name: last = {} } = faker.rawDefinitions.person ?? {};
  const generic = list(last.generic);
  return {
    female: list(first.female),
    male: list(first.male),
    last: { female: [...list(last.female), ...generic], male: [...list(last.male), ...generic] },
  };
};

const compile = (data: NamesData): Names => {
  const last = typeof data.last === 'string' ? { female: data.last, male: data.last } : data.last;
  const own: Names = {
    female: words(data.female),
    male: words(data.male),
    last: { female: words(last.female), male: words(last.male) },
  };
  if (!data.faker) return own;
  const more = fromFaker(data.faker);
  // Own names stand four times: common names are common, and faker's rare ones stay rare.
  const mix = (common: string[], rare: string[]): string[] =>
    rare.length === 0
      ? common
      : [
          ...Array.from({ length: Math.max(1, Math.round((1.5 * rare.length) / common.length)) }, () => common).flat(),
          ...rare,
        ];
  return {
    female: mix(own.female, more.female),
    male: mix(own.male, more.male),
    last: { female: mix(own.last.female, more.last.female), male: mix(own.last.male, more.last.male) },
  };
};

const known = new Map<string, Names>();
const namesOf = (culture: string): Names => {
  const found = known.get(culture);
  if (found) return found;
  const data = placesData().names[culture] ?? (placesData().names.en as NamesData);
  const names = compile(data);
  known.set(culture, names);
  return names;
};

/** A person of a name culture; `last` keeps a surname (its other form where the culture bends surnames). */
export const drawPerson = (culture: string, r: Rng, like?: Person): Person => {
  const names = namesOf(culture);
  const gender = r.chance(0.5) ? 'female' : 'male';
  const first = r.pick(names[gender]);
  const at = like ? names.last[like.gender].indexOf(like.last) : -1;
  const same = at >= 0 ? names.last[gender][at] : undefined;
  return { first, last: same ?? r.pick(names.last[gender]), gender };
};

const ASCII: Record<string, string> = {
  ß: 'ss',
  ø: 'o',
  å: 'a',
  æ: 'ae',
  œ: 'oe',
  ð: 'd',
  þ: 'th',
  đ: 'd',
  ł: 'l',
  ı: 'i',
  ə: 'a',
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ŋ: 'n',
  ħ: 'h',
};

/** Lower-case ASCII letters, digits and dots of a name; '' when nothing is left. */
export const asciiOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[ßøåæœðþđłıəäöüŋħ]/g, (char) => ASCII[char] as string)
    .normalize('NFD')
    .replace(/[^a-z0-9]/g, '');

export const fullName = (person: Person): string => `${person.first} ${person.last}`;

/** `first.last`; particles and double surnames run together. */
export const mailName = (person: Person): string => `${asciiOf(person.first)}.${asciiOf(person.last)}`;
