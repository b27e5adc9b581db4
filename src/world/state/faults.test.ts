/** One test for each fault that was really hit (design/state-engine), named after it. */
import { beforeAll, describe, expect, test } from 'vitest';
import { TreadleError } from '../../errors.js';
import { Base } from './base.js';
import { Engine } from './engine.js';
import { State } from './state.js';

const DDL = [
  'CREATE TABLE a (id TEXT PRIMARY KEY NOT NULL, n INTEGER NOT NULL) STRICT',
  'CREATE TABLE b (id INTEGER PRIMARY KEY, a TEXT NOT NULL REFERENCES a (id)) STRICT',
];
let engine: Engine;
let base: Base;

beforeAll(async () => {
  engine = await Engine.start();
  base = engine.build(DDL, (connection) => {
    for (let i = 0; i < 300; i++) connection.prepare('INSERT INTO a VALUES (?, ?)').run([`a${i}`, i]);
    connection.prepare('INSERT INTO b VALUES (?, ?)').run([1, 'a1']);
  });
});

const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (thrown) {
    return thrown instanceof TreadleError ? thrown.code : `not ours: ${thrown}`;
  }
  return 'nothing thrown';
};
const sum = (connection: ReturnType<Engine['connection']>): unknown =>
  connection.prepare('SELECT sum(n) AS s FROM a').get()?.s;

test('1: a page cached for one state is never shown for another with as many writes', () => {
  const connection = engine.connection('fault 1');
  const states = [1, 2, 3].map(() => State.open(base));
  for (const [i, state] of states.entries()) {
    connection.bind(state);
    connection.prepare('UPDATE a SET n = ? WHERE id = ?').run([1000 * (i + 1), 'a0']);
  }
  for (const [i, state] of states.entries()) {
    connection.bind(state);
    expect(sum(connection)).toBe(44850 + 1000 * (i + 1));
    expect(connection.integrity()).toEqual([]);
  }
});

test('1: a fork that was written and restored is read afresh', () => {
  const connection = engine.connection('fault 1');
  const state = State.open(base);
  const frozen = state.snapshot();
  connection.bind(state);
  connection.prepare('UPDATE a SET n = 7').run();
  expect(sum(connection)).toBe(2100);
  state.restore(frozen);
  expect(sum(connection)).toBe(44850);
});

test('2: nothing can change the schema once a base is built', () => {
  const connection = engine.connection('fault 2');
  connection.bind(State.open(base));
  for (const sql of [
    'CREATE TABLE c (x)',
    'DROP TABLE b',
    'ALTER TABLE a ADD COLUMN z',
    'CREATE INDEX i ON a (n)',
    'VACUUM',
  ])
    expect(codeOf(() => connection.prepare(sql).run())).toBe('sql_denied');
});

test('2: a state of other tables is refused by a connection, even with an equal schema cookie', () => {
  const other = engine.build([DDL[1] as string, DDL[0] as string], () => undefined);
  const connection = engine.connection('fault 2');
  connection.bind(State.open(base));
  expect(codeOf(() => connection.bind(State.open(other)))).toBe('other_schema');
  expect(sum(connection)).toBe(44850);
});

test('3: binding inside a transaction is refused, and the transaction stays whole', () => {
  const connection = engine.connection('fault 3');
  const [one, two] = [State.open(base), State.open(base)];
  connection.bind(one);
  connection.begin();
  connection.prepare('DELETE FROM a WHERE n > ?').run([10]);
  expect(codeOf(() => connection.bind(two))).toBe('transaction_open');
  connection.commit();
  expect(sum(connection)).toBe(55);
  connection.bind(two);
  expect(sum(connection)).toBe(44850);
});

test('3: temporary tables, last_insert_rowid and changes cannot leak from state to state', () => {
  const connection = engine.connection('fault 3');
  connection.bind(State.open(base));
  for (const sql of [
    'CREATE TEMP TABLE t (x)',
    'CREATE TEMP VIEW v AS SELECT 1',
    'SELECT last_insert_rowid()',
    'SELECT changes()',
    'SELECT total_changes()',
  ])
    expect(codeOf(() => connection.prepare(sql).all())).toBe('sql_denied');
});

test('4: a failure inside the file system comes back as an error, and the connection goes on', () => {
  const connection = engine.connection('fault 4');
  const broken = State.open(base);
  connection.bind(broken);
  broken.head.page = () => {
    throw new Error('no page today');
  };
  expect(codeOf(() => sum(connection))).toBe('state_unreadable');
  connection.bind(State.open(base));
  expect(sum(connection)).toBe(44850);
});

test('5: an image in WAL mode opens', () => {
  const image = Uint8Array.from(base.image);
  image[18] = 2;
  image[19] = 2;
  const connection = engine.connection('fault 5');
  connection.bind(State.open(Base.of(image)));
  expect(sum(connection)).toBe(44850);
  connection.prepare('UPDATE a SET n = 0').run();
  expect(sum(connection)).toBe(0);
});

test('6: foreign keys are checked on every connection', () => {
  for (const name of ['fault 6', 'fault 6 again']) {
    const connection = engine.connection(name);
    connection.bind(State.open(base));
    expect(codeOf(() => connection.prepare('INSERT INTO b VALUES (?, ?)').run([2, 'nobody']))).toBe('constraint');
    expect(codeOf(() => connection.prepare("DELETE FROM a WHERE id = 'a1'").run())).toBe('constraint');
  }
});

describe('7: handles are bounded, states are not', () => {
  test('5,000 states need no more of the wasm heap than one', () => {
    const connection = engine.connection('fault 7');
    connection.bind(State.open(base));
    sum(connection);
    const before = engine.runtime.wasm.memory.buffer.byteLength;
    const states = Array.from({ length: 5000 }, () => State.open(base));
    for (const state of states) {
      connection.bind(state);
      connection.prepare("UPDATE a SET n = 1 WHERE id = 'a5'").run();
    }
    expect(engine.runtime.wasm.memory.buffer.byteLength).toBe(before);
    for (const state of states) state.drop();
  });

  test('more connections than handles go on working, statements and all', async () => {
    const own = await Engine.start();
    const connections = Array.from({ length: 150 }, (_, i) => own.connection(`ddl ${i}`));
    const statements = connections.map((connection) => {
      connection.bind(State.open(base));
      return connection.prepare('SELECT sum(n) AS s FROM a');
    });
    expect(connections.filter((connection) => connection.isOpen).length).toBeLessThanOrEqual(128);
    for (const statement of statements) expect(statement.get()).toEqual({ s: 44850 });
    own.close();
    expect(connections.some((connection) => connection.isOpen)).toBe(false);
  });
});

test('8: a runaway query is stopped at its budget, and the same one at the same place every time', () => {
  const connection = engine.connection('fault 8');
  connection.bind(State.open(base));
  const runaway = connection.prepare(
    'WITH RECURSIVE r (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r',
  );
  const many = connection.prepare(
    'WITH RECURSIVE r (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT ?) SELECT max(i) AS m FROM r',
  );
  connection.limit(20_000);
  expect(codeOf(() => runaway.get())).toBe('budget_exceeded');
  expect(sum(connection)).toBe(44850);
  let most = 1;
  while (codeOf(() => many.get([most])) === 'nothing thrown') most *= 2;
  const outcomes = (): string[] => Array.from({ length: 40 }, (_, i) => codeOf(() => many.get([most - i * 50])));
  const first = outcomes();
  expect(first).toContain('nothing thrown');
  expect(first).toContain('budget_exceeded');
  for (let i = 0; i < 5; i++) expect(outcomes()).toEqual(first);
  connection.limit(undefined);
  expect(many.get([100_000])).toEqual({ m: 100_000 });
});

test('a trap inside wasm costs the engine, not the states', async () => {
  const own = await Engine.start();
  const connection = own.connection('trap');
  const [kept, torn] = [State.open(base), State.open(base)];
  connection.bind(kept);
  connection.prepare('UPDATE a SET n = 1').run();
  connection.bind(torn);
  connection.begin();
  connection.prepare('UPDATE a SET n = 2').run();
  expect(codeOf(() => own.runtime.c.sqlite3_step(0x7ffffff0))).toBe('engine_trapped');
  const next = await Engine.start();
  expect(next.runtime).not.toBe(own.runtime);
  for (const [state, expected] of [
    [kept, 300],
    [torn, 44850],
  ] as const) {
    const again = next.connection('trap');
    again.bind(state);
    expect(sum(again)).toBe(expected);
    expect(again.integrity()).toEqual([]);
  }
});
