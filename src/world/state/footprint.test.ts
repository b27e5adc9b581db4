import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { Base } from './base.js';
import type { Connection } from './connection.js';
import { diffStates } from './diff.js';
import { Engine } from './engine.js';
import { State } from './state.js';
import type { RowChange } from './types.js';

const DDL = [
  'CREATE TABLE part (size INTEGER, twice INTEGER AS (size * 2), id TEXT PRIMARY KEY NOT NULL) STRICT',
  'CREATE TABLE lot (id INTEGER PRIMARY KEY, part TEXT REFERENCES part (id) ON DELETE CASCADE ON UPDATE CASCADE) STRICT',
  'CREATE TABLE pair (a INTEGER, b INTEGER, PRIMARY KEY (a, b)) STRICT',
  'CREATE TABLE _treadle_counter (name TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT',
];
const KEYS = { part: 'id', lot: 'id' };
let connection: Connection;
let base: Base;

beforeAll(async () => {
  const engine = await Engine.start();
  base = engine.build(DDL, (into) => {
    for (let i = 0; i < 6; i++) {
      into.prepare('INSERT INTO part (size, id) VALUES (?, ?)').run([i, `p${i}`]);
      into.prepare('INSERT INTO lot VALUES (?, ?)').run([i, `p${i}`]);
    }
  });
  connection = engine.connection('footprint');
});

const SQL = [
  'INSERT INTO part (size, id) VALUES (?1, ?2)',
  'INSERT OR REPLACE INTO part (size, id) VALUES (?1, ?2)',
  "UPDATE part SET size = ?1 WHERE id = ?2 OR id = 'p0'",
  "UPDATE part SET id = 'q' || ?1 WHERE id = ?2",
  'DELETE FROM part WHERE size > ?1 AND id = ?2',
  'INSERT INTO lot VALUES (?1, ?2)',
  'UPDATE lot SET id = ?1 + 3 WHERE part = ?2',
  'DELETE FROM lot WHERE id = ?1 OR part = ?2',
  'INSERT INTO pair SELECT ?1, length(?2)',
  'INSERT INTO _treadle_counter VALUES (?2, ?1)',
];
const statements = fc.array(
  fc.record({
    sql: fc.constantFrom(...SQL),
    n: fc.integer({ min: 0, max: 9 }),
    id: fc.integer({ min: 0, max: 7 }).map((i) => `p${i}`),
  }),
  { maxLength: 12 },
);

const told = (changes: readonly RowChange[]) =>
  changes.map(({ table, key, change, cols }) => ({ table, key, change, cols }));

test('keys alone tell the same rows, changes and columns as the pages do', () => {
  fc.assert(
    fc.property(statements, fc.boolean(), fc.boolean(), (list, isOne, isUndone) => {
      const state = State.open(base);
      const before = state.fork();
      connection.bind(state);
      connection.record('keys');
      if (isOne) connection.begin();
      for (const { sql, n, id } of list) {
        try {
          connection.prepare(sql).run([n, id]);
        } catch {
          // A constraint: the statement has changed nothing.
        }
      }
      if (isOne && isUndone) connection.rollback();
      else if (isOne) connection.commit();
      expect(told(connection.touched())).toEqual(told(diffStates(before, state, KEYS)));
      state.drop();
      before.drop();
    }),
    { numRuns: 300 },
  );
});

test('a row that stands in the place of another is told as changed, with what differs', () => {
  const state = State.open(base);
  connection.bind(state);
  connection.record('keys');
  connection.prepare("DELETE FROM part WHERE id = 'p3'").run();
  connection.prepare("INSERT INTO part (size, id) VALUES (33, 'p3'), (7, 'p7')").run();
  expect(told(connection.touched())).toEqual([
    { table: 'lot', key: 3, change: 'delete', cols: ['id', 'part'] },
    { table: 'part', key: 'p3', change: 'update', cols: ['size'] },
    { table: 'part', key: 'p7', change: 'insert', cols: ['size', 'id'] },
  ]);
});
