import { beforeAll, expect, test } from 'vitest';
import type { Base } from './base.js';
import { Engine } from './engine.js';
import { State } from './state.js';

let engine: Engine;
let crm: Base;
let billing: Base;

const build = (table: string, n: number): Base =>
  engine.build([`CREATE TABLE ${table} (id TEXT PRIMARY KEY NOT NULL, n INTEGER) STRICT`], (into) =>
    into.prepare(`INSERT INTO ${table} VALUES ('x', ?)`).run([n]),
  );

beforeAll(async () => {
  engine = await Engine.start();
  crm = build('contact', 1);
  billing = build('invoice', 2);
});

const JOIN = 'SELECT c.n AS c, i.n AS i FROM crm.contact c JOIN billing.invoice i ON i.id = c.id';

test('joins the services of a world, and of the next one, without mixing them', () => {
  const world = engine.world(['crm', 'billing']);
  for (let i = 0; i < 20; i++) {
    const states = { crm: State.open(crm), billing: State.open(billing) };
    const connection = engine.connection('crm');
    connection.bind(states.crm);
    connection.prepare('UPDATE contact SET n = ?').run([i]);
    world.bind(states);
    expect(world.all(JOIN)).toEqual([{ c: i, i: 2 }]);
    connection.prepare('UPDATE contact SET n = ?').run([i + 100]);
    expect(world.all(`${JOIN} WHERE c.n > ?`, [99])).toEqual([{ c: i + 100, i: 2 }]);
  }
});

test('two world connections of the same services keep their own states', () => {
  const [one, two] = [engine.world(['crm', 'billing']), engine.world(['crm', 'billing'])];
  const other = State.open(billing);
  const connection = engine.connection('billing');
  connection.bind(other);
  connection.prepare('UPDATE invoice SET n = 9').run();
  one.bind({ crm: State.open(crm), billing: State.open(billing) });
  two.bind({ crm: State.open(crm), billing: other });
  expect([one.all(JOIN), two.all(JOIN), one.all(JOIN)]).toEqual([[{ c: 1, i: 2 }], [{ c: 1, i: 9 }], [{ c: 1, i: 2 }]]);
});

test('services of other tables under the same names are told apart', () => {
  const world = engine.world(['crm', 'billing']);
  world.bind({ crm: State.open(crm), billing: State.open(billing) });
  expect(world.all(JOIN)).toHaveLength(1);
  world.bind({ crm: State.open(billing), billing: State.open(crm) });
  expect(world.all('SELECT n FROM crm.invoice')).toEqual([{ n: 2 }]);
});

test('more worlds than are kept open come back when used', () => {
  const names = Array.from({ length: 20 }, (_, i) => `s${i}`);
  const worlds = names.map((name) => {
    const world = engine.world([name]);
    world.bind({ [name]: State.open(crm) });
    return world;
  });
  for (let round = 0; round < 2; round++)
    for (const [i, world] of worlds.entries()) expect(world.all(`SELECT n FROM s${i}.contact`)).toEqual([{ n: 1 }]);
});

test('names that need quoting are attached as they are', () => {
  const world = engine.world(['a-b', 'c "d"']);
  world.bind({ 'a-b': State.open(crm), 'c "d"': State.open(billing) });
  expect(world.all('SELECT "a-b".contact.n AS n FROM "a-b".contact, "c ""d""".invoice')).toEqual([{ n: 1 }]);
});

test('writing, temporary tables, pragmas and attaching are refused', () => {
  const world = engine.world(['crm']);
  world.bind({ crm: State.open(crm) });
  for (const sql of [
    'UPDATE crm.contact SET n = 1',
    'DELETE FROM crm.contact',
    'CREATE TEMP TABLE t (x)',
    'PRAGMA crm.user_version',
    "ATTACH ':memory:' AS y",
    'SELECT * FROM crm.sqlite_schema',
  ])
    expect(() => world.all(sql)).toThrow(expect.objectContaining({ code: 'sql_denied' }));
  expect(world.all('SELECT n FROM crm.contact')).toEqual([{ n: 1 }]);
});

test('a world that is unbound, incomplete or too large says so', () => {
  const world = engine.world(['crm', 'billing']);
  const unbound = expect.objectContaining({ code: 'not_bound' });
  expect(() => world.all(JOIN)).toThrow(unbound);
  expect(() => world.bind({ crm: State.open(crm) })).toThrow(unbound);
  const states = { crm: State.open(crm), billing: State.open(billing) };
  world.bind(states);
  states.crm.drop();
  expect(() => world.all(JOIN)).toThrow(unbound);
  const eleven = Array.from({ length: 11 }, (_, i) => `s${i}`);
  expect(() => engine.world(eleven)).toThrow(expect.objectContaining({ code: 'too_many_services' }));
});

test('access names the service of every table', () => {
  const world = engine.world(['crm', 'billing']);
  world.bind({ crm: State.open(crm), billing: State.open(billing) });
  expect(world.access(JOIN).reads).toEqual([
    { db: 'billing', table: 'invoice', columns: ['id', 'n'] },
    { db: 'crm', table: 'contact', columns: ['id', 'n'] },
  ]);
  expect(world.access('SELECT count(*) FROM invoice').reads).toEqual([
    { db: 'billing', table: 'invoice', columns: [] },
  ]);
});

test('a runaway query stops at its budget, and only that of the connection that asked', () => {
  const [bounded, free] = [engine.world(['crm']), engine.world(['crm'])];
  for (const world of [bounded, free]) world.bind({ crm: State.open(crm) });
  bounded.limit(10_000);
  const long = 'WITH RECURSIVE r (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 50000) SELECT max(i) AS m FROM r';
  expect(() => bounded.all(long)).toThrow(expect.objectContaining({ code: 'budget_exceeded' }));
  expect(free.all(long)).toEqual([{ m: 50_000 }]);
});
