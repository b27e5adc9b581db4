import { beforeEach, expect, test } from 'vitest';
import type { Connection } from './connection.js';
import { Engine } from './engine.js';
import { State } from './state.js';
import type { SqlValue } from './types.js';

const DDL = [
  'CREATE TABLE kinds (id INTEGER PRIMARY KEY, i INTEGER, r REAL, t TEXT, u TEXT UNIQUE, CHECK (i <> 13)) STRICT',
  'CREATE TABLE late (id INTEGER PRIMARY KEY, kind INTEGER REFERENCES kinds (id) DEFERRABLE INITIALLY DEFERRED) STRICT',
];
let engine: Engine;
let state: State;
let connection: Connection;

beforeEach(async () => {
  engine = await Engine.start();
  state = State.open(engine.build(DDL, (into) => into.prepare("INSERT INTO kinds VALUES (1, 1, 1, 'one', 'u')").run()));
  connection = engine.connection('connection');
  connection.bind(state);
});

const refusal = (code: string, text = '') =>
  expect.objectContaining({ code, message: expect.stringContaining(text) as unknown });

test.each<[string, SqlValue]>([
  ['i', 0],
  ['i', -1],
  ['i', 2 ** 31],
  ['i', -(2 ** 53 - 1)],
  ['i', 2 ** 53 - 1],
  ['i', null],
  ['r', 0.1],
  ['r', -1e300],
  ['r', 5],
  ['t', ''],
  ['t', 'plain ascii, longer than the short path takes'],
  ['t', 'größer 漢字 🙂'],
  ['t', 'a\u0000b'],
  ['t', 'x'.repeat(200_000)],
  ['t', 'é'.repeat(50_000)],
])('column %s keeps its value', (column, value) => {
  connection.prepare(`UPDATE kinds SET ${column} = ? WHERE id = 1`).run([value]);
  expect(connection.prepare(`SELECT ${column} AS v FROM kinds`).get()).toEqual({ v: value });
});

test('a blob comes back as hex text', () => {
  expect(connection.prepare("SELECT x'00ff' AS b").get()).toEqual({ b: '00ff' });
});

test('several long texts in one statement do not overwrite each other', () => {
  const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(30_000));
  expect(connection.prepare('SELECT ? AS a, ? AS b, ? AS c, ? AS d').get(texts)).toEqual(
    Object.fromEntries(['a', 'b', 'c', 'd'].map((name, i) => [name, texts[i]])),
  );
});

test.each([[[]], [['x', 'y']], [[Number.NaN]], [[Infinity]], [[undefined]], [[true]], [[{}]], [[Symbol('x')]]])(
  'parameters %o are refused',
  (params) => {
    const statement = connection.prepare('SELECT ? AS x');
    expect(() => statement.get(params as SqlValue[])).toThrow(refusal('bad_parameter'));
    expect(statement.get(['fine'])).toEqual({ x: 'fine' });
  },
);

test.each([
  ['INSERT INTO kinds (id) VALUES (1)', 'UNIQUE constraint failed: kinds.id'],
  ["INSERT INTO kinds (id, u) VALUES (2, 'u')", 'UNIQUE constraint failed: kinds.u'],
  ['UPDATE kinds SET i = 13', 'CHECK constraint failed'],
  ["UPDATE kinds SET i = 'text'", 'cannot store TEXT value in INTEGER column kinds.i'],
])('%s breaks a constraint', (sql, text) => {
  expect(() => connection.prepare(sql).run()).toThrow(refusal('constraint', text));
});

test('an error that SQL makes while it runs is ours to mend', () => {
  expect(() => connection.prepare("SELECT json_extract('{', '$.a')").get()).toThrow(
    refusal('sql_error', 'malformed JSON'),
  );
});

test('changes are counted for writes and only for writes', () => {
  connection.prepare('INSERT INTO kinds (i) VALUES (1), (2), (3)').run();
  expect(connection.prepare('UPDATE kinds SET i = i + 20').run()).toBe(4);
  expect(connection.prepare('SELECT * FROM kinds').run()).toBe(0);
  expect(connection.prepare('DELETE FROM kinds WHERE id > 1 RETURNING id').all()).toEqual([
    { id: 2 },
    { id: 3 },
    { id: 4 },
  ]);
});

test('get on a writing statement with several rows still does all of it', () => {
  connection.prepare('INSERT INTO kinds (i) VALUES (1), (2)').run();
  expect(connection.prepare('UPDATE kinds SET i = 5 RETURNING id').get()).toEqual({ id: 1 });
  expect(connection.prepare('SELECT count(*) AS n FROM kinds WHERE i = 5').get()).toEqual({ n: 3 });
});

test('a failed statement inside a transaction is undone alone', () => {
  connection.begin();
  connection.prepare('INSERT INTO kinds (id) VALUES (7)').run();
  expect(() => connection.prepare('INSERT INTO kinds (id) VALUES (8), (7)').run()).toThrow(refusal('constraint'));
  expect(connection.inTransaction).toBe(true);
  connection.commit();
  expect(connection.prepare('SELECT id FROM kinds ORDER BY id').all()).toEqual([{ id: 1 }, { id: 7 }]);
});

test('rolling back leaves the bytes as they were', () => {
  const before = state.hash();
  connection.begin();
  connection.prepare('DELETE FROM kinds').run();
  connection.rollback();
  expect(connection.inTransaction).toBe(false);
  expect(state.hash()).toBe(before);
  expect(() => connection.rollback()).not.toThrow();
});

test('a deferred foreign key is checked at commit, and the transaction can then be rolled back', () => {
  connection.begin();
  connection.prepare('INSERT INTO late VALUES (1, 99)').run();
  expect(() => connection.commit()).toThrow(refusal('constraint', 'FOREIGN KEY'));
  expect(connection.inTransaction).toBe(true);
  connection.rollback();
  expect(connection.prepare('SELECT count(*) AS n FROM late').get()).toEqual({ n: 0 });
});

test('a write stopped at its budget is undone with its transaction', () => {
  connection.begin();
  connection.prepare('INSERT INTO kinds (id) VALUES (7)').run();
  connection.limit(5000);
  const flood =
    'WITH RECURSIVE r (i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM r) INSERT INTO kinds (id) SELECT i FROM r';
  expect(() => connection.prepare(flood).run()).toThrow(refusal('budget_exceeded'));
  connection.limit(undefined);
  connection.rollback();
  expect(connection.prepare('SELECT count(*) AS n FROM kinds').get()).toEqual({ n: 1 });
  expect(connection.integrity()).toEqual([]);
});

test('transactions are opened and closed in pairs', () => {
  expect(() => connection.commit()).toThrow(refusal('no_transaction'));
  connection.begin();
  expect(() => connection.begin()).toThrow(refusal('transaction_open'));
  connection.commit();
});

test('a connection that was never bound says so', () => {
  expect(() => engine.connection('other').prepare('SELECT 1')).toThrow(refusal('not_bound'));
});

test('a second connection sees commits, never a half-done transaction, and may not write into one', () => {
  const second = engine.connection('second');
  second.bind(state);
  const count = second.prepare('SELECT count(*) AS n FROM kinds');
  connection.begin();
  connection.prepare('INSERT INTO kinds (id) VALUES (7)').run();
  expect(count.get()).toEqual({ n: 1 });
  expect(() => second.prepare('DELETE FROM kinds').run()).toThrow(refusal('state_busy'));
  connection.commit();
  expect(count.get()).toEqual({ n: 2 });
  second.prepare('DELETE FROM kinds WHERE id = 7').run();
  expect(connection.prepare('SELECT count(*) AS n FROM kinds').get()).toEqual({ n: 1 });
});

test('more statements than a connection keeps still work', () => {
  const first = connection.prepare('SELECT 0 AS n');
  for (let i = 1; i <= 900; i++) expect(connection.prepare(`SELECT ${i} AS n`).get()).toEqual({ n: i });
  expect(first.get()).toEqual({ n: 0 });
});
