/** A statement of one connection, prepared when first used and kept; it follows the connection from state to state. */
import { TreadleError } from '../../errors.js';
import { type RowMaker, rowMaker } from '../../kit/rows.js';
import type { Database } from './database.js';
import type { Runtime } from './runtime.js';
import type { Row, SqlValue } from './types.js';

const ROW = 100;
const DONE = 101;
const STATIC = 0;
const TRANSIENT = -1;
const VM_STEP = 4;
const NULL = 5;
const TEXT = 3;
const BLOB = 4;

/** What a statement needs of its connection. */
export interface StatementHost {
  /** The open handle, bound to a live state; throws when there is none. */
  ready(): Database;
}

const NONE: readonly SqlValue[] = [];

export class Statement {
  #database: Database | undefined;
  #stmt = 0;
  #columns = 0;
  #made: RowMaker<SqlValue> = () => ({});
  readonly #values: SqlValue[] = [];
  #params = 0;
  #isReadOnly = false;

  constructor(
    readonly host: StatementHost,
    readonly sql: string,
  ) {}

  /** Runs it to the end and answers how many rows it changed itself, cascades and triggers not counted. */
  run(params: readonly SqlValue[] = NONE): number {
    const database = this.#start(params);
    let rc = database.runtime.c.sqlite3_step(this.#stmt);
    while (rc === ROW) rc = database.runtime.c.sqlite3_step(this.#stmt);
    this.#finish(database, rc);
    return this.#isReadOnly ? 0 : database.runtime.c.sqlite3_changes(database.handle);
  }

  /** The first row. */
  get(params: readonly SqlValue[] = NONE): Row | undefined {
    const database = this.#start(params);
    const { c } = database.runtime;
    let rc = c.sqlite3_step(this.#stmt);
    const row = rc === ROW ? this.#row(database.runtime) : undefined;
    // A write must run to its end; a read may be left after its first row.
    if (!this.#isReadOnly) while (rc === ROW) rc = c.sqlite3_step(this.#stmt);
    this.#finish(database, rc === ROW ? DONE : rc);
    return row;
  }

  /** Every row, in the statement's order. */
  all(params: readonly SqlValue[] = NONE): Row[] {
    const database = this.#start(params);
    const { c } = database.runtime;
    const rows: Row[] = [];
    let rc = c.sqlite3_step(this.#stmt);
    for (; rc === ROW; rc = c.sqlite3_step(this.#stmt)) rows.push(this.#row(database.runtime));
    this.#finish(database, rc);
    return rows;
  }

  /** Prepares it now, to find its errors. */
  check(): void {
    this.#prepared(this.host.ready());
  }

  /** Lets go of the prepared form; the next use prepares it again. */
  release(): void {
    if (!this.#database) return;
    this.#database.runtime.c.sqlite3_finalize(this.#stmt);
    this.#database.prepared.delete(this);
    this.#stmt = 0;
    this.#database = undefined;
  }

  #prepared(database: Database): void {
    if (this.#database === database) return;
    this.release();
    const stmt = database.prepare(this.sql);
    const { c, memory } = database.runtime;
    database.prepared.add(this);
    this.#database = database;
    this.#stmt = stmt;
    this.#params = c.sqlite3_bind_parameter_count(stmt);
    this.#isReadOnly = c.sqlite3_stmt_readonly(stmt) !== 0;
    this.#columns = c.sqlite3_column_count(stmt);
    const names = Array.from({ length: this.#columns }, (_, i) => memory.cString(c.sqlite3_column_name(stmt, i)) ?? '');
    this.#made = rowMaker(names);
  }

  #start(params: readonly SqlValue[]): Database {
    const database = this.host.ready();
    this.#prepared(database);
    if (params.length !== this.#params)
      throw this.#misused('wants', `${this.#params} parameters, not ${params.length}`);
    const { runtime } = database;
    runtime.memory.rewind();
    for (let i = 0; i < params.length; i++) this.#bind(runtime, i + 1, params[i] as SqlValue);
    if (database.isLimited) runtime.c.sqlite3_stmt_status(this.#stmt, VM_STEP, 1);
    if (database.footprint.isRecording) database.markStatement();
    return database;
  }

  #finish(database: Database, rc: number): void {
    const { c } = database.runtime;
    if (rc === DONE) {
      c.sqlite3_reset(this.#stmt);
      return;
    }
    const failure = database.failure(rc, this.sql);
    c.sqlite3_reset(this.#stmt);
    database.footprint.rewind(database.inTransaction ? database.mark : database.transactionMark);
    throw failure;
  }

  #bind(runtime: Runtime, index: number, value: SqlValue): void {
    const { c } = runtime;
    const stmt = this.#stmt;
    if (typeof value === 'string') this.#bindText(runtime, index, value);
    else if (typeof value === 'number') {
      if ((value | 0) === value) c.sqlite3_bind_int(stmt, index, value);
      else if (Number.isSafeInteger(value)) c.sqlite3_bind_int64(stmt, index, BigInt(value));
      else if (Number.isFinite(value)) c.sqlite3_bind_double(stmt, index, value);
      else throw this.#misused('cannot take', value);
    } else if (value === null) c.sqlite3_bind_null(stmt, index);
    else throw this.#misused('cannot take', value);
  }

  #bindText(runtime: Runtime, index: number, value: string): void {
    const { c, memory } = runtime;
    const at = memory.putAt;
    const length = memory.put(value);
    if (length >= 0) {
      c.sqlite3_bind_text(this.#stmt, index, at, length, STATIC);
      return;
    }
    const copy = memory.allocText(value);
    const rc = c.sqlite3_bind_text(this.#stmt, index, copy.at, copy.length, TRANSIENT);
    runtime.wasm.free(copy.at);
    if (rc !== 0) throw this.#misused('cannot take a text of', `${copy.length} bytes`);
  }

  #row({ c, memory }: Runtime): Row {
    const stmt = this.#stmt;
    const values = this.#values;
    const count = this.#columns;
    for (let i = 0; i < count; i++) {
      const type = c.sqlite3_column_type(stmt, i);
      let value: SqlValue;
      if (type === TEXT) value = memory.text(c.sqlite3_column_text(stmt, i), c.sqlite3_column_bytes(stmt, i));
      else if (type === NULL) value = null;
      else if (type === BLOB) value = memory.hex(c.sqlite3_column_blob(stmt, i), c.sqlite3_column_bytes(stmt, i));
      else value = c.sqlite3_column_double(stmt, i);
      values[i] = value;
    }
    return this.#made(values);
  }

  #misused(what: string, value: unknown): TreadleError {
    return new TreadleError({
      code: 'bad_parameter',
      message: `The statement ${what} ${String(value)}`,
      value: this.sql,
      next: 'Give one text, finite number or null for each placeholder.',
      fault: 'world',
    });
  }
}
