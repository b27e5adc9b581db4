/** Values that a schema lists: the one that is meant, in the document's own spelling. */
import { canonicalJson, type Json } from '../../../kit/hash.js';
import { drawAt } from './draw.js';
import type { Scalar } from './text.js';

const loose = (value: Json): string =>
  String(value)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '');

export const listedScalar = (listed: readonly Json[], examples: readonly unknown[]): Scalar => {
  const exact = new Set<unknown>(listed.filter((value) => typeof value !== 'object' || value === null));
  const texts = new Set(
    listed.filter((value) => typeof value === 'object' && value !== null).map((one) => canonicalJson(one)),
  );
  const byWord = new Map<string, Json>();
  for (const value of listed)
    if (typeof value !== 'object' && !byWord.has(loose(value))) byWord.set(loose(value), value);
  const accepts = (value: Json): boolean =>
    exact.has(value) ||
    (texts.size > 0 && typeof value === 'object' && value !== null && texts.has(canonicalJson(value)));
  const example = examples.find((one) => one !== null && one !== undefined && accepts(one as Json)) as Json | undefined;
  const pool = listed.length > 1 ? listed.filter((value) => value !== null && value !== '') : listed;
  return {
    accepts,
    from: (value) => (accepts(value) ? value : typeof value === 'object' ? undefined : byWord.get(loose(value))),
    make: (place) => example ?? (pool.length > 0 ? drawAt(place).pick(pool) : (listed[0] ?? null)),
  };
};
