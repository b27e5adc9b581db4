/** Turns rows seen before and after into row changes, matched by key. */
import type { TableShape } from './schema.js';
import type { Row, RowChange, SqlValue } from './types.js';

/** A row from its record's values. */
export const rowOf = (shape: TableShape, rowid: number | bigint, values: readonly SqlValue[]): Row => {
  const row: Row = {};
  let at = 0;
  for (const column of shape.columns) {
    if (!column.isStored) continue;
    row[column.name] = column.isRowid ? Number(rowid) : (values[at] ?? null);
    at++;
  }
  return row;
};

const keyOf = (row: Row, key: string): string | number => row[key] ?? '';

/** Numbers before texts, each in order. */
export const compareKeys = (a: string | number, b: string | number): number => {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
};

/** Changes of one table, sorted by key. Rows that are the same before and after are left out. */
export const changesOf = (table: string, key: string, before: readonly Row[], after: readonly Row[]): RowChange[] => {
  const olds = new Map(before.map((row) => [keyOf(row, key), row]));
  const changes: RowChange[] = [];
  for (const row of after) {
    const id = keyOf(row, key);
    const old = olds.get(id);
    olds.delete(id);
    if (!old) changes.push({ table, key: id, change: 'insert', after: row, cols: Object.keys(row) });
    else {
      const cols = Object.keys(row).filter((name) => row[name] !== old[name]);
      if (cols.length > 0) changes.push({ table, key: id, change: 'update', before: old, after: row, cols });
    }
  }
  for (const [id, row] of olds) changes.push({ table, key: id, change: 'delete', before: row, cols: Object.keys(row) });
  return changes.sort((a, b) => compareKeys(a.key, b.key));
};
