/** The rows a connection really touched, from SQLite's preupdate hook: the per-call footprint. */
import { changesOf, rowOf } from './changes.js';
import type { Runtime } from './runtime.js';
import type { Schema } from './schema.js';
import type { Row, RowChange, SqlValue } from './types.js';

const INSERT = 18;
const DELETE = 9;
const INTEGER = 1;
const FLOAT = 2;
const TEXT = 3;
const BLOB = 4;

interface Touch {
  table: string;
  rowid: number | bigint;
  /** Absent where the row was not there. */
  before: SqlValue[] | undefined;
  after: SqlValue[] | undefined;
}

const exact = (rowid: bigint): number | bigint => {
  const number = Number(rowid);
  return Number.isSafeInteger(number) ? number : rowid;
};

export class Footprint {
  #log: Touch[] | undefined;
  readonly #out: number;

  constructor(
    readonly runtime: Runtime,
    readonly handle: number,
  ) {
    this.#out = runtime.wasm.alloc(8);
  }

  /** The callback for C. */
  readonly note = (
    _context: number,
    _db: number,
    op: number,
    _name: number,
    table: number,
    one: bigint,
    two: bigint,
  ) => {
    const log = this.#log;
    if (!log) return;
    const name = this.runtime.memory.cString(table) ?? '';
    const before = op === INSERT ? undefined : this.#values('sqlite3_preupdate_old');
    const after = op === DELETE ? undefined : this.#values('sqlite3_preupdate_new');
    if (before && after && one === two) log.push({ table: name, rowid: exact(one), before, after });
    else {
      if (before) log.push({ table: name, rowid: exact(one), before, after: undefined });
      if (after) log.push({ table: name, rowid: exact(before ? two : one), before: undefined, after });
    }
  };

  start(): void {
    this.#log = [];
  }

  stop(): void {
    this.#log = undefined;
  }

  get isRecording(): boolean {
    return this.#log !== undefined;
  }

  /** How much was noted; `rewind` to it when what follows is rolled back. */
  get mark(): number {
    return this.#log?.length ?? 0;
  }

  rewind(mark: number): void {
    if (this.#log && this.#log.length > mark) this.#log.length = mark;
  }

  /** Net changes since `start`, sorted by table and key; tables without a single-column key and internal ones left out. */
  changes(schema: Schema): RowChange[] {
    const tables = new Map<string, Map<number | bigint, Touch>>();
    for (const touch of this.#log ?? []) {
      const rows = tables.get(touch.table) ?? new Map<number | bigint, Touch>();
      tables.set(touch.table, rows);
      const first = rows.get(touch.rowid);
      rows.set(touch.rowid, first ? { ...touch, before: first.before } : touch);
    }
    return [...tables.keys()].sort().flatMap((name) => {
      const shape = schema.tables.get(name);
      if (!shape?.key || name.startsWith('_treadle')) return [];
      const side = (which: 'before' | 'after'): Row[] =>
        [...(tables.get(name) ?? [])].flatMap(([rowid, touch]) => {
          const values = touch[which];
          return values ? [rowOf(shape, rowid, values)] : [];
        });
      return changesOf(name, shape.key, side('before'), side('after'));
    });
  }

  close(): void {
    this.runtime.wasm.free(this.#out);
  }

  #values(read: 'sqlite3_preupdate_old' | 'sqlite3_preupdate_new'): SqlValue[] {
    const { c, memory } = this.runtime;
    const count = c.sqlite3_preupdate_count(this.handle);
    const values: SqlValue[] = [];
    for (let i = 0; i < count; i++) {
      // A virtual generated column is out of range: it is not stored, so it has no place in a record either.
      if (c[read](this.handle, i, this.#out) === 0) values.push(this.#value(memory.read32(this.#out)));
    }
    return values;
  }

  #value(value: number): SqlValue {
    const { c, memory } = this.runtime;
    const type = c.sqlite3_value_type(value);
    if (type === INTEGER || type === FLOAT) return c.sqlite3_value_double(value);
    if (type === TEXT) return memory.text(c.sqlite3_value_text(value), c.sqlite3_value_bytes(value));
    return type === BLOB ? memory.hex(c.sqlite3_value_blob(value), c.sqlite3_value_bytes(value)) : null;
  }
}
