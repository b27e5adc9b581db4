/** Jobs in a store: what a worker may do to one is in the condition of the statement that does it. */
import type { Json } from '../../../kit/hash.js';
import type { Cell, Row, Sql, Store } from '../store/store.js';
import type { Finished, JobPage, JobRow, Jobs, LeasedJob, NewJob } from './jobs.js';
import { ATTEMPTS, checkedJobs, checkLease, checkName, type JobsOptions, resultText, workerLost } from './rules.js';

/** Rows in one statement. */
const CHUNK = 500;

const ALL = 'select id, payload, state, attempt, result from jobs where queue = ?';

const rowOf = (row: Row): JobRow => {
  const state = row.state as JobRow['state'];
  const isOver = state === 'done' || state === 'failed';
  return {
    id: String(row.id),
    payload: JSON.parse(String(row.payload)) as Json,
    state,
    attempt: Number(row.attempt),
    ...(isOver && { result: JSON.parse(String(row.result)) as Json }),
  };
};

class StoredJobs implements Jobs {
  constructor(
    readonly store: Store,
    readonly attempts: number,
  ) {}

  async enqueue(queue: string, jobs: readonly NewJob[]): Promise<number> {
    const checked = [...checkedJobs(queue, jobs)];
    return this.store.tx(async (sql) => {
      const [last] = await sql.all('select max(place) as place from jobs');
      let place = Number(last?.place ?? 0);
      let added = 0;
      for (let at = 0; at < checked.length; at += CHUNK) {
        const chunk = checked.slice(at, at + CHUNK);
        added += await sql.run(
          `insert into jobs (queue, id, place, payload, state, attempt)
           values ${chunk.map(() => "(?, ?, ?, ?, 'waiting', 0)").join(', ')} on conflict (queue, id) do nothing`,
          chunk.flatMap(([id, payload]): Cell[] => [queue, id, ++place, payload]),
        );
      }
      return added;
    });
  }

  async lease(queue: string, worker: string, count: number, ms: number): Promise<LeasedJob[]> {
    checkName(worker, "A worker's name");
    checkLease(count, ms);
    return this.store.tx(async (sql) => {
      const now = await this.store.now();
      await this.#giveUp(sql, queue, now);
      const leased: LeasedJob[] = [];
      while (leased.length < count) {
        const oldest = await this.#oldest(sql, queue, now, count - leased.length);
        if (oldest.length === 0) break;
        for (const row of oldest) {
          const job = await this.#take(sql, queue, worker, row, now + ms);
          if (job) leased.push(job);
        }
      }
      return leased;
    });
  }

  /** Two questions, each of which an index answers in order, however many jobs there are. */
  async #oldest(sql: Sql, queue: string, now: number, count: number): Promise<Row[]> {
    const asked = 'select id, place, attempt, forgiven, payload from jobs where queue = ? and state =';
    const waiting = await sql.all(`${asked} 'waiting' order by place limit ?`, [queue, count]);
    const late = await sql.all(`${asked} 'leased' and lease_until < ? order by place limit ?`, [queue, now, count]);
    return [...waiting, ...late].sort((a, b) => Number(a.place) - Number(b.place)).slice(0, count);
  }

  /** Undefined where another has it by now; or fewer tries are allowed than it had: then it is failed, with the error of its last. */
  async #take(sql: Sql, queue: string, worker: string, row: Row, until: number): Promise<LeasedJob | undefined> {
    const { id = null, attempt = null, forgiven = 0 } = row;
    const where = [queue, id, attempt];
    if (Number(attempt) - Number(forgiven) >= this.attempts) {
      await sql.run(
        "update jobs set state = 'failed', result = coalesce(result, ?) where queue = ? and id = ? and attempt = ?",
        [resultText('', workerLost(this.attempts)), ...where],
      );
      return undefined;
    }
    const changed = await sql.run(
      `update jobs set state = 'leased', attempt = attempt + 1, worker = ?, lease_until = ?
       where queue = ? and id = ? and attempt = ? and state in ('waiting', 'leased')`,
      [worker, until, ...where],
    );
    if (changed === 0) return undefined;
    return { id: String(id), payload: JSON.parse(String(row.payload)) as Json, attempt: Number(attempt) + 1 };
  }

  /** Jobs that had all their tries, the last one's lease run out. */
  async #giveUp(sql: Sql, queue: string, now: number): Promise<void> {
    await sql.run(
      `update jobs set state = 'failed', result = ?
       where queue = ? and state = 'leased' and lease_until < ? and attempt - forgiven >= ?`,
      [resultText('', workerLost(this.attempts)), queue, now, this.attempts],
    );
  }

  async heartbeat(queue: string, jobs: readonly { id: string; attempt: number }[], ms: number): Promise<string[]> {
    checkLease(0, ms);
    return this.store.tx(async (sql) => {
      const until = (await this.store.now()) + ms;
      const kept: string[] = [];
      for (const { id, attempt } of jobs) {
        const changed = await sql.run(
          "update jobs set lease_until = ? where queue = ? and id = ? and attempt = ? and state = 'leased'",
          [until, queue, id, attempt],
        );
        if (changed > 0) kept.push(id);
      }
      return kept;
    });
  }

  /** To `state` (or failed, beyond `tries`), where this attempt has it; known where this attempt brought it to one of `already` before. */
  async #end(
    id: { queue: string; id: string; attempt: number },
    { state, tries = Number.MAX_SAFE_INTEGER }: { state: JobRow['state']; tries?: number },
    result: string,
    already: readonly JobRow['state'][],
  ): Promise<Finished> {
    // Nobody had it yet.
    if (id.attempt === 0) return 'stale';
    const where = [id.queue, id.id, id.attempt];
    return this.store.tx(async (sql) => {
      const changed = await sql.run(
        `update jobs set state = case when attempt - forgiven >= ? then 'failed' else ? end, result = ?
         where queue = ? and id = ? and attempt = ? and state = 'leased'`,
        [tries, state, result, ...where],
      );
      if (changed > 0) return 'done';
      const [row] = await sql.all('select state from jobs where queue = ? and id = ? and attempt = ?', where);
      return already.includes(row?.state as JobRow['state']) ? 'known' : 'stale';
    });
  }

  async finish(queue: string, id: string, attempt: number, result: Json): Promise<Finished> {
    return this.#end({ queue, id, attempt }, { state: 'done' }, resultText(id, result), ['done']);
  }

  async fail(queue: string, id: string, attempt: number, error: Json, isFinal = false): Promise<Finished> {
    const to = isFinal ? { state: 'failed' as const } : { state: 'waiting' as const, tries: this.attempts };
    return this.#end({ queue, id, attempt }, to, resultText(id, error), ['waiting', 'failed']);
  }

  async giveBack(queue: string, jobs: readonly { id: string; attempt: number }[]): Promise<number> {
    return this.store.tx(async (sql) => {
      let changed = 0;
      for (const { id, attempt } of jobs)
        changed += await sql.run(
          `update jobs set state = 'waiting', forgiven = forgiven + 1
           where queue = ? and id = ? and attempt = ? and state = 'leased'`,
          [queue, id, attempt],
        );
      return changed;
    });
  }

  async again(queue: string, ids: readonly string[]): Promise<number> {
    return this.store.tx(async (sql) => {
      let changed = 0;
      for (const id of ids)
        changed += await sql.run(
          "update jobs set state = 'waiting', forgiven = attempt, result = null where queue = ? and id = ?",
          [queue, id],
        );
      return changed;
    });
  }

  async list(queue: string, page: JobPage = {}): Promise<JobRow[]> {
    const { after = '', limit, state } = page;
    const where = `${ALL} and id > ?${state ? ' and state = ?' : ''}`;
    const values: Cell[] = [queue, after, ...(state ? [state] : [])];
    const rows = await this.store.tx((sql) =>
      limit === undefined ? sql.all(where, values) : sql.all(`${where} order by id limit ?`, [...values, limit]),
    );
    // Pages are in the order of the bytes; all of them are put in it here, whatever the order of a database.
    return rows.map(rowOf).sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  async counts(queue: string): Promise<Record<JobRow['state'], number>> {
    const rows = await this.store.tx((sql) =>
      sql.all('select state, count(*) as n from jobs where queue = ? group by state', [queue]),
    );
    const counts = { waiting: 0, leased: 0, done: 0, failed: 0 };
    for (const { state, n } of rows) counts[state as JobRow['state']] = Number(n);
    return counts;
  }

  async drop(queue: string, ids?: readonly string[]): Promise<void> {
    await this.store.tx(async (sql) => {
      if (ids === undefined) await sql.run('delete from jobs where queue = ?', [queue]);
      else for (const id of ids) await sql.run('delete from jobs where queue = ? and id = ?', [queue, id]);
    });
  }
}

export const storeJobs = (store: Store, { attempts = ATTEMPTS }: JobsOptions = {}): Jobs =>
  new StoredJobs(store, attempts);
