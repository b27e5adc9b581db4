/** Train and validation by lineage, never by row. */
import { sha256 } from '../../kit/hash.js';

export type Split = 'train' | 'validation';

/**
 * Assigns each lineage (with its number of rows) to a side, in an order drawn by `seed`: validation takes lineages as long as it
 * stays within its share of the rows (it gets at least one where there are two or more and the share is above 0).
 */
export const splitLineages = (rows: ReadonlyMap<string, number>, share: number, seed: string): Map<string, Split> => {
  const drawn = [...rows.keys()].map((lineage) => ({ lineage, draw: sha256(`${seed}\n${lineage}`) }));
  drawn.sort((a, b) => (a.draw < b.draw ? -1 : 1));
  const total = [...rows.values()].reduce((sum, n) => sum + n, 0);
  const sides = new Map<string, Split>(drawn.map(({ lineage }) => [lineage, 'train']));
  if (share <= 0 || drawn.length < 2) return sides;
  let taken = 0;
  for (const { lineage } of drawn) {
    const n = rows.get(lineage) ?? 0;
    if (taken + n > total * share) continue;
    sides.set(lineage, 'validation');
    taken += n;
  }
  if (taken === 0) {
    const smallest = drawn.reduce((least, other) =>
      (rows.get(other.lineage) ?? 0) < (rows.get(least.lineage) ?? 0) ? other : least,
    );
    sides.set(smallest.lineage, 'validation');
  }
  return sides;
};
