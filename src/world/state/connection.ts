/** The way to run statements on a state; bound to one state after another of the same schema. */
import { TreadleError } from '../../errors.js';
import type { Mode } from './authorizer.js';
import { Database } from './database.js';
import type { Detail } from './footprint.js';
import type { Notes } from './head.js';
import type { Runtime } from './runtime.js';
import type { Slot } from './slot.js';
import type { State } from './state.js';
import { Statement } from './statement.js';
import type { Access, RowChange } from './types.js';

export type { Access, Row, RowChange, SqlValue } from './types.js';

const MOST_STATEMENTS = 400;

const misuse = (code: string, message: string, next: string): TreadleError =>
  new TreadleError({ code, message, next, fault: 'infrastructure' });

/** Keeps the number of open handles bounded. */
export interface Pool {
  /** Counts binds. */
  uses: number;
  opening(): void;
  opened(connection: Connection): void;
  closed(connection: Connection): void;
}

export class Connection {
  /** Grows as connections are bound; the pool closes the one with the lowest. */
  lastUsed = 0;
  #database: Database | undefined;
  #slot: Slot | undefined;
  #state: State | undefined;
  #schemaKey: string | undefined;
  #checkedBase: unknown;
  #steps: number | undefined;
  /** Of the open transaction. */
  #notes: Notes | undefined;
  readonly #statements = new Map<string, Statement>();
  readonly #accesses = new Map<string, Access>();

  constructor(
    readonly runtime: Runtime,
    readonly pool: Pool,
    readonly mode: Mode = 'change',
  ) {}

  /**
   * Points the connection at `state`. Throws `transaction_open` inside a transaction, because its writes would land in
   * the wrong state, and `other_schema` when the state's tables are not those of the states bound before.
   */
  bind(state: State): void {
    if (this.#database?.inTransaction)
      throw misuse('transaction_open', 'Cannot bind inside a transaction', 'Commit or roll back first.');
    if (state.head.dropped) throw misuse('state_dropped', 'Cannot bind a dropped state', 'Fork it before dropping it.');
    if (state.base !== this.#checkedBase) this.#checkSchema(state);
    this.lastUsed = ++this.pool.uses;
    // A footprint over two states would show changes that nobody made.
    if (state !== this.#state) this.#database?.footprint.stop();
    this.#state = state;
    this.#slot?.bind(state.head, state);
  }

  /** The statement for `sql`, made once. Throws `sql_error` or `sql_denied` when it cannot be prepared. */
  prepare(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = new Statement(this, sql);
    statement.check();
    if (this.#statements.size >= MOST_STATEMENTS) this.#forgetOldest();
    this.#statements.set(sql, statement);
    return statement;
  }

  begin(): void {
    const database = this.ready();
    if (database.inTransaction)
      throw misuse('transaction_open', 'A transaction is already open', 'Commit or roll back first.');
    this.#notes = undefined;
    database.control('BEGIN');
    database.transactionMark = database.footprint.mark;
  }

  /** Throws `constraint` when a deferred foreign key is broken; the transaction is then still open. */
  commit(): void {
    const database = this.ready();
    if (!database.inTransaction) throw misuse('no_transaction', 'No transaction is open', 'Call begin() first.');
    database.control('COMMIT');
    if (!this.#notes) return;
    const { head } = this.#state as State;
    head.notes = this.#notes;
    head.notedAt = head.writes;
    this.#notes = undefined;
  }

  /** Undoes the open transaction; does nothing when an error has already undone it. */
  rollback(): void {
    const database = this.#database;
    this.#notes = undefined;
    if (!database?.inTransaction) return;
    database.control('ROLLBACK');
    database.footprint.rewind(database.transactionMark);
  }

  /**
   * Of rows that nobody else writes: what a transaction knows of them after it read or wrote them, so that the next need not read
   * them again. It is gone when this one is undone, and when the state has been written in any other way. Undefined outside a
   * transaction.
   */
  get notes(): Notes | undefined {
    if (!this.inTransaction) {
      // An error may have undone it without anybody's rollback.
      this.#notes = undefined;
      return undefined;
    }
    if (this.#notes) return this.#notes;
    const { head } = this.#state as State;
    const kept = head.notedAt === head.writes ? head.notes : undefined;
    head.notes = undefined;
    this.#notes = kept ?? new Map();
    return this.#notes;
  }

  get inTransaction(): boolean {
    return this.#database?.inTransaction ?? false;
  }

  /** Bounds every following statement to `vmSteps` steps of SQLite's virtual machine; beyond, it throws `budget_exceeded`. */
  limit(vmSteps: number | undefined): void {
    this.#steps = vmSteps;
    this.#database?.limit(vmSteps);
  }

  /** What `sql` reads and writes, as SQLite's authorizer tells it at prepare; kept per text, also when the handle is closed. */
  access(sql: string): Access {
    const known = this.#accesses.get(sql);
    if (known) return known;
    const access = this.ready().access(sql, { main: (this.#state as State).base.schema.names });
    if (this.#accesses.size >= MOST_STATEMENTS) this.#accesses.clear();
    this.#accesses.set(sql, access);
    return access;
  }

  /**
   * Starts noting touched rows afresh; binding another state ends it. `keys`: inserted rows are told without their values, which
   * is cheaper.
   */
  record(detail: Detail = 'rows'): void {
    const database = this.ready();
    database.footprint.start((this.#state as State).base.schema, detail);
  }

  get isRecording(): boolean {
    return this.#database?.footprint.isRecording ?? false;
  }

  /** Net row changes since `record()`, in the form of `diffStates`; inserts without `after` where keys were asked for. Throws `not_recording`. */
  touched(): RowChange[] {
    if (!this.isRecording)
      throw misuse(
        'not_recording',
        'No footprint is being recorded',
        'Call record() after bind() and before the writes.',
      );
    return this.ready().footprint.changes();
  }

  /** SQLite's own check of the bound state: empty when it is sound. */
  integrity(): string[] {
    const rows = this.ready().admin('PRAGMA integrity_check');
    return rows.filter((row) => row !== 'ok').map(String);
  }

  /** The open handle bound to the state; opens it when needed. */
  ready(): Database {
    const state = this.#state;
    if (this.#database && state && !state.head.dropped) return this.#database;
    if (!state) throw misuse('not_bound', 'The connection is not bound to a state', 'Call bind(state) first.');
    if (state.head.dropped) throw misuse('state_dropped', 'The bound state was dropped', 'Bind a live state.');
    return this.#open(state);
  }

  get isOpen(): boolean {
    return this.#database !== undefined;
  }

  /** Closes the handle; the next use opens it again. */
  close(): void {
    this.#statements.clear();
    if (this.#database === undefined) return;
    this.#database.close();
    this.#database = undefined;
    this.#slot = undefined;
    this.pool.closed(this);
  }

  #open(state: State): Database {
    this.pool.opening();
    const slot = this.runtime.vfs.slot();
    slot.bind(state.head, state);
    const database = new Database(this.runtime, slot.name, this.mode);
    try {
      database.configure();
    } catch (error) {
      database.close();
      throw error;
    }
    database.limit(this.#steps);
    this.#slot = slot;
    this.#database = database;
    this.pool.opened(this);
    return database;
  }

  #checkSchema(state: State): void {
    const { key } = state.base.schema;
    this.#schemaKey ??= key;
    if (key !== this.#schemaKey)
      throw misuse(
        'other_schema',
        'The state has other tables than the states bound to this connection before',
        'Ask the engine for the connection of its own DDL.',
      );
    this.#checkedBase = state.base;
  }

  #forgetOldest(): void {
    const [sql, statement] = this.#statements.entries().next().value as [string, Statement];
    statement.release();
    this.#statements.delete(sql);
  }
}
