/** What mixing looks at, what it makes, and the order in which it draws. */
import { sha256 } from '../../../kit/hash.js';
import type { Facets } from '../facets.js';

/** A rollout that became rows, as far as mixing looks at it. */
export interface Unit {
  id: string;
  task: string;
  facets: Facets;
}

export interface Arm {
  /** As the card's configurations are called: `user_mixed`, `source_without_state`. */
  name: string;
  /** In words, for the card. */
  says: string;
  /** Indexes of units, in the order in which subsets take them. */
  order: number[];
}

/** `state+information` holds `state`: an arm without a source has no row with it. */
export const holds = (value: string, part: string): boolean => value.split('+').includes(part);

export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'none';

/** The indexes in an order that `seed` draws, which hangs on nothing but the rollouts' ids. */
export const inDrawnOrder = (units: readonly Unit[], indexes: readonly number[], seed: string): number[] => {
  const draw = new Map(indexes.map((at) => [at, sha256(`${seed}\nmix\n${units[at]?.id}`)]));
  return [...indexes].sort((a, b) => ((draw.get(a) as string) < (draw.get(b) as string) ? -1 : 1));
};
