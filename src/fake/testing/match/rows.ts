/** Rows that are like a partial row, and the nearest where none is. */
import { TreadleError } from '../../../errors.js';
import { nearNames } from '../../../kit/near.js';
import { snake } from '../../../kit/words.js';
import type { HeldRow } from '../tables.js';
import { isLike, shownOf } from './like.js';

/** Fields as the API names them, or columns as they are stored; a field that is an object is compared in part. */
export type Where = Readonly<Record<string, unknown>>;

export interface Difference {
  field: string;
  expected: unknown;
  actual: unknown;
}

/** The values that a field may mean: as it is shown, and as it is stored. */
const valuesOf = ({ shown, stored }: HeldRow, field: string): unknown[] => {
  const plain = snake(field);
  return [
    ...(Object.hasOwn(shown, field) ? [shown[field]] : []),
    ...(Object.hasOwn(stored, field) ? [stored[field]] : []),
    ...(plain !== field && Object.hasOwn(stored, plain) ? [stored[plain]] : []),
  ];
};

/** SQLite keeps flags as 0 and 1. */
const fits = (expected: unknown, values: readonly unknown[]): boolean => {
  if (values.length === 0) return expected === undefined;
  return values.some((actual) => isLike(expected, actual) || (expected === undefined && actual === null));
};

export const differences = (row: HeldRow, where: Where): Difference[] =>
  Object.entries(where).flatMap(([field, expected]) => {
    const values = valuesOf(row, field);
    return fits(expected, values) ? [] : [{ field, expected, actual: values[0] }];
  });

const fieldsOf = (rows: readonly HeldRow[]): string[] => {
  const [first] = rows;
  return first ? [...new Set([...Object.keys(first.shown), ...Object.keys(first.stored)])] : [];
};

/** Throws `unknown_field` where rows have no such field at all: a mistyped test must not pass as "no such row". */
export const checkFields = (rows: readonly HeldRow[], where: Where, columns: readonly string[]): void => {
  const names = [...new Set([...fieldsOf(rows), ...columns])];
  for (const field of Object.keys(where)) {
    if (names.includes(field) || names.includes(snake(field))) continue;
    if (rows.some(({ shown }) => Object.hasOwn(shown, field))) continue;
    throw new TreadleError({
      code: 'unknown_field',
      message: 'The table has no such field',
      value: field,
      next: `Nearest: ${nearNames(field, names).join(', ') || 'none'}.`,
    });
  }
};

export const rowsLike = (rows: readonly HeldRow[], where: Where): HeldRow[] =>
  rows.filter((row) => differences(row, where).length === 0);

const likeness = (one: unknown, other: unknown): number => {
  if (typeof one !== 'string' || typeof other !== 'string') return 0;
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  return same / Math.max(1, one.length, other.length);
};

/** The row that differs in the fewest fields, and by the least. */
export const nearestRow = (
  rows: readonly HeldRow[],
  where: Where,
): { row: HeldRow; differing: Difference[] } | undefined => {
  let best: { row: HeldRow; differing: Difference[]; far: number } | undefined;
  for (const row of rows) {
    const differing = differences(row, where);
    const far =
      differing.length - differing.reduce((sum, { expected, actual }) => sum + likeness(expected, actual), 0) / 2;
    if (best === undefined || far < best.far) best = { row, differing, far };
  }
  return best;
};

export const differenceLines = (differing: readonly Difference[]): string[] =>
  differing.map(({ field, expected, actual }) => `  ${field}: expected ${shownOf(expected)}, is ${shownOf(actual)}`);
