/** Values inside JSON by a dotted path (`$.rows[0].id`, `due.gte`): read, or put into a copy. */
import type { Json } from './hash.js';

export const stepsOf = (path: string): string[] =>
  path
    .replace(/^\$/, '')
    .split(/[.[\]"']+/)
    .filter(Boolean);

/** Undefined where the path leads nowhere. */
export const valueAt = (value: Json | undefined, path: string): Json | undefined =>
  stepsOf(path).reduce<Json | undefined>((inner, key) => {
    if (inner === null || typeof inner !== 'object') return undefined;
    if (Array.isArray(inner)) return inner[Number(key)];
    return Object.hasOwn(inner, key) ? inner[key] : undefined;
  }, value);

const placed = (into: Json | undefined, [head, ...rest]: readonly string[], value: Json): Json => {
  if (head === undefined) return value;
  if (Array.isArray(into)) return into.map((item, i) => (String(i) === head ? placed(item, rest, value) : item));
  const below = into !== null && typeof into === 'object' ? into : {};
  return { ...below, [head]: placed(below[head], rest, value) };
};

/** A copy of `into` with `value` at the path; objects on the way are made. */
export const withValueAt = (into: Record<string, Json>, path: string, value: Json): Record<string, Json> =>
  placed(into, stepsOf(path), value) as Record<string, Json>;
