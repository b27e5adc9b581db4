/**
 * The store of one machine: a libsql file with a write-ahead log, every commit on the disk before it is answered (serving.md,
 * "Durable store on Node 20"). One process has it open; the statements take their turns.
 */

import { TreadleError } from '../../../errors.js';
import { wallSeconds } from '../../../kit/clock.js';
import { lockFolder } from '../../blobs/lock.js';
import { type Clock, processClock } from '../clock.js';
import { type FaultPoints, NO_FAULTS } from '../faults/fault-points.js';
import { storeClosed, storeFailure } from './failure.js';
import { type Connection, openDatabase } from './file.js';
import type { Cell, Row, Sql, Store } from './store.js';

export interface StoreOptions {
  /** Where its own clock gets on by while it is open; the process's. */
  clock?: Clock;
  faults?: FaultPoints;
  /** `normal`: a commit outlives the process at once, and the loss of power once the log was moved into the file; `full` when absent. */
  sync?: 'full' | 'normal';
  /** Unix milliseconds, asked once on opening. */
  wall?: () => number;
}

const MOST_PREPARED = 200;
/** SQLite would cut a text off at a zero, and neither keeps half a surrogate pair; Postgres refuses both. */
const UNKEEPABLE = /\0|\p{Cs}/u;

type Prepared = ReturnType<Connection['prepare']>;

const unkeepable = (value: string): TreadleError =>
  new TreadleError({
    code: 'store_failed',
    message: 'A text that the store cannot keep: it holds a zero or half a surrogate pair',
    value: JSON.stringify(value),
    next: 'This is a defect: such a text is to be refused where it comes in.',
    fault: 'infrastructure',
  });

class LibsqlStore implements Store {
  readonly #db: Connection;
  readonly #prepared = new Map<string, Prepared>();
  readonly #release: () => void;
  readonly #clock: Clock;
  readonly #faults: FaultPoints;
  readonly #base: number;
  readonly #opened: number;
  #last: number;
  #queue: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** A commit failed: what it wrote lies in the log until that begins anew, and must not be taken for damage (wal.ts). */
  #isTorn = false;

  constructor(
    readonly folder: string | undefined,
    { clock = processClock, faults = NO_FAULTS, sync = 'full', wall = () => wallSeconds() * 1000 }: StoreOptions,
  ) {
    this.#clock = clock;
    this.#faults = faults;
    this.#release = folder === undefined ? () => undefined : lockFolder(folder, 'data folder', 'store_failed');
    try {
      this.#db = openDatabase(folder);
      if (sync === 'normal') this.#db.exec('pragma synchronous = normal');
      const [row] = this.#db.prepare("select value from meta where name = 'instant'").all() as { value: number }[];
      this.#base = Math.max(Math.floor(wall()), row?.value ?? 0);
    } catch (thrown) {
      this.#release();
      throw storeFailure(thrown, folder);
    }
    this.#opened = clock.now();
    this.#last = this.#base;
  }

  async now(): Promise<number> {
    return this.#now();
  }

  #now(): number {
    this.#last = Math.max(this.#last, this.#base + Math.floor(this.#clock.now() - this.#opened));
    return this.#last;
  }

  tx<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(storeClosed());
    const turn = this.#queue.then(() => this.#run(work));
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async #run<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    let state: 'open' | 'over' = 'open';
    let wrote = false;
    const on = <R>(text: string, values: readonly Cell[], ask: (prepared: Prepared, values: Cell[]) => R): R => {
      if (state === 'over') throw storeFailure(new Error('asked after its transaction'));
      for (const value of values) if (typeof value === 'string' && UNKEEPABLE.test(value)) throw unkeepable(value);
      return ask(this.#prepare(text), [...values]);
    };
    const sql: Sql = {
      run: async (text, values = []) => {
        const { changes } = on(text, values, (prepared, given) => prepared.run(given));
        wrote ||= changes > 0;
        return changes;
      },
      all: async (text, values = []) => on(text, values, (prepared, given) => prepared.all(given) as Row[]),
    };
    try {
      this.#db.exec('begin immediate');
      const answer = await work(sql);
      await this.#faults.reach('store.tx');
      // Whoever opens it next goes on from here, whatever the machine's clock says by then.
      if (wrote) await sql.run("update meta set value = ? where name = 'instant'", [this.#now()]);
      state = 'over';
      this.#commit();
      return answer;
    } catch (thrown) {
      state = 'over';
      this.#rollback();
      throw thrown instanceof TreadleError ? thrown : storeFailure(thrown, this.folder);
    }
  }

  #commit(): void {
    const isTorn = this.#isTorn;
    this.#isTorn = true;
    this.#db.exec('commit');
    this.#isTorn = isTorn && !this.#beginLog();
  }

  /** Moves the log's changes into the file and empties it; false where that cannot be done now. */
  #beginLog(): boolean {
    try {
      return (
        (this.#db.prepare('pragma wal_checkpoint(truncate)').all()[0] as { busy?: number } | undefined)?.busy === 0
      );
    } catch {
      return false;
    }
  }

  #rollback(): void {
    try {
      if (this.#db.inTransaction) this.#db.exec('rollback');
    } catch {
      // SQLite ends a transaction by itself where it cannot go on; the next one begins or says what is wrong.
    }
  }

  #prepare(text: string): Prepared {
    const known = this.#prepared.get(text);
    if (known) return known;
    if (this.#prepared.size >= MOST_PREPARED) this.#prepared.clear();
    const made = this.#db.prepare(text);
    this.#prepared.set(text, made);
    return made;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return void (await this.#queue);
    this.#isClosed = true;
    this.#queue = this.#queue.then(() => {
      this.#prepared.clear();
      // libsql ends a connection only when its statements were collected: so the log is emptied here, not there. Where it cannot be,
      // the next one finds it.
      this.#beginLog();
      this.#db.close();
      this.#release();
    });
    await this.#queue;
  }
}

/**
 * Opens the store of a data folder, which is made where it is not there; undefined is one in memory. Throws `folder_in_use` where
 * another server has it open, `data_folder_newer`, `damaged_store`, `disk_full`, `store_failed`; then nothing in it was changed.
 */
export const openStore = async (folder: string | undefined, options: StoreOptions = {}): Promise<Store> =>
  new LibsqlStore(folder, options);
