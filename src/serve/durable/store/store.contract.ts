/** What every Store does: cases that any test runner can loop over. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import type { FaultPoint } from '../faults/fault-points.js';
import type { Cell, Sql, Store } from './store.js';

/** One without tables named `counts` and `notes`. */
export interface StoreBench {
  store: Store;
  /** Moves the clock that its own goes by. */
  advance(ms: number): void;
  /** The next one to reach this point fails there. */
  failAt(point: FaultPoint): void;
  close(): Promise<void>;
}

export interface StoreCase {
  name: string;
  run(): Promise<void>;
}

const refuses = (code: string, work: Promise<unknown>): Promise<void> =>
  rejects(work, (thrown: unknown) => {
    const error = thrown as { name?: string; code?: string; fault?: string; next?: string };
    strictEqual(`${error.name} ${error.code}`, `TreadleError ${code}`);
    strictEqual(error.fault, 'infrastructure');
    ok(error.next, 'says the next step');
    return true;
  });

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};

const counter = async (store: Store): Promise<void> => {
  await store.tx(async (sql) => {
    await sql.run('create table counts (name text primary key, n bigint not null)');
    await sql.run("insert into counts (name, n) values ('a', 0), ('b', 0)");
  });
};
const read = async (sql: Sql, name: string): Promise<number> =>
  Number((await sql.all('select n from counts where name = ?', [name]))[0]?.n);
const write = (sql: Sql, name: string, n: number): Promise<number> =>
  sql.run('update counts set n = ? where name = ?', [n, name]);

const CASES: Record<string, (bench: StoreBench) => Promise<void>> = {
  async 'keeps what a transaction wrote, and answers with what it answers'({ store }) {
    await counter(store);
    const answer = await store.tx(async (sql) => {
      strictEqual(await write(sql, 'a', 7), 1);
      strictEqual(await write(sql, 'nobody', 7), 0);
      strictEqual(await sql.run('update counts set n = n + 1'), 2);
      return read(sql, 'a');
    });
    strictEqual(answer, 8);
    deepStrictEqual(await store.tx((sql) => sql.all('select name, n from counts order by name')), [
      { name: 'a', n: 8 },
      { name: 'b', n: 1 },
    ]);
    strictEqual(await store.tx((sql) => sql.run('delete from counts')), 2);
  },

  async 'keeps nothing of a transaction that throws'({ store }) {
    await counter(store);
    const own = new Error('of the caller');
    const failing = store.tx(async (sql) => {
      await write(sql, 'a', 1);
      await turns(2);
      throw own;
    });
    await rejects(
      failing,
      (thrown: Error) => thrown === own || (thrown.cause as Error) === own || (thrown.cause as Error)?.cause === own,
    );
    await refuses(
      'store_failed',
      store.tx(async (sql) => {
        await write(sql, 'a', 2);
        await sql.run('update nothing set n = 1');
      }),
    );
    await refuses(
      'store_failed',
      store.tx(async (sql) => {
        await write(sql, 'a', 3);
        await sql.run("insert into counts (name, n) values ('b', 1)");
      }),
    );
    strictEqual(await store.tx((sql) => read(sql, 'a')), 0);
  },

  async 'a statement of a transaction that went wrong does not spoil the next'({ store }) {
    await counter(store);
    await store.tx(async (sql) => {
      await sql.all('select name from counts');
    });
    const all = Array.from({ length: 20 }, (_, i) =>
      store.tx(async (sql) => {
        await write(sql, 'a', (await read(sql, 'a')) + 1);
        if (i % 3 === 0) await sql.all('nonsense');
      }),
    );
    const settled = await Promise.allSettled(all);
    strictEqual(settled.filter(({ status }) => status === 'rejected').length, 7);
    strictEqual(await store.tx((sql) => read(sql, 'a')), 13);
  },

  async 'transactions come one after another'({ store }) {
    await counter(store);
    await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        store.tx(async (sql) => {
          const n = await read(sql, 'a');
          await turns(i % 3);
          await write(sql, 'a', n + 1);
          await turns(i % 2);
          await write(sql, 'b', n + 1);
        }),
      ),
    );
    deepStrictEqual(await store.tx(async (sql) => [await read(sql, 'a'), await read(sql, 'b')]), [50, 50]);
  },

  async 'gives back what it was given'({ store }) {
    await store.tx((sql) => sql.run('create table notes (id bigint primary key, body text)'));
    const bodies: Cell[] = [
      null,
      '',
      "'; drop table notes; --",
      '?',
      'ä\u202e\n\t😀',
      '{"a":[1,null]}',
      '\u0001\u007f',
      'x'.repeat(1_000_000),
    ];
    await store.tx(async (sql) => {
      for (const [id, body] of bodies.entries())
        await sql.run('insert into notes (id, body) values (?, ?)', [id, body]);
      await sql.run('insert into notes (id, body) values (?, ?)', [Number.MAX_SAFE_INTEGER, 'last']);
    });
    const rows = await store.tx((sql) => sql.all('select id, body from notes order by id'));
    deepStrictEqual(
      rows.map((row) => row.body),
      [...bodies, 'last'],
    );
    deepStrictEqual(
      rows.map((row) => row.id),
      [...bodies.keys(), Number.MAX_SAFE_INTEGER],
    );
  },

  async 'refuses texts that it would not give back as they are'({ store }) {
    await store.tx((sql) => sql.run('create table notes (id bigint primary key, body text)'));
    for (const body of ['a\0b', '\0', '\ud800', 'a\udc00b'])
      await refuses(
        'store_failed',
        store.tx((sql) => sql.run('insert into notes (id, body) values (1, ?)', [body])),
      );
    deepStrictEqual(await store.tx((sql) => sql.all('select id from notes')), []);
  },

  async 'is done with a transaction once it is over'({ store }) {
    await counter(store);
    let kept: Sql | undefined;
    await store.tx(async (sql) => {
      kept = sql;
    });
    await refuses('store_failed', (kept as Sql).run("update counts set n = 9 where name = 'a'"));
    await refuses('store_failed', (kept as Sql).all('select n from counts'));
    strictEqual(await store.tx((sql) => read(sql, 'a')), 0);
  },

  async 'loses a transaction that fails at its end, and goes on'({ store, failAt }) {
    await counter(store);
    failAt('store.tx');
    await refuses(
      'store_failed',
      store.tx((sql) => write(sql, 'a', 5)),
    );
    strictEqual(await store.tx((sql) => read(sql, 'a')), 0);
    await store.tx((sql) => write(sql, 'a', 6));
    strictEqual(await store.tx((sql) => read(sql, 'a')), 6);
  },

  async 'has a clock of whole milliseconds that goes on and never back'({ store, advance }) {
    const first = await store.now();
    ok(Number.isSafeInteger(first) && first > 0);
    advance(0.4);
    strictEqual(await store.now(), first);
    advance(99.7);
    strictEqual(await store.now(), first + 100);
    advance(-50);
    strictEqual(await store.now(), first + 100);
    strictEqual(await store.tx(() => store.now()), first + 100);
    advance(60);
    strictEqual(await store.now(), first + 110);
  },

  async 'ends what was begun before it is closed, and takes nothing after'({ store }) {
    await counter(store);
    const begun = [1, 2, 3].map((n) =>
      store.tx(async (sql) => {
        await turns(3);
        await write(sql, 'a', n);
        return n;
      }),
    );
    const closed = store.close();
    await refuses(
      'store_closed',
      store.tx((sql) => read(sql, 'a')),
    );
    deepStrictEqual(await Promise.all(begun), [1, 2, 3]);
    await closed;
    await store.close();
    await refuses(
      'store_closed',
      store.tx((sql) => read(sql, 'a')),
    );
    match(String(await store.now()), /^\d+$/);
  },
};

/** `open` makes a bench for each case, which closes it. */
export const storeContract = (open: () => Promise<StoreBench>): StoreCase[] =>
  Object.entries(CASES).map(([name, run]) => ({
    name,
    run: async () => {
      const bench = await open();
      try {
        await run(bench);
      } finally {
        await bench.close();
      }
    },
  }));
