import { beforeAll, expect, test } from 'vitest';
import type { Connection } from './connection.js';
import { Engine } from './engine.js';
import { State } from './state.js';

let connection: Connection;

beforeAll(async () => {
  const engine = await Engine.start();
  const base = engine.build(
    [
      'CREATE TABLE parent (id TEXT PRIMARY KEY NOT NULL, name TEXT) STRICT',
      `CREATE TABLE child (id TEXT PRIMARY KEY NOT NULL, parent TEXT REFERENCES parent (id) ON DELETE CASCADE, n INTEGER,
       twice INTEGER AS (n * 2) STORED) STRICT`,
      'CREATE TABLE log (id INTEGER PRIMARY KEY, what TEXT) STRICT',
      'CREATE VIEW named AS SELECT c.id, p.name FROM child c JOIN parent p ON p.id = c.parent',
      'CREATE TRIGGER noted AFTER UPDATE OF name ON parent BEGIN INSERT INTO log (what) VALUES (old.name); END',
    ],
    () => undefined,
  );
  connection = engine.connection('authorizer');
  connection.bind(State.open(base));
});

test.each([
  'SELECT random()',
  'SELECT hex(randomblob(4))',
  'SELECT abs(RANDOM()) FROM parent',
  'SELECT current_timestamp',
  'SELECT sqlite_version()',
  'PRAGMA foreign_keys=OFF',
  'PRAGMA table_info(parent)',
  "SELECT * FROM pragma_table_info('parent')",
  "ATTACH ':memory:' AS x",
  'DETACH main',
  'SELECT * FROM sqlite_schema',
  'SELECT * FROM sqlite_master',
  'SELECT * FROM sqlite_temp_schema',
  'SELECT * FROM dbstat',
  'SELECT * FROM sqlite_dbpage',
  'SELECT * FROM sqlite_stmt',
  'CREATE VIRTUAL TABLE f USING fts5(x)',
  'DROP TABLE log',
  'REINDEX',
  'ANALYZE',
  'BEGIN',
  'COMMIT',
  'ROLLBACK',
  'SAVEPOINT s',
])('refuses %s', (sql) => {
  expect(() => connection.prepare(sql)).toThrow(expect.objectContaining({ code: 'sql_denied', fault: 'world' }));
});

test.each([
  '',
  '  ',
  '-- nothing',
  'SELECT 1; SELECT 2',
  'SELECT 1;\u0000 DROP TABLE log',
  'SELEC 1',
  'SELECT * FROM nowhere',
  'UPDATE sqlite_schema SET sql = NULL',
  "SELECT load_extension('x')",
])('says that %j is not one statement', (sql) => {
  expect(() => connection.prepare(sql)).toThrow(expect.objectContaining({ code: 'sql_error' }));
});

test('a comment or semicolon after the statement is no second one', () => {
  expect(connection.prepare('SELECT 1 AS one; -- done\n /* really */ ;').get()).toEqual({ one: 1 });
});

test('no clock is to be had', () => {
  expect(connection.prepare("SELECT datetime('now') AS t, strftime('%s') AS s").get()).toEqual({ t: null, s: null });
  expect(connection.prepare("SELECT date(86400, 'unixepoch') AS d").get()).toEqual({ d: '1970-01-02' });
});

test('access names tables and columns through joins, views and CTEs', () => {
  expect(connection.access('SELECT name FROM named WHERE id = ?').reads).toEqual([
    { db: 'main', table: 'child', columns: ['id', 'parent'] },
    { db: 'main', table: 'parent', columns: ['id', 'name'] },
  ]);
  expect(connection.access('WITH c AS (SELECT n FROM child) SELECT sum(n) FROM c').reads).toContainEqual({
    db: 'main',
    table: 'child',
    columns: ['n'],
  });
  expect(connection.access('WITH c AS (SELECT 1) SELECT count(*) FROM c, json_each(?)').reads).toEqual([]);
  expect(connection.access('SELECT count(*) FROM LOG')).toEqual({
    reads: [{ db: 'main', table: 'log', columns: [] }],
    writes: [],
  });
});

test('access tells writes: triggers, cascades, upserts and replacements too', () => {
  const writes = (sql: string) =>
    connection.access(sql).writes.map(({ table, op, columns }) => [table, op, ...columns]);
  expect(writes("UPDATE parent SET name = 'x' WHERE id = ?")).toEqual([
    ['log', 'insert'],
    ['parent', 'update', 'name'],
  ]);
  expect(writes('DELETE FROM parent WHERE id = ?')).toEqual([
    ['child', 'delete'],
    ['parent', 'delete'],
  ]);
  expect(writes('INSERT INTO child (id, n) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET n = excluded.n')).toEqual([
    ['child', 'insert'],
    ['child', 'update', 'n'],
  ]);
  expect(writes('INSERT OR REPLACE INTO log VALUES (?, ?)')).toEqual([
    ['log', 'delete'],
    ['log', 'insert'],
  ]);
});

test('asking for the access of a statement runs nothing and spoils no prepared one', () => {
  const count = connection.prepare('SELECT count(*) AS n FROM log');
  connection.access('INSERT INTO log (what) VALUES (?)');
  expect(count.get()).toEqual({ n: 0 });
  expect(() => connection.access('PRAGMA user_version')).toThrow(expect.objectContaining({ code: 'sql_denied' }));
  expect(count.get()).toEqual({ n: 0 });
});
