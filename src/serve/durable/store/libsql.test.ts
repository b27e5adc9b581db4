import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TreadleError } from '../../../errors.js';
import { manualClock, oneFault } from '../drill.fixture.js';
import { storeOwnership } from '../ownership/stored.js';
import { FILE } from './failure.js';
import { storeIdentity } from './identity.js';
import { openStore, type StoreOptions } from './libsql.js';
import { META, MIGRATIONS, VERSION } from './migrations.js';
import { type StoreBench, storeContract } from './store.contract.js';
import type { Store } from './store.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'treadle-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const bench = async (where: string | undefined): Promise<StoreBench> => {
  const clock = manualClock();
  const faults = oneFault();
  const store = await openStore(where, { clock, faults, wall: () => 1_800_000_000_000 });
  return { store, advance: clock.advance, failAt: faults.failAt, close: () => store.close() };
};

describe.each([
  ['memory', () => undefined],
  ['a folder', () => folder],
])('the store in %s', (_, where) => {
  for (const { name, run } of storeContract(() => bench(where()))) it(name, run);
});

const using = async <T>(work: (store: Store) => Promise<T>, options?: StoreOptions): Promise<T> => {
  const store = await openStore(folder, options);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
};
const refusal = async (): Promise<TreadleError> => {
  const error = await openStore(folder).then(
    (store) => store.close().then(() => expect.unreachable('it was opened')),
    (thrown: TreadleError) => thrown,
  );
  expect(error.name).toBe('TreadleError');
  expect(error.next).toBeTruthy();
  expect(error.line()).not.toContain(folder);
  return error;
};
const file = (): string => join(folder, FILE);
const tree = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      // Where readers meet, made anew by each process.
      .filter((name) => name !== 'lock' && !name.endsWith('-shm'))
      .map((name) => [name, readFileSync(join(folder, name)).toString('latin1')]),
  );

describe('a data folder', () => {
  it('is one server’s at a time', async () => {
    const first = await openStore(folder);
    expect(await refusal()).toMatchObject({ code: 'folder_in_use' });
    await first.close();
    await using(async (store) => expect(await store.now()).toBeGreaterThan(0));
  });

  it('is made where there is none, and holds what it held', async () => {
    folder = join(folder, 'in', 'here');
    const before = await using(async (store) => {
      const own = storeOwnership(store);
      const { incarnation } = await own.register('w', 1000);
      await own.claim(incarnation, ['s']);
      await own.commitHead(incarnation, [{ session: 's', key: 'k', gen: 1, seq: 4 }]);
      return [await own.sessions(), await own.workers()];
    });
    await using(async (store) => {
      const own = storeOwnership(store);
      expect([await own.sessions(), await own.workers()]).toEqual(before);
    });
  });

  it('has an identity that it keeps, and no other has', async () => {
    const ask = () => using((store) => Promise.all([storeIdentity(store), storeIdentity(store)]));
    const [first, again] = await ask();
    expect(first).toMatch(/^[0-9a-f]{12}$/);
    expect([again, ...(await ask())]).toEqual([first, first, first]);
    const other = await openStore(undefined);
    expect(await storeIdentity(other)).not.toBe(first);
    await other.close();
  });

  it('whose first opening was killed begins anew', async () => {
    mkdirSync(join(folder, 'lock'));
    writeFileSync(join(folder, 'lock', '999999999-1-00000000-0000-0000-0000-000000000000'), '');
    writeFileSync(join(folder, `${FILE}.part`), 'half of a database');
    writeFileSync(join(folder, `${FILE}.part-journal`), 'half');
    await using(async (store) => expect(await storeOwnership(store).sessions()).toEqual([]));
    expect(readdirSync(folder).filter((name) => name.includes('part'))).toEqual([]);
    expect(readdirSync(join(folder, 'lock'))).toEqual([]);
  });

  it('of an older version is brought to this one, with all that it holds', async () => {
    const db = new Database(file());
    db.exec(META);
    db.exec("insert into meta (name, value) values ('version', 1), ('instant', 1900000000000)");
    for (const step of MIGRATIONS[0] ?? []) db.exec(step);
    db.exec(
      "insert into sessions (id, place, owner, gen, head_key, head_gen, head_seq) values ('s', 1, 'w#1', 3, 'k', 2, 8)",
    );
    db.close();
    expect(VERSION).toBeGreaterThan(1);
    await using(async (store) => {
      const head = { key: 'k', gen: 2, seq: 8 };
      expect(await storeOwnership(store).sessions()).toEqual([
        { session: 's', owner: 'w#1', ownerIsDead: true, gen: 3, head },
      ]);
      expect(await store.tx((sql) => sql.all('select count(*) as n from jobs'))).toEqual([{ n: 0 }]);
      expect(await store.now()).toBeGreaterThanOrEqual(1_900_000_000_000);
    });
    await using(async (store) =>
      expect(await store.tx((sql) => sql.all("select value from meta where name = 'version'"))).toEqual([
        { value: VERSION },
      ]),
    );
  });

  it('of a newer version is left alone', async () => {
    await using((store) => store.tx((sql) => sql.run("update meta set value = 99 where name = 'version'")));
    const before = tree();
    expect(await refusal()).toMatchObject({ code: 'data_folder_newer', value: 99 });
    expect(tree()).toEqual(before);
  });

  it.each([
    ['no bytes', () => truncateSync(file(), 0)],
    ['another kind of file', () => writeFileSync(file(), 'name,age\n'.repeat(2000))],
    ['a cut one', () => truncateSync(file(), 5000)],
    ['only a header', () => truncateSync(file(), 100)],
    [
      'a page of noise',
      () =>
        writeFileSync(
          file(),
          Buffer.concat([
            readFileSync(file()).subarray(0, 8192),
            Buffer.alloc(8192, 0x5a),
            readFileSync(file()).subarray(16_384),
          ]),
        ),
    ],
    [
      'a database of something else',
      () => {
        rmSync(file());
        const db = new Database(file());
        db.exec('create table people (name text)');
        db.close();
      },
    ],
    [
      'no version',
      () => {
        const db = new Database(file());
        db.exec("delete from meta where name = 'version'");
        db.close();
      },
    ],
    [
      'its log alone',
      () => {
        rmSync(file());
        writeFileSync(`${file()}-wal`, 'log');
      },
    ],
  ])('with %s for a database is refused, and nothing in it is changed', async (_, damage) => {
    await using((store) => storeOwnership(store).register('w', 1000));
    damage();
    const before = tree();
    const error = await refusal();
    expect(error).toMatchObject({ code: 'damaged_store', fault: 'infrastructure' });
    expect(error.line()).not.toContain('\n');
    expect(tree()).toEqual(before);
  });

  /** What a kill -9 after `count` claims leaves, in a folder of its own. */
  const killedAfter = async (count: number): Promise<void> => {
    const killed = folder;
    folder = join(killed, 'copy');
    mkdirSync(folder);
    const store = await openStore(killed);
    const own = storeOwnership(store);
    const { incarnation } = await own.register('w', 1000);
    for (let i = 0; i < count; i++) await own.claim(incarnation, [`s${i}`]);
    for (const end of ['', '-wal']) copyFileSync(join(killed, `${FILE}${end}`), file() + end);
    await store.close();
    expect(statSync(join(killed, `${FILE}-wal`), { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  };
  const log = (): string => `${file()}-wal`;
  const sessionsLeft = () => using(async (store) => (await storeOwnership(store).sessions()).length);

  it('whose process was killed is refused when damaged since, its log as it was', async () => {
    await killedAfter(3);
    writeFileSync(file(), readFileSync(file()).fill(0x5a, 8192, 16_384));
    const before = tree();
    expect(before[`${FILE}-wal`]?.length).toBeGreaterThan(0);
    expect(await refusal()).toMatchObject({ code: 'damaged_store' });
    expect(tree()).toEqual(before);
  });

  it.each([
    ['its beginning', () => 8],
    ['its first frame', () => 100],
    ['its middle', (length: number) => Math.floor(length / 2)],
  ])('whose log was damaged at %s is refused: SQLite would drop what was answered, without a word', async (_, at) => {
    await killedAfter(20);
    const bytes = readFileSync(log());
    const place = at(bytes.length);
    bytes[place] = (bytes[place] ?? 0) ^ 0x40;
    writeFileSync(log(), bytes);
    const before = tree();
    const error = await refusal();
    expect(error).toMatchObject({ code: 'damaged_store' });
    expect(error.line()).toMatch(/[0-9]+ changes behind the damage would be lost/);
    expect(tree()).toEqual(before);
  });

  it('whose log has a torn end, or the leftovers of an older one, is opened', async () => {
    await killedAfter(20);
    const [bytes, base] = [readFileSync(log()), readFileSync(file())];
    const older = Buffer.from(bytes.subarray(32, 32 + 4120)).fill(0x11, 8, 16);
    const ends: [Buffer, number][] = [
      [bytes, 20],
      [Buffer.concat([bytes, older]), 20],
      [bytes.subarray(0, bytes.length - 1000), 19],
      [bytes.subarray(0, 10), 0],
      [Buffer.alloc(0), 0],
    ];
    const root = folder;
    for (const [i, [end, left]] of ends.entries()) {
      // libsql keeps what it opened until it is collected, so each in a folder of its own.
      folder = join(root, String(i));
      mkdirSync(folder);
      writeFileSync(file(), base);
      writeFileSync(log(), end);
      expect(await sessionsLeft()).toBe(left);
    }
  });

  it('that is a file, or has one in the way, is refused', async () => {
    writeFileSync(join(folder, 'plain'), '');
    folder = join(folder, 'plain');
    expect(await refusal()).toMatchObject({ code: 'store_failed' });
    folder = join(folder, '..', 'other');
    mkdirSync(file(), { recursive: true });
    expect((await refusal()).code).toMatch(/store_failed|damaged_store/);
  });
});

describe('the clock of a store', () => {
  const at = (wall: number) => ({ wall: () => wall, clock: manualClock() });
  const HOUR = 3_600_000;
  const NOON = 1_800_000_000_000;

  it('goes on from the last instant that it kept, or from the machine’s clock where that is later', async () => {
    const first = at(NOON);
    await using(async (store) => {
      first.clock.advance(5000);
      await storeOwnership(store).register('w', 1000);
      first.clock.advance(7000);
      expect(await store.now()).toBe(NOON + 12_000);
    }, first);
    await using(async (store) => expect(await store.now()).toBe(NOON + 5000), at(NOON - HOUR));
    await using(async (store) => expect(await store.now()).toBe(NOON + HOUR), at(NOON + HOUR));
  });

  it.each([
    ['back', -HOUR],
    ['forward', HOUR],
    ['nowhere', 0],
  ])('that jumps %s between two openings kills no worker that lives, and one that does not', async (_, leap) => {
    const lives = await using(async (store) => {
      const own = storeOwnership(store);
      const [a, b] = [await own.register('a', 1000), await own.register('b', 1000)];
      await own.claim(b.incarnation, ['s']);
      return { a: a.incarnation, b: b.incarnation };
    }, at(NOON));
    const later = at(NOON + leap);
    await using(async (store) => {
      const own = storeOwnership(store);
      expect(await own.reap()).toEqual({ died: [], removed: 0 });
      later.clock.advance(900);
      expect(await own.renew(lives.a)).toMatchObject({ ms: 1000 });
      expect((await own.reap()).died).toEqual([]);
      const died: string[] = [];
      for (let i = 0; i < 4; i++) {
        later.clock.advance(300);
        expect(await own.renew(lives.a)).toBeDefined();
        died.push(...(await own.reap()).died);
      }
      expect(died).toEqual([lives.b]);
    }, later);
  });

  it('is a process’s while it is open: its machine’s may say what it likes', async () => {
    let wall = NOON;
    const clock = manualClock();
    await using(
      async (store) => {
        const own = storeOwnership(store);
        const { incarnation } = await own.register('w', 1000);
        for (const leap of [HOUR, -HOUR * 3, HOUR * 9]) {
          wall += leap;
          clock.advance(500);
          expect(await own.renew(incarnation)).toBeDefined();
          expect((await own.reap()).died).toEqual([]);
        }
        expect(await store.now()).toBe(NOON + 1500);
      },
      { wall: () => wall, clock },
    );
  });
});
