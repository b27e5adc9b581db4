import { expect, test } from 'vitest';
import { Engine } from './engine.js';
import { State } from './state.js';

const DDL = [
  'CREATE TABLE a(id TEXT PRIMARY KEY NOT NULL, n INTEGER, x REAL) STRICT',
  'CREATE TABLE b(id TEXT PRIMARY KEY NOT NULL, a TEXT REFERENCES a(id)) STRICT',
  'CREATE INDEX b_a ON b(a)',
];

test('builds, forks, reads, writes, snapshots and restores', async () => {
  const engine = await Engine.start();
  const base = engine.build(DDL, (conn) => {
    const one = conn.prepare('INSERT INTO a VALUES (?,?,?)');
    for (let i = 0; i < 500; i++) one.run([`a${i}`, i, i / 2]);
    conn.prepare('INSERT INTO b VALUES (?,?)').run(['b1', 'a1']);
  });
  const conn = engine.connection('k');
  const s = State.open(base);
  conn.bind(s);
  expect(conn.prepare('SELECT * FROM a WHERE id=?').get(['a7'])).toEqual({ id: 'a7', n: 7, x: 3.5 });
  const t = s.fork();
  conn.bind(t);
  expect(conn.prepare('UPDATE a SET n=n+1 WHERE n<?').run([10])).toBe(10);
  conn.bind(s);
  expect(conn.prepare('SELECT sum(n) AS s FROM a').get()).toEqual({ s: 124750 });
  conn.bind(t);
  expect(conn.prepare('SELECT sum(n) AS s FROM a').get()).toEqual({ s: 124760 });
  const frozen = t.snapshot();
  const hash = t.hash();
  conn.begin();
  conn.prepare('DELETE FROM a WHERE n>?').run([100]);
  conn.commit();
  expect(conn.prepare('SELECT count(*) AS s FROM a').get()).toEqual({ s: 101 });
  t.restore(frozen);
  expect(conn.prepare('SELECT count(*) AS s FROM a').get()).toEqual({ s: 500 });
  expect(t.hash()).toBe(hash);
  expect(conn.integrity()).toEqual([]);
  const w = engine.world(['one', 'two']);
  w.bind({ one: s, two: t });
  expect(w.all('SELECT o.n AS o, t.n AS t FROM "one".a o JOIN two.a t USING(id) WHERE id=?', ['a3'])).toEqual([
    { o: 3, t: 4 },
  ]);
  expect(w.access('SELECT count(*) FROM one.a')).toEqual({
    reads: [{ db: 'one', table: 'a', columns: [] }],
    writes: [],
  });
  engine.close();
});
