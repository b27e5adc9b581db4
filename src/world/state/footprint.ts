/** The rows a connection really touched, from SQLite's preupdate hook: the per-call footprint. */
import { changesOf, compareKeys, rowOf } from './changes.js';
import type { Runtime } from './runtime.js';
import type { Schema, TableShape } from './schema.js';
import type { Row, RowChange, SqlValue } from './types.js';

const INSERT = 18;
const DELETE = 9;
const INTEGER = 1;
const FLOAT = 2;
const TEXT = 3;
const BLOB = 4;
const INTERNAL = '_treadle';

interface Touch {
  table: string;
  rowid: number | bigint;
  /** Absent where the row was not there. */
  before: SqlValue[] | undefined;
  after: SqlValue[] | undefined;
  /** Of a row that is new, where no more than its key was read. */
  newKey: string | number | undefined;
}

/** `keys`: rows that were inserted are told by their key alone, which spares reading them. */
export type Detail = 'rows' | 'keys';

/** Of a table with a key: its stored columns, the place of the key among all of them, and whether it is the rowid itself. */
interface Layout {
  cols: string[];
  keyAt: number;
  isRowid: boolean;
}

const layouts = new WeakMap<TableShape, Layout>();

const layoutOf = (shape: TableShape): Layout => {
  const known = layouts.get(shape);
  if (known) return known;
  const { columns, key } = shape;
  const keyAt = columns.findIndex(({ name }) => name === key);
  const cols = columns.filter(({ isStored }) => isStored).map(({ name }) => name);
  const made = { cols, keyAt, isRowid: columns[keyAt]?.isRowid === true };
  layouts.set(shape, made);
  return made;
};

const exact = (rowid: bigint): number | bigint => {
  const number = Number(rowid);
  return Number.isSafeInteger(number) ? number : rowid;
};

const netChanges = (shape: TableShape, touches: readonly Touch[]): RowChange[] => {
  const key = shape.key as string;
  const side = (which: 'before' | 'after'): Row[] =>
    touches.flatMap((touch) => {
      const values = touch[which];
      return values ? [rowOf(shape, touch.rowid, values)] : [];
    });
  if (touches.length === 1) {
    const newKey = touches[0]?.newKey;
    if (newKey !== undefined) return [{ table: shape.name, key: newKey, change: 'insert', cols: layoutOf(shape).cols }];
  }
  const added = touches.filter(({ newKey }) => newKey !== undefined);
  // No row that was there before has the key of one that was told by its key alone: its values would have been read.
  const told = added.length === touches.length ? [] : changesOf(shape.name, key, side('before'), side('after'));
  if (added.length === 0) return told;
  const { cols } = layoutOf(shape);
  for (const { newKey } of added) told.push({ table: shape.name, key: newKey as string, change: 'insert', cols });
  return told.sort((a, b) => compareKeys(a.key, b.key));
};

export class Footprint {
  #log: Touch[] | undefined;
  #schema: Schema | undefined;
  #last: TableShape | undefined;
  #detail: Detail = 'rows';
  /** Tables of which a row was updated or deleted: a row that is inserted then may stand in its place. */
  readonly #changed = new Set<string>();
  readonly #out: number;

  constructor(
    readonly runtime: Runtime,
    readonly handle: number,
  ) {
    this.#out = runtime.wasm.alloc(8);
  }

  /** The callback for C, without what is not used of its arguments: (operation, table, rowid before, rowid after). */
  note(op: number, table: number, one: bigint, two: bigint): void {
    const log = this.#log;
    if (!log) return;
    if (this.runtime.memory.startsWith(table, INTERNAL)) return;
    const shape = this.#shapeAt(table);
    if (!shape?.key) return;
    const { name } = shape;
    if (op === INSERT && this.#detail === 'keys' && !this.#changed.has(name)) {
      const newKey = this.#newKey(layoutOf(shape), two);
      if (newKey !== undefined) {
        log.push({ table: name, rowid: exact(two), before: undefined, after: undefined, newKey });
        return;
      }
    }
    if (op !== INSERT) this.#changed.add(name);
    const before = op === INSERT ? undefined : this.#values('sqlite3_preupdate_old');
    const after = op === DELETE ? undefined : this.#values('sqlite3_preupdate_new');
    const push = (rowid: bigint, old: SqlValue[] | undefined, now: SqlValue[] | undefined): void => {
      log.push({ table: name, rowid: exact(rowid), before: old, after: now, newKey: undefined });
    };
    if (before && after && one === two) push(one, before, after);
    else {
      if (before) push(one, before, undefined);
      if (after) push(before ? two : one, undefined, after);
    }
  }

  /** The table whose name stands at `at`; mostly the one that was touched last. */
  #shapeAt(at: number): TableShape | undefined {
    const { memory } = this.runtime;
    const last = this.#last;
    const isLast = last && memory.startsWith(at, last.name) && memory.bytes[at + last.name.length] === 0;
    if (isLast) return last;
    this.#last = this.#schema?.tables.get(memory.cString(at) ?? '');
    return this.#last;
  }

  /** Tables that `schema` has no single-column key for, and internal ones, are left out. */
  start(schema: Schema, detail: Detail): void {
    if (this.#log === undefined || this.#log.length > 0) this.#log = [];
    if (this.#changed.size > 0) this.#changed.clear();
    if (this.#schema !== schema) this.#last = undefined;
    this.#schema = schema;
    this.#detail = detail;
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

  /** Net changes since `start`, sorted by table and key. */
  changes(): RowChange[] {
    const log = this.#log ?? [];
    const [only] = log;
    if (only === undefined) return [];
    if (log.length === 1) return this.#net(only.table, log);
    const tables = new Map<string, Map<number | bigint, Touch>>();
    for (const touch of log) {
      const rows = tables.get(touch.table) ?? new Map<number | bigint, Touch>();
      tables.set(touch.table, rows);
      const first = rows.get(touch.rowid);
      rows.set(touch.rowid, first ? { ...touch, before: first.before } : touch);
    }
    return [...tables.keys()].sort().flatMap((name) => this.#net(name, [...(tables.get(name)?.values() ?? [])]));
  }

  #net(table: string, touches: readonly Touch[]): RowChange[] {
    const shape = this.#schema?.tables.get(table);
    return shape ? netChanges(shape, touches) : [];
  }

  close(): void {
    this.runtime.wasm.free(this.#out);
  }

  /** Undefined for a key that is null or cannot be read alone. */
  #newKey({ keyAt, isRowid }: Layout, rowid: bigint): string | number | undefined {
    if (isRowid) return Number(rowid);
    const { c, memory } = this.runtime;
    if (keyAt < 0 || c.sqlite3_preupdate_new(this.handle, keyAt, this.#out) !== 0) return undefined;
    return this.#value(memory.read32(this.#out)) ?? undefined;
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
