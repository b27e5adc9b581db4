/**
 * The seam to the one place that says who owns what: leases, generations, savepoint heads and jobs (serving.md, "Ownership,
 * durability and the seams toward many machines"). Embedded now, Postgres behind the same statements later.
 */
export type Cell = string | number | null;
export type Row = Readonly<Record<string, Cell>>;

export interface Sql {
  /** Rows changed. Parameters are `?` in order. */
  run(text: string, values?: readonly Cell[]): Promise<number>;
  all(text: string, values?: readonly Cell[]): Promise<Row[]>;
}

export interface Store {
  /**
   * All statements of `work` or none, one transaction after another; `work` may be run again where the store says that it lost a
   * race, so it does nothing but ask. Throws `disk_full` (retryable), `store_failed`, `store_closed`.
   */
  tx<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Milliseconds on the store's own clock, which every lease is measured by. It never goes backwards, whatever the machine's does. */
  now(): Promise<number>;
  close(): Promise<void>;
}
