/** Collects what a statement reads and writes from the authorizer's calls. */
import type { Access } from './types.js';

type Verb = Access['writes'][number]['op'];

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
/** Between the parts of a key; no name holds it. */
const SEPARATOR = '\u0000';

/** The real tables by database: an authorizer also names views and CTEs, and spells a counted table as the query does. */
export type TableNames = Readonly<Record<string, ReadonlyMap<string /* lower case */, string>>>;

export class AccessLog {
  readonly #reads = new Map<string, Set<string>>();
  readonly #writes = new Map<string, Set<string>>();

  constructor(readonly tables: TableNames) {}

  read(db: string, table: string, column: string): void {
    // Where only rows are counted the database is as the query says, so perhaps unsaid: then it is the first that fits.
    const home = db || Object.keys(this.tables).find((name) => this.tables[name]?.has(table.toLowerCase())) || '';
    const real = this.tables[home]?.get(table.toLowerCase());
    if (real !== undefined) this.#add(this.#reads, [home, real], column);
  }

  write(db: string, table: string, op: Verb, column: string): void {
    this.#add(this.#writes, [db, table, op], column);
  }

  /** `replaces`: SQLite does not report the deletes of INSERT OR REPLACE, so every insert then counts as one too. */
  done(replaces: boolean): Access {
    if (replaces)
      for (const key of [...this.#writes.keys()]) {
        const [db = '', table = '', op] = key.split(SEPARATOR);
        if (op === 'insert') this.write(db, table, 'delete', '');
      }
    return {
      reads: this.#sorted(this.#reads).map(([[db = '', table = ''], columns]) => ({ db, table, columns })),
      writes: this.#sorted(this.#writes).map(([[db = '', table = '', op], columns]) => ({
        db,
        table,
        op: op as Verb,
        columns,
      })),
    };
  }

  #sorted(from: Map<string, Set<string>>): [string[], string[]][] {
    const entries = [...from].sort(([a], [b]) => compare(a, b));
    return entries.map(([key, columns]) => [key.split(SEPARATOR), [...columns].sort(compare)]);
  }

  #add(into: Map<string, Set<string>>, parts: string[], column: string): void {
    const key = parts.join(SEPARATOR);
    const columns = into.get(key) ?? new Set<string>();
    if (column) columns.add(column);
    into.set(key, columns);
  }
}
