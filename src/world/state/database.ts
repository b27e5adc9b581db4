/** One open SQLite handle with its authorizer, budget and footprint hook. Connections open it late and may close it. */
import type { TreadleError } from '../../errors.js';
import { AccessLog, type TableNames } from './access-log.js';
import { Authorizer, type Mode } from './authorizer.js';
import { deniedFailure, sqlFailure } from './failure.js';
import { Footprint } from './footprint.js';
import type { Runtime } from './runtime.js';
import type { Access } from './types.js';

const ROW = 100;
const DONE = 101;
const READ_WRITE_CREATE = 6;
const PERSISTENT = 1;
const LIMIT_LENGTH = 0;
const LONGEST_VALUE = 16 << 20;
const SETTINGS = [
  'journal_mode=MEMORY',
  'locking_mode=NORMAL',
  'synchronous=OFF',
  'foreign_keys=ON',
  'cache_size=-8192',
];

export class Database {
  readonly handle: number;
  readonly authorizer: Authorizer;
  readonly footprint: Footprint;
  /** Where the running statement, and the open transaction, began in the footprint. */
  mark = 0;
  transactionMark = 0;
  /** Statements that hold a prepared form of this handle. */
  readonly prepared = new Set<{ release(): void }>();
  readonly #context: number;
  readonly #controls = new Map<string, number>();
  #budget: number | undefined;

  /** `file` is a slot's name or `:memory:`. */
  constructor(
    readonly runtime: Runtime,
    file: string,
    readonly mode: Mode,
  ) {
    const { c, memory } = runtime;
    const name = memory.allocText(file).at;
    const out = runtime.wasm.alloc(8);
    const rc = c.sqlite3_open_v2(name, out, READ_WRITE_CREATE, runtime.vfsName);
    this.handle = memory.read32(out);
    runtime.wasm.free(name);
    runtime.wasm.free(out);
    if (rc !== 0) {
      c.sqlite3_close_v2(this.handle);
      throw sqlFailure(rc, `a connection could not be opened (${rc})`, file);
    }
    c.sqlite3_extended_result_codes(this.handle, 1);
    c.sqlite3_limit(this.handle, LIMIT_LENGTH, LONGEST_VALUE);
    this.authorizer = new Authorizer(memory, mode);
    this.footprint = new Footprint(runtime, this.handle);
    const { hooks } = runtime;
    this.#context = hooks.add(this);
    c.sqlite3_set_authorizer(this.handle, hooks.authorizer, this.#context);
    c.sqlite3_preupdate_hook(this.handle, hooks.preupdate, this.#context);
  }

  get inTransaction(): boolean {
    return this.runtime.c.sqlite3_get_autocommit(this.handle) === 0;
  }

  /** Bounds every following statement to `steps` virtual-machine steps. */
  limit(steps: number | undefined): void {
    if (steps === this.#budget) return;
    this.#budget = steps;
    const isOff = steps === undefined;
    const callback = isOff ? 0 : this.runtime.hooks.progress;
    this.runtime.c.sqlite3_progress_handler(this.handle, isOff ? 0 : Math.max(1, steps), callback, 0);
  }

  /** Where the footprint goes back to when the statement that starts now fails. */
  markStatement(): void {
    this.mark = this.footprint.mark;
    if (!this.inTransaction) this.transactionMark = this.mark;
  }

  get isLimited(): boolean {
    return this.#budget !== undefined;
  }

  /** Prepares one statement; throws for SQL that is wrong, refused, empty, or more than one statement. */
  prepare(sql: string): number {
    const { c, memory, wasm } = this.runtime;
    const { at, length } = memory.allocText(sql);
    const out = wasm.alloc(8);
    const rc = c.sqlite3_prepare_v3(this.handle, at, length + 1, PERSISTENT, out, out + 4);
    const stmt = memory.read32(out);
    const rest = memory.bytes.toString('utf8', memory.read32(out + 4), at + length).trim();
    wasm.free(at);
    wasm.free(out);
    if (rc !== 0) throw this.failure(rc, sql);
    if (stmt !== 0 && /^(;|\s|--[^\n]*|\/\*[\s\S]*?\*\/)*$/.test(rest)) return stmt;
    c.sqlite3_finalize(stmt);
    throw sqlFailure(1, 'give exactly one statement', sql);
  }

  /** What `sql` reads and writes; prepared anew for the purpose. */
  access(sql: string, tables: TableNames): Access {
    const log = new AccessLog(tables);
    this.authorizer.log = log;
    try {
      this.runtime.c.sqlite3_finalize(this.prepare(sql));
    } finally {
      this.authorizer.log = undefined;
    }
    return log.done(/\bor\s+replace\b|\breplace\s+into\b/i.test(sql));
  }

  /** Settings that every connection needs; called once the files it reads are there. */
  configure(): void {
    for (const setting of SETTINGS) this.admin(`PRAGMA ${setting}`);
  }

  /** BEGIN, COMMIT or ROLLBACK. */
  control(sql: 'BEGIN' | 'COMMIT' | 'ROLLBACK'): void {
    const { c } = this.runtime;
    const stmt = this.#controls.get(sql) ?? this.#as('admin', () => this.prepare(sql));
    this.#controls.set(sql, stmt);
    const rc = c.sqlite3_step(stmt);
    const failure = rc === DONE ? undefined : this.failure(rc, sql);
    c.sqlite3_reset(stmt);
    if (failure) throw failure;
  }

  /** Runs a statement of our own, outside the rules. Answers with the first column of its rows. */
  admin(sql: string): (string | undefined)[] {
    return this.exec(sql, 'admin');
  }

  /** Runs one statement once under `mode`. Answers with the first column of its rows. */
  exec(sql: string, mode: Mode): (string | undefined)[] {
    return this.#as(mode, () => {
      const { c, memory } = this.runtime;
      const stmt = this.prepare(sql);
      const rows: (string | undefined)[] = [];
      let rc = c.sqlite3_step(stmt);
      for (; rc === ROW; rc = c.sqlite3_step(stmt)) rows.push(memory.cString(c.sqlite3_column_text(stmt, 0)));
      const failure = rc === DONE ? undefined : this.failure(rc, sql);
      c.sqlite3_finalize(stmt);
      if (failure) throw failure;
      return rows;
    });
  }

  /** The error for a result code, with SQLite's own message. */
  failure(rc: number, sql: string): TreadleError {
    const { refusal } = this.authorizer;
    this.authorizer.refusal = undefined;
    // A denied function comes back as a plain error, so the authorizer's own note decides.
    if (refusal !== undefined) return deniedFailure(refusal, sql);
    return sqlFailure(rc, this.runtime.memory.cString(this.runtime.c.sqlite3_errmsg(this.handle)) ?? '', sql);
  }

  releaseStatements(): void {
    for (const statement of [...this.prepared]) statement.release();
  }

  close(): void {
    this.releaseStatements();
    for (const stmt of this.#controls.values()) this.runtime.c.sqlite3_finalize(stmt);
    this.runtime.c.sqlite3_close_v2(this.handle);
    this.footprint.close();
    this.runtime.hooks.remove(this.#context);
  }

  #as<T>(mode: Mode, work: () => T): T {
    this.authorizer.mode = mode;
    try {
      return work();
    } finally {
      this.authorizer.mode = this.mode;
    }
  }
}
