import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { Base } from './base.js';
import type { Connection } from './connection.js';
import { diffStates } from './diff.js';
import { Engine } from './engine.js';
import { State } from './state.js';
import type { Row, RowChange, SqlValue } from './types.js';

const DDL = [
  'CREATE TABLE item (id TEXT PRIMARY KEY NOT NULL, n INTEGER, x REAL, body TEXT) STRICT',
  'CREATE INDEX item_n ON item (n)',
  `CREATE TABLE "odd, (table)" (/* key */ "the id" INTEGER, plus INTEGER AS (n + 1), n INTEGER DEFAULT (1 + 2), kept INTEGER AS (n * 2) STORED,
   CONSTRAINT pk PRIMARY KEY ("the id"), CHECK (n <> ',')) STRICT`,
  'CREATE TABLE _treadle_counter (name TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT',
];
const KEYS = { item: 'id', 'odd, (table)': 'the id' };
const ROWS = 400;
let engine: Engine;
let connection: Connection;
let base: Base;

beforeAll(async () => {
  engine = await Engine.start();
  base = engine.build(DDL, (into) => {
    const item = into.prepare('INSERT INTO item VALUES (?, ?, ?, ?)');
    for (let i = 0; i < ROWS; i++) item.run([`i${i}`, i, i / 3, i % 25 === 0 ? 'long '.repeat(1000) : `body ${i}`]);
    for (let i = 0; i < 50; i++) into.prepare('INSERT INTO "odd, (table)" ("the id", n) VALUES (?, ?)').run([i, i]);
  });
  connection = engine.connection('diff');
});

const change = (state: State, sql: string, params: SqlValue[] = []): void => {
  connection.bind(state);
  connection.prepare(sql).run(params);
};

const rowsOf = (state: State, table: string, key: string): Map<SqlValue, Row> => {
  connection.bind(state);
  const columns = table === 'item' ? '*' : '"the id", n, kept';
  return new Map(
    connection
      .prepare(`SELECT ${columns} FROM "${table}"`)
      .all()
      .map((row) => [row[key] as SqlValue, row]),
  );
};

/** The diff by its definition, over all rows. */
const slow = (before: State, after: State): RowChange[] =>
  Object.entries(KEYS).flatMap(([table, key]) => {
    const [olds, news] = [rowsOf(before, table, key), rowsOf(after, table, key)];
    const ids = [...new Set([...olds.keys(), ...news.keys()])] as (string | number)[];
    return ids
      .sort((a, b) => (a < b ? -1 : 1))
      .flatMap((id): RowChange[] => {
        const [old, now] = [olds.get(id), news.get(id)];
        if (!old) return [{ table, key: id, change: 'insert', after: now as Row, cols: Object.keys(now as Row) }];
        if (!now) return [{ table, key: id, change: 'delete', before: old, cols: Object.keys(old) }];
        const cols = Object.keys(now).filter((name) => now[name] !== old[name]);
        return cols.length > 0 ? [{ table, key: id, change: 'update', before: old, after: now, cols }] : [];
      });
  });

test('tells inserts, updates and deletes by key, sorted, with the changed columns', () => {
  const before = State.open(base);
  const after = before.fork();
  change(after, "UPDATE item SET n = -1 WHERE id = 'i7'");
  change(after, "DELETE FROM item WHERE id = 'i3'");
  change(after, "INSERT INTO item VALUES ('new', 1, NULL, NULL)");
  change(after, 'UPDATE "odd, (table)" SET n = 77 WHERE "the id" = 4');
  change(after, "INSERT INTO _treadle_counter VALUES ('item', 1)");
  expect(diffStates(before, after, KEYS)).toEqual([
    {
      table: 'item',
      key: 'i3',
      change: 'delete',
      before: { id: 'i3', n: 3, x: 1, body: 'body 3' },
      cols: ['id', 'n', 'x', 'body'],
    },
    {
      table: 'item',
      key: 'i7',
      change: 'update',
      before: { id: 'i7', n: 7, x: 7 / 3, body: 'body 7' },
      after: { id: 'i7', n: -1, x: 7 / 3, body: 'body 7' },
      cols: ['n'],
    },
    {
      table: 'item',
      key: 'new',
      change: 'insert',
      after: { id: 'new', n: 1, x: null, body: null },
      cols: ['id', 'n', 'x', 'body'],
    },
    {
      table: 'odd, (table)',
      key: 4,
      change: 'update',
      before: { 'the id': 4, n: 4, kept: 8 },
      after: { 'the id': 4, n: 77, kept: 154 },
      cols: ['n', 'kept'],
    },
  ]);
  expect(diffStates(before, before.fork(), KEYS)).toEqual([]);
  expect(diffStates(before.snapshot(), after.snapshot(), KEYS)).toEqual(diffStates(before, after, KEYS));
});

test('a row deleted and inserted again unchanged is no change', () => {
  const [before, after] = [State.open(base), State.open(base)];
  change(after, "DELETE FROM item WHERE id = 'i5'");
  change(after, 'INSERT INTO item VALUES (?, ?, ?, ?)', ['i5', 5, 5 / 3, 'body 5']);
  expect(diffStates(before, after, KEYS)).toEqual([]);
});

test('a change in an overflow page alone is found', () => {
  const [before, after] = [State.open(base), State.open(base)];
  change(after, "UPDATE item SET body = substr(body, 1, length(body) - 1) || '!' WHERE id = 'i50'");
  expect(diffStates(before, after, KEYS)).toEqual([
    expect.objectContaining({ key: 'i50', change: 'update', cols: ['body'] }),
  ]);
});

test('states of different bases are compared too', () => {
  const before = State.open(base);
  const after = State.open(base);
  change(after, 'UPDATE item SET n = n + 1 WHERE n < 5');
  const moved = State.open(Base.of(after.bytes()));
  expect(diffStates(before, moved, KEYS)).toEqual(diffStates(before, after, KEYS));
  expect(diffStates(moved, after, KEYS)).toEqual([]);
});

test('a table without rowids or an unknown one is told', () => {
  const state = State.open(base);
  const after = State.open(base);
  change(after, "DELETE FROM item WHERE id = 'i5'");
  expect(() => diffStates(state, after, { nowhere: 'id' })).toThrow(expect.objectContaining({ code: 'unknown_table' }));
});

test('a state in a transaction is not compared', () => {
  const state = State.open(base);
  connection.bind(state);
  connection.begin();
  connection.prepare('DELETE FROM item').run();
  expect(() => diffStates(State.open(base), state, KEYS)).toThrow(
    expect.objectContaining({ code: 'transaction_open' }),
  );
  connection.rollback();
});

const id = fc.integer({ min: 0, max: ROWS + 50 });
const operation = fc.oneof(
  fc.record({
    sql: fc.constant('UPDATE item SET n = ? WHERE id = ?'),
    params: fc.tuple(fc.integer({ min: -9, max: 9 }), id),
  }),
  fc.record({
    sql: fc.constant('UPDATE item SET body = ? WHERE id = ?'),
    params: fc.tuple(fc.integer({ min: 0, max: 9000 }), id),
  }),
  fc.record({ sql: fc.constant('UPDATE OR IGNORE item SET id = ? WHERE id = ?'), params: fc.tuple(id, id) }),
  fc.record({ sql: fc.constant('DELETE FROM item WHERE n BETWEEN ? AND ?'), params: fc.tuple(id, id) }),
  fc.record({ sql: fc.constant('INSERT OR IGNORE INTO item (n, id) VALUES (?, ?)'), params: fc.tuple(id, id) }),
  fc.record({
    sql: fc.constant('UPDATE OR REPLACE "odd, (table)" SET "the id" = ? WHERE "the id" = ?'),
    params: fc.tuple(id, id),
  }),
);

test('equals the diff by definition after any operations on both sides', () => {
  const run = (state: State, { sql, params }: { sql: string; params: [number, number] }): void => {
    const [first, second] = params;
    const isItem = sql.includes(' item ') && !sql.includes('BETWEEN');
    const one = sql.includes('body') ? 'z'.repeat(first) : sql.includes('SET id') ? `i${first}` : first;
    change(state, sql, [one, isItem ? `i${second}` : second]);
  };
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 12 }), fc.array(operation, { maxLength: 12 }), (common, apart) => {
      const before = State.open(base);
      for (const one of common) run(before, one as never);
      const after = before.fork();
      for (const [i, one] of apart.entries()) run(i % 4 === 3 ? before : after, one as never);
      expect(diffStates(before, after, KEYS)).toEqual(slow(before, after));
      expect(diffStates(after, before, KEYS)).toEqual(slow(after, before));
      before.drop();
      after.drop();
    }),
    { numRuns: 60 },
  );
});

test('the hook and the pages agree on what a connection touched', () => {
  const state = State.open(base);
  const before = state.fork();
  connection.bind(state);
  connection.record();
  expect(connection.touched()).toEqual([]);
  connection.prepare('UPDATE item SET n = n + 1 WHERE n > 390').run();
  connection.begin();
  connection.prepare('DELETE FROM item').run();
  connection.rollback();
  expect(() => connection.prepare("INSERT INTO item (id) VALUES ('fresh'), ('i1')").run()).toThrow();
  connection.prepare("UPDATE item SET id = 'moved' WHERE id = 'i1'").run();
  connection.prepare('UPDATE "odd, (table)" SET "the id" = 900 WHERE "the id" = 9').run();
  connection.prepare("INSERT INTO _treadle_counter VALUES ('item', 1)").run();
  const touched = connection.touched();
  expect(touched.map(({ key, change: kind }) => `${kind} ${key}`)).toEqual([
    'delete i1',
    ...['i391', 'i392', 'i393', 'i394', 'i395', 'i396', 'i397', 'i398', 'i399'].map((key) => `update ${key}`),
    'insert moved',
    'delete 9',
    'insert 900',
  ]);
  expect(touched).toEqual(diffStates(before, state, KEYS));
  connection.record();
  expect(connection.touched()).toEqual([]);
  connection.bind(before);
  expect(() => connection.touched()).toThrow(expect.objectContaining({ code: 'not_recording' }));
});
