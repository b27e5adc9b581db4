/** Ownership in a store: every rule is in the condition of a statement, so a writer that believes wrongly changes no row. */
import { type FaultPoints, NO_FAULTS } from '../faults/fault-points.js';
import { reach, storeFailure } from '../store/failure.js';
import type { Sql, Store } from '../store/store.js';
import type { Claim, Commit, Committed, Lease, OwnedSession, Ownership, WorkerRow } from './ownership.js';
import { type Pulse, startPulse } from './pulse.js';
import { COLUMNS, chunks, headsOf, marks, readSessions, sessionOf } from './rows.js';
import { incarnationOf, judge, moved, notRegistered } from './rules.js';

export interface OwnershipOptions {
  faults?: FaultPoints;
  /** False only for drills, to see that their checker notices: heads then move for anybody who asks. */
  fence?: boolean;
}

/** An owner that was latched as dead, or whose row went since. */
const OWNER_IS_DEAD = 'not exists (select 1 from workers where incarnation = sessions.owner and dead = 0)';
const MOVE = `update sessions set previous_key = head_key, previous_gen = head_gen, previous_seq = head_seq,
  head_key = ?, head_gen = ?, head_seq = ? where id = ?`;
const FENCE = 'and owner = ? and gen = ? and (head_key is null or head_gen < ? or (head_gen = ? and head_seq < ?))';

const longestLease = async (sql: Sql): Promise<number> =>
  Number((await sql.all('select max(lease_ms) as ms from workers where dead = 0'))[0]?.ms ?? 0);

class StoredOwnership implements Ownership {
  readonly #store: Store;
  readonly #faults: FaultPoints;
  readonly #fence: boolean;
  #pulse: Pulse | undefined;

  constructor(store: Store, { faults = NO_FAULTS, fence = true }: OwnershipOptions) {
    this.#store = store;
    this.#faults = faults;
    this.#fence = fence;
  }

  /** A transaction that leases are measured in. Where it kept something, the store is known to work. */
  async #timed<T>(work: (sql: Sql, now: number, pulse: Pulse) => Promise<{ value: T; kept: boolean }>): Promise<T> {
    const { value, beat } = await this.#store.tx(async (sql) => {
      const now = await this.#store.now();
      this.#pulse ??= startPulse(await longestLease(sql));
      const { value, kept } = await work(sql, now, this.#pulse);
      return { value, beat: kept ? now : undefined };
    });
    if (beat !== undefined) this.#pulse?.beat(beat);
    return value;
  }

  async register(name: string, ms: number): Promise<Lease> {
    const incarnation = incarnationOf(name, ms);
    return this.#timed(async (sql, now, pulse) => {
      // Before the new one counts: whether the others' leases may run out is for their own lease to say.
      pulse.isSpared(now);
      const until = now + ms;
      await sql.run('insert into workers (incarnation, lease_ms, lease_until, dead) values (?, ?, ?, 0)', [
        incarnation,
        ms,
        until,
      ]);
      pulse.longest = Math.max(pulse.longest, ms);
      return { value: { incarnation, until, ms }, kept: true };
    });
  }

  async renew(incarnation: string): Promise<Lease | undefined> {
    await reach(this.#faults, 'ownership.renew');
    return this.#timed(async (sql, now, pulse) => {
      const least = pulse.isSpared(now) ? 0 : now;
      const changed = await sql.run(
        'update workers set lease_until = ? + lease_ms where incarnation = ? and dead = 0 and lease_until >= ?',
        [now, incarnation, least],
      );
      if (changed === 0) return { value: undefined, kept: false };
      const [row] = await sql.all('select lease_ms from workers where incarnation = ?', [incarnation]);
      const ms = Number(row?.lease_ms);
      return { value: { incarnation, until: now + ms, ms }, kept: true };
    });
  }

  async bury(incarnation: string): Promise<boolean> {
    return this.#store.tx(
      async (sql) =>
        (await sql.run('update workers set dead = 1 where incarnation = ? and dead = 0', [incarnation])) > 0,
    );
  }

  async claim(incarnation: string, sessions: readonly string[]): Promise<Claim[]> {
    await reach(this.#faults, 'ownership.claim');
    const ids = [...new Set(sessions)];
    const claims = await this.#store.tx(async (sql) => {
      const alive = await sql.all('select 1 as one from workers where incarnation = ? and dead = 0', [incarnation]);
      if (alive.length === 0) throw notRegistered(incarnation);
      for (const chunk of chunks(ids)) {
        await sql.run(
          `update sessions set owner = ?, gen = gen + 1
           where id in (${marks(chunk.length)}) and (owner is null or owner = ? or ${OWNER_IS_DEAD})`,
          [incarnation, ...chunk, incarnation],
        );
      }
      const rows = await readSessions(sql, ids);
      const fresh = ids.filter((id) => !rows.has(id));
      await this.#begin(sql, incarnation, fresh);
      for (const [id, row] of await readSessions(sql, fresh)) rows.set(id, row);
      return sessions.map((session): Claim => {
        const row = rows.get(session);
        if (!row?.owner) throw storeFailure(new Error('a claimed session is not there'));
        return row.owner === incarnation
          ? { session, granted: true, gen: row.gen, ...headsOf(row) }
          : { session, granted: false, owner: row.owner, gen: row.gen };
      });
    });
    await reach(this.#faults, 'ownership.claimed');
    return claims;
  }

  /** Rows for sessions that nobody claimed before, in this order behind all others. */
  async #begin(sql: Sql, incarnation: string, fresh: readonly string[]): Promise<void> {
    if (fresh.length === 0) return;
    const [last] = await sql.all('select max(place) as place from sessions');
    let place = Number(last?.place ?? 0);
    for (const chunk of chunks(fresh)) {
      await sql.run(
        `insert into sessions (id, place, owner, gen) values ${chunk.map(() => '(?, ?, ?, 1)').join(', ')}
         on conflict (id) do nothing`,
        chunk.flatMap((id) => [id, ++place, incarnation]),
      );
    }
  }

  async commitHead(incarnation: string, commits: readonly Commit[]): Promise<Committed[]> {
    await reach(this.#faults, 'ownership.commit');
    const committed = await this.#store.tx(async (sql) => {
      const rows = await readSessions(sql, [...new Set(commits.map(({ session }) => session))]);
      const outcomes: Committed[] = [];
      for (const commit of commits) {
        const { session, key, gen, seq } = commit;
        const row = rows.get(session);
        const fence = [incarnation, gen, gen, gen, seq];
        const changed = this.#fence
          ? await sql.run(`${MOVE} ${FENCE}`, [key, gen, seq, session, ...fence])
          : await sql.run(MOVE, [key, gen, seq, session]);
        if (changed > 0 && row) {
          const next = moved(row, commit);
          rows.set(session, { ...row, ...next.session });
          outcomes.push({ session, outcome: 'moved', superseded: next.superseded });
        } else {
          const why = judge(row, incarnation, commit);
          if (why === 'move') throw storeFailure(new Error('a head did not move, for no reason'));
          outcomes.push(why);
        }
      }
      return outcomes;
    });
    await reach(this.#faults, 'ownership.committed');
    return committed;
  }

  async release(incarnation: string, sessions: readonly string[]): Promise<number> {
    return this.#store.tx(async (sql) => {
      let released = 0;
      for (const chunk of chunks([...new Set(sessions)]))
        released += await sql.run(
          `update sessions set owner = null where owner = ? and id in (${marks(chunk.length)})`,
          [incarnation, ...chunk],
        );
      return released;
    });
  }

  async forget(incarnation: string, sessions: readonly string[]): Promise<string[]> {
    return this.#store.tx(async (sql) => {
      const ids = [...new Set(sessions)];
      const known = await readSessions(sql, ids);
      const rows = ids.flatMap((id) => known.get(id) ?? []).filter(({ owner }) => owner === incarnation);
      for (const chunk of chunks(rows))
        await sql.run(`delete from sessions where owner = ? and id in (${marks(chunk.length)})`, [
          incarnation,
          ...chunk.map(({ id }) => id),
        ]);
      return rows.flatMap(({ head, previous }) => [head, previous].flatMap((kept) => (kept ? [kept.key] : [])));
    });
  }

  async reap(): Promise<{ died: string[]; removed: number }> {
    return this.#timed(async (sql, now, pulse) => {
      const died: string[] = [];
      // Written in every round, so that a store which cannot keep anything is not taken for workers that do not renew.
      await sql.run("update meta set value = value + 1 where name = 'rounds'");
      if (!pulse.isSpared(now)) {
        const late = await sql.all(
          'select incarnation from workers where dead = 0 and lease_until < ? order by incarnation',
          [now],
        );
        for (const { incarnation } of late) {
          const latch = 'update workers set dead = 1 where incarnation = ? and dead = 0 and lease_until < ?';
          if ((await sql.run(latch, [incarnation ?? null, now])) > 0) died.push(String(incarnation));
        }
      }
      const removed = await sql.run(
        'delete from workers where dead = 1 and not exists (select 1 from sessions where owner = workers.incarnation)',
      );
      pulse.longest = await longestLease(sql);
      return { value: { died, removed }, kept: true };
    });
  }

  async sessions(): Promise<OwnedSession[]> {
    const rows = await this.#store.tx((sql) =>
      sql.all(
        `select ${COLUMNS}, (owner is not null and ${OWNER_IS_DEAD}) as owner_is_dead from sessions order by place`,
      ),
    );
    return rows.map((row) => {
      const session = sessionOf(row);
      // SQLite says 1, Postgres true.
      const ownerIsDead = Boolean(row.owner_is_dead);
      return { session: session.id, owner: session.owner, ownerIsDead, gen: session.gen, ...headsOf(session) };
    });
  }

  async workers(): Promise<WorkerRow[]> {
    const rows = await this.#store.tx((sql) =>
      sql.all(`select incarnation, lease_until, dead,
        (select count(*) from sessions where owner = workers.incarnation) as sessions
        from workers order by incarnation`),
    );
    return rows.map((row) => ({
      incarnation: String(row.incarnation),
      until: Number(row.lease_until),
      dead: Number(row.dead) === 1,
      sessions: Number(row.sessions),
    }));
  }
}

export const storeOwnership = (store: Store, options: OwnershipOptions = {}): Ownership =>
  new StoredOwnership(store, options);
