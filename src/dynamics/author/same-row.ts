/** A value that stood somewhere in a result, looked up in another result of the same call: rows may have moved, gone or come. */
import type { Json } from '../../kit/hash.js';
import { stepsOf } from '../../kit/json-path.js';

type Leaves = ReadonlyMap<string, Json>;

const leavesOf = (value: Json | undefined, at = '', into = new Map<string, Json>()): Map<string, Json> => {
  if (value !== null && typeof value === 'object')
    for (const [key, inner] of Object.entries(value)) leavesOf(inner as Json, `${at}.${key}`, into);
  else if (value !== undefined) into.set(at, value);
  return into;
};

/** What no other row of the list says: by that a row is known again. */
const marksOf = (rows: readonly Leaves[], own: number): [string, Json][] =>
  [...(rows[own] ?? [])].filter(
    ([path, value]) => value !== null && rows.every((row, n) => n === own || row.get(path) !== value),
  );

/** The row of `now` that is row `index` of `before`: the one that shares most of its marks, half of them at least. */
const sameRow = (before: readonly Json[], now: readonly Json[], index: number): Json | undefined => {
  const isPlain = typeof before[index] !== 'object';
  if (isPlain || before.length === 0) return now[index];
  const marks = marksOf(
    before.map((row) => leavesOf(row)),
    index,
  );
  if (marks.length === 0) return now[index];
  const shared = now.map((row) => {
    const leaves = leavesOf(row);
    return marks.filter(([path, value]) => leaves.get(path) === value).length;
  });
  const most = Math.max(0, ...shared);
  if (most * 2 < marks.length || most === 0) return undefined;
  return now[shared[index] === most ? index : shared.indexOf(most)];
};

/** The value that stands in `now` where `path` led in `before`; undefined where its row is not there any more. */
export const valueNow = (before: Json | undefined, now: Json | undefined, path: string): Json | undefined => {
  let [old, here]: [Json | undefined, Json | undefined] = [before, now];
  for (const step of stepsOf(path)) {
    if (here === null || typeof here !== 'object') return undefined;
    const index = Number(step);
    if (Array.isArray(here)) here = Array.isArray(old) ? sameRow(old, here, index) : here[index];
    else here = Object.hasOwn(here, step) ? here[step] : undefined;
    old = old !== null && typeof old === 'object' ? (old as Record<string, Json>)[step] : undefined;
  }
  return here;
};
