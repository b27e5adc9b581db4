/** The plain data that goes in and out of a state: values, rows, what a statement reads and writes. */

/** Integers are JS numbers; one beyond 2^53 comes back rounded, a blob as lower-case hex text. */
export type SqlValue = null | number | string;
export type Row = Record<string, SqlValue>;

/**
 * What a statement reads and writes, from SQLite's own authorizer. Sorted, without repeats.
 * Tables only, views seen through. Columns joined by USING or NATURAL are not reported: write ON.
 */
export interface Access {
  /** `columns` is empty where only the number of rows is read, as in `count(*)`. */
  reads: { db: string; table: string; columns: string[] }[];
  /** `columns` holds the assigned columns of an update; inserts and deletes concern whole rows, so theirs is empty. */
  writes: { db: string; table: string; op: 'insert' | 'update' | 'delete'; columns: string[] }[];
}

/** One row that differs between two states, addressed by its table's key column. */
export interface RowChange {
  table: string;
  key: string | number;
  change: 'insert' | 'update' | 'delete';
  before?: Row;
  after?: Row;
  /** The columns whose values differ; every column for an insert or a delete. */
  cols: string[];
}
