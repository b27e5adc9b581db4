/** Draws single facets of a second dialect into the first, so that there are more surfaces than named styles. */
import type { Rng } from '../../kit/rng.js';
import { type Dialect, dialectFile } from './schema.js';

/** What a surface was drawn from: its own style, and the donor's facets when mixed. */
export interface Draw {
  /** `camel_page`, or `camel_page+dates,money:hyperlinks` when mixed. */
  name: string;
  dialect: Dialect;
}

const clashes = (first: Dialect, second: Dialect, taken: readonly string[]): boolean => {
  const owner = (facet: string): string => (taken.includes(facet) ? second.id : first.id);
  return dialectFile().mix.never.some((pair) =>
    pair.every((line) => {
      const [facet, id] = line.split(' of ') as [string, string];
      return owner(facet) === id;
    }),
  );
};

/** `dialect` itself, or with the file's probability a mix of it and another one; never a pair the file forbids. */
export const drawFacets = (dialect: Dialect, rng: Rng): Draw => {
  const { dialects, mix } = dialectFile();
  const others = dialects.filter((other) => other.id !== dialect.id);
  if (others.length === 0 || !rng.chance(mix.probability)) return { name: dialect.id, dialect };
  const donor = rng.pick(others);
  const taken: string[] = [];
  for (const facet of mix.facets) {
    if (rng.chance(mix.each) && !clashes(dialect, donor, [...taken, facet])) taken.push(facet);
  }
  if (taken.length === 0 || clashes(dialect, donor, taken)) return { name: dialect.id, dialect };
  const parts = Object.fromEntries(taken.map((facet) => [facet, donor[facet as keyof Dialect]]));
  return { name: `${dialect.id}+${taken.join(',')}:${donor.id}`, dialect: { ...dialect, ...parts } };
};
