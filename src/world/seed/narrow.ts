/** Narrower words of a company that deals with something beyond its industry: horses, bees, tattoos (data/phrases-services.yaml). */
import type { Company } from '../../artifacts/world.js';
import { type NarrowData, phrasesData } from './data.js';

const SAID = /Deals with ([^.]*)\./;

const known = new WeakMap<Company, NarrowData[]>();

/** What the company's `about` says that it deals with. */
export const narrowOf = (company: Company): NarrowData[] => {
  const found = known.get(company);
  if (found) return found;
  const tags = new Set((SAID.exec(company.about)?.[1] ?? '').split(', '));
  const list = phrasesData().narrow.filter(({ tag }) => tags.has(tag));
  known.set(company, list);
  return list;
};

/** The words that name what it deals with, for lists of goods. */
export const dealsWith = (company: Company): string =>
  narrowOf(company)
    .map(({ tag }) => tag)
    .join(' ');

/** Values of a column, of the first thing dealt with that has some. */
export const narrowValues = (company: Company, noun: string, col: string): string[] | undefined => {
  for (const { values } of narrowOf(company)) {
    const list = values?.[`${noun} ${col}`] ?? values?.[col];
    if (list) return list;
  }
  return undefined;
};

/** Names of rows of a noun. */
export const narrowNames = (company: Company, nouns: readonly string[]): string[] | undefined => {
  for (const { names } of narrowOf(company)) for (const noun of nouns) if (names?.[noun]) return names[noun];
  return undefined;
};
