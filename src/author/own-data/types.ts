/** A user's own rows, from what they gave to what a world holds. */
import { TreadleError } from '../../errors.js';
import type { Row } from '../../world/state/types.js';

/** Rows as given: plain data that survives a trip to another process. */
export interface OwnTable {
  /** As the file says it: `orders`, or `billing.invoice`. */
  table: string;
  file: string;
  columns: string[];
  /** `at` is the row (JSON, SQLite) or the line (CSV) it stands on. */
  rows: { at: number; cells: unknown[] }[];
}

/** A row that fits its table: canonical values of the columns that were given. */
export interface OwnRow {
  /** `orders.csv, line 3` */
  at: string;
  values: Row;
  /** References to rows that have no key yet: column -> which of the rows given for the other table. */
  refs?: Record<string, number>;
}

/** By service id and table. */
export type OwnRows = Record<string, Record<string, OwnRow[]>>;

const MOST_SHOWN = 12;

/** One error for all that does not fit: the first places are named, the rest counted. */
export const misfit = (problems: readonly string[], next: string): TreadleError => {
  const more = problems.length > MOST_SHOWN ? `; and ${problems.length - MOST_SHOWN} more` : '';
  return new TreadleError({
    code: 'data_does_not_fit',
    message: `${problems.slice(0, MOST_SHOWN).join('; ')}${more}`,
    value: problems.length,
    next,
  });
};
