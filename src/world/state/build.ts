/** Builds a base image: DDL, rows, VACUUM. The only place where tables are made. */
import { TreadleError } from '../../errors.js';
import { Base } from './base.js';
import { Connection, type Pool } from './connection.js';
import type { Runtime } from './runtime.js';
import { State } from './state.js';

/**
 * A session copies the pages it writes: an active one weighs 47, 78-83 and 141 KB with pages of 1, 2 and 4 KB (bench/state.ts). With
 * 1 KB more rows are longer than a page: lists that were read by nobody before cost 4 % more CPU.
 */
export const PAGE_SIZE = 2048;

const nothing = (): void => undefined;
const ALONE: Pool = { uses: 0, opening: nothing, opened: nothing, closed: nothing };

/** See Engine.build. Throws `sql_error`, `sql_denied` or `constraint`, the last also for a broken foreign key. */
export const buildBase = (
  runtime: Runtime,
  ddl: readonly string[],
  fill: (connection: Connection) => void,
  pageSize = PAGE_SIZE,
): Base => {
  const state = State.open(Base.empty(pageSize));
  const connection = new Connection(runtime, ALONE);
  try {
    connection.bind(state);
    const database = connection.ready();
    database.admin(`PRAGMA page_size=${pageSize}`);
    connection.begin();
    for (const sql of ddl) database.exec(sql, 'define');
    // Rows may come in any order; what counts is that every reference holds at the end.
    database.admin('PRAGMA defer_foreign_keys=ON');
    fill(connection);
    if (!connection.inTransaction)
      throw new TreadleError({
        code: 'no_transaction',
        message: 'The fill function ended the transaction that build had opened',
        next: 'Leave begin, commit and rollback to build.',
        fault: 'infrastructure',
      });
    connection.commit();
    database.releaseStatements();
    database.admin('VACUUM');
    connection.close();
    return Base.of(state.bytes());
  } finally {
    connection.rollback();
    connection.close();
    state.drop();
  }
};
