/** Loads SQLite's wasm build and gives its bare exports: the hot path skips the package's wrappers. */
import init from '@sqlite.org/sqlite-wasm';

/** The C functions used here; pointers are numbers, 64-bit integers are bigints. */
export interface Exports {
  sqlite3_open_v2(name: number, db: number, flags: number, vfs: number): number;
  sqlite3_close_v2(db: number): number;
  sqlite3_extended_result_codes(db: number, on: number): number;
  sqlite3_prepare_v3(db: number, sql: number, bytes: number, flags: number, stmt: number, tail: number): number;
  sqlite3_step(stmt: number): number;
  sqlite3_reset(stmt: number): number;
  sqlite3_finalize(stmt: number): number;
  sqlite3_stmt_readonly(stmt: number): number;
  sqlite3_stmt_status(stmt: number, which: number, reset: number): number;
  sqlite3_bind_parameter_count(stmt: number): number;
  sqlite3_bind_null(stmt: number, index: number): number;
  sqlite3_bind_int(stmt: number, index: number, value: number): number;
  sqlite3_bind_int64(stmt: number, index: number, value: bigint): number;
  sqlite3_bind_double(stmt: number, index: number, value: number): number;
  sqlite3_bind_text(stmt: number, index: number, at: number, bytes: number, destructor: number): number;
  sqlite3_column_count(stmt: number): number;
  sqlite3_column_name(stmt: number, column: number): number;
  sqlite3_column_type(stmt: number, column: number): number;
  sqlite3_column_double(stmt: number, column: number): number;
  sqlite3_column_text(stmt: number, column: number): number;
  sqlite3_column_blob(stmt: number, column: number): number;
  sqlite3_column_bytes(stmt: number, column: number): number;
  sqlite3_value_type(value: number): number;
  sqlite3_value_double(value: number): number;
  sqlite3_value_text(value: number): number;
  sqlite3_value_blob(value: number): number;
  sqlite3_value_bytes(value: number): number;
  sqlite3_changes(db: number): number;
  sqlite3_get_autocommit(db: number): number;
  sqlite3_errmsg(db: number): number;
  sqlite3_limit(db: number, which: number, value: number): number;
  sqlite3_set_authorizer(db: number, callback: number, argument: number): number;
  sqlite3_progress_handler(db: number, steps: number, callback: number, argument: number): void;
  sqlite3_preupdate_hook(db: number, callback: number, argument: number): number;
  sqlite3_preupdate_count(db: number): number;
  sqlite3_preupdate_old(db: number, column: number, value: number): number;
  sqlite3_preupdate_new(db: number, column: number, value: number): number;
}

export type Sqlite3 = Awaited<ReturnType<typeof init>>;

export interface Wasm {
  sqlite3: Sqlite3;
  c: Exports;
  memory: { readonly buffer: ArrayBuffer };
  /** Makes a JS function callable from C; the signature is the package's letters, the result first: `i(pip)`. */
  callback(signature: string, work: (...args: never[]) => unknown): number;
  alloc(bytes: number): number;
  free(at: number): void;
}

/** A fresh instance: about 10 ms and 8 MB. */
export const loadWasm = async (): Promise<Wasm> => {
  const sqlite3 = await init();
  const { wasm } = sqlite3;
  return {
    sqlite3,
    c: wasm.exports as unknown as Exports,
    memory: (wasm as unknown as { memory: Wasm['memory'] }).memory,
    callback: (signature, work) => wasm.installFunction(signature, work as () => unknown) as number,
    alloc: (bytes) => wasm.alloc(bytes) as number,
    free: (at) => wasm.dealloc(at),
  };
};
