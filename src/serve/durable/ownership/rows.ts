/** Sessions as rows of the store. */
import type { Row, Sql } from '../store/store.js';
import type { Head } from './ownership.js';
import type { Owned } from './rules.js';

/** How many sessions one statement names: few round trips, and well within what any database takes. */
const CHUNK = 500;

export const chunks = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, i) => items.slice(i * CHUNK, (i + 1) * CHUNK));

/** `?, ?, ?` */
export const marks = (count: number): string => Array(count).fill('?').join(', ');

export interface SessionRow extends Owned {
  id: string;
}

const headOf = (row: Row, name: 'head' | 'previous'): Head | undefined =>
  row[`${name}_key`] === null
    ? undefined
    : { key: String(row[`${name}_key`]), gen: Number(row[`${name}_gen`]), seq: Number(row[`${name}_seq`]) };

export const COLUMNS = 'id, owner, gen, head_key, head_gen, head_seq, previous_key, previous_gen, previous_seq';

export const sessionOf = (row: Row): SessionRow => ({
  id: String(row.id),
  owner: row.owner === null ? null : String(row.owner),
  gen: Number(row.gen),
  head: headOf(row, 'head'),
  previous: headOf(row, 'previous'),
});

/** Those of `ids` that are there, by id. */
export const readSessions = async (sql: Sql, ids: readonly string[]): Promise<Map<string, SessionRow>> => {
  const found = new Map<string, SessionRow>();
  for (const chunk of chunks(ids)) {
    const rows = await sql.all(`select ${COLUMNS} from sessions where id in (${marks(chunk.length)})`, chunk);
    for (const row of rows) found.set(String(row.id), sessionOf(row));
  }
  return found;
};

/** `head` and `previous` where they are there. */
export const headsOf = ({ head, previous }: Owned): { head?: Head; previous?: Head } => ({
  ...(head && { head }),
  ...(previous && { previous }),
});
