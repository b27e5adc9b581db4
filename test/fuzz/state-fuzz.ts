/**
 * Differential fuzz of the state engine: random statements, transactions, forks, snapshots, restores and drops over many
 * states on two re-bound connections and a world connection, each state beside an independent plain database.
 */
import { deepStrictEqual } from 'node:assert';
import { TreadleError } from '../../src/errors.js';
import { type Rng, rng } from '../../src/kit/rng.js';
import { Base } from '../../src/world/state/base.js';
import type { Connection } from '../../src/world/state/connection.js';
import { diffStates } from '../../src/world/state/diff.js';
import type { Engine } from '../../src/world/state/engine.js';
import { pack, unpack } from '../../src/world/state/parcel.js';
import { type FrozenState, State } from '../../src/world/state/state.js';
import type { SqlValue } from '../../src/world/state/types.js';
import { type Answer, DDL, KEYS, PlainDatabase, slowDiff } from './state-model.js';

const MOST = 10;
const CHECK_EVERY = 50;

interface Pair {
  state: State;
  plain: PlainDatabase;
}
interface FrozenPair {
  frozen: FrozenState;
  plain: PlainDatabase;
}

export interface FuzzReport {
  seed: number;
  operations: number;
  statements: number;
  refused: number;
  forks: number;
  restores: number;
  diffs: number;
  checks: number;
}

/** A page cache this small writes pages out before the commit, and a rollback must take them back. */
const SMALL_CACHE = 'PRAGMA cache_size=6';

const baseOf = (engine: Engine, random: Rng, rows: number): Base =>
  engine.build(DDL, (connection) => {
    const item = connection.prepare('INSERT INTO item VALUES (?, ?, ?, ?)');
    const note = connection.prepare('INSERT INTO note VALUES (?, ?, ?)');
    for (let i = 0; i < rows; i++)
      item.run([`i${i}`, random.int(0, 500), random.unit(), 'x'.repeat(random.int(0, 60))]);
    for (let i = 0; i < rows; i++) note.run([i, `i${random.int(0, rows - 1)}`, `note ${i}`]);
  });

/** A random statement that a tool could run; some break a constraint. */
const statement = (random: Rng): { sql: string; params: SqlValue[] } => {
  const id = `i${random.int(0, 160)}`;
  const n = random.int(0, 920);
  const body = random.chance(0.06) ? 'long '.repeat(random.int(300, 3000)) : 'é'.repeat(random.int(0, 80));
  switch (random.int(0, 13)) {
    case 0:
      return { sql: 'INSERT INTO item VALUES (?, ?, ?, ?)', params: [id, n, random.unit() * 1e6, body] };
    case 1:
      return {
        sql: 'INSERT INTO item VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET n = excluded.n, x = NULL',
        params: [id, n, 1.5, null],
      };
    case 2:
      return { sql: 'UPDATE item SET n = ? WHERE id = ?', params: [n, id] };
    case 3:
      return { sql: 'UPDATE item SET body = ? WHERE id = ?', params: [body, id] };
    case 4:
      return { sql: 'UPDATE item SET n = n + 1 WHERE n BETWEEN ? AND ?', params: [n, n + 40] };
    case 5:
      return { sql: 'DELETE FROM item WHERE id = ?', params: [id] };
    case 6:
      return { sql: 'DELETE FROM note WHERE id % 40 = ?', params: [random.int(0, 39)] };
    case 7:
      return { sql: 'INSERT INTO note VALUES (?, ?, ?)', params: [random.int(0, 9_000_000_000), id, body] };
    case 8:
      return { sql: 'UPDATE item SET id = ? WHERE id = ?', params: [`i${random.int(0, 300)}`, id] };
    case 9:
      return { sql: 'INSERT OR REPLACE INTO note VALUES (?, ?, ?)', params: [random.int(0, 200), id, `note ${n}`] };
    case 10:
      // As long as before, so that only the row's last overflow page is written and its leaf is not.
      return {
        sql: 'UPDATE item SET body = substr(body, 1, length(body) - 1) || ? WHERE length(body) > 1500 AND n < ?',
        params: [random.pick(['a', 'b', 'c', 'd']), n],
      };
    case 11:
      // Keeps what the trigger wrote from growing for ever, and frees whole pages.
      return { sql: 'DELETE FROM audit WHERE id > ?', params: [random.int(0, 60)] };
    case 12:
      return { sql: 'UPDATE item SET body = upper(body), x = x / 2 WHERE n > ? RETURNING id, x', params: [n] };
    default:
      return {
        sql: 'SELECT i.id, count(*) AS notes, sum(i.n) AS total FROM item i JOIN note o ON o.item = i.id WHERE i.n > ? GROUP BY 1 ORDER BY 1',
        params: [n],
      };
  }
};

const answerOf = (connection: Connection, sql: string, params: SqlValue[]): Answer => {
  try {
    return { rows: connection.prepare(sql).all(params) };
  } catch (thrown) {
    if (thrown instanceof TreadleError && thrown.code === 'constraint') return { error: thrown.message };
    throw thrown;
  }
};

class Fuzz {
  readonly random: Rng;
  readonly connections: Connection[];
  readonly pairs: Pair[] = [];
  readonly frozen: FrozenPair[] = [];
  readonly report: FuzzReport;

  constructor(
    readonly engine: Engine,
    seed: number,
    operations: number,
  ) {
    this.random = rng(seed, 'state fuzz');
    this.connections = ['one', 'two'].map((name) => engine.connection(`fuzz ${name}`));
    const bases = [120, 7].map((rows) => baseOf(engine, this.random.stream(`rows ${rows}`), rows));
    for (const base of [...bases, bases[0] as Base])
      this.pairs.push({ state: State.open(base), plain: new PlainDatabase(engine, base.image) });
    const [small] = this.connections as [Connection];
    small.bind((this.pairs[0] as Pair).state);
    small.ready().admin(SMALL_CACHE);
    this.report = { seed, operations, statements: 0, refused: 0, forks: 0, restores: 0, diffs: 0, checks: 0 };
  }

  step(): void {
    const { random } = this;
    const pair = random.pick(this.pairs);
    const action = random.int(0, 99);
    if (action < 50) this.once(pair);
    else if (action < 70) this.transaction(pair);
    else if (action < 78) this.fork(pair);
    else if (action < 83) this.drop(pair);
    else if (action < 88) this.snapshot(pair);
    else if (action < 92) this.restore();
    else if (action < 95) this.diff(pair, random.pick(this.pairs));
    else if (action < 98) this.world();
    else this.reopen(pair);
  }

  once(pair: Pair): void {
    const connection = this.random.pick(this.connections);
    connection.bind(pair.state);
    this.both(connection, pair);
  }

  both(connection: Connection, pair: Pair): void {
    const { sql, params } = statement(this.random);
    const plain = pair.plain.run(sql, params);
    deepStrictEqual(answerOf(connection, sql, params), plain, sql);
    this.report.statements++;
    if ('error' in plain) this.report.refused++;
  }

  transaction(pair: Pair): void {
    const connection = this.random.pick(this.connections);
    connection.bind(pair.state);
    const before = pair.plain.copy();
    connection.record();
    connection.begin();
    pair.plain.run('BEGIN');
    for (let i = this.random.int(1, 6); i > 0; i--) {
      this.both(connection, pair);
      if (this.random.chance(0.2)) this.elsewhere(connection, pair);
    }
    if (this.random.chance(0.3)) {
      connection.rollback();
      pair.plain.run('ROLLBACK');
    } else {
      connection.commit();
      pair.plain.run('COMMIT');
    }
    deepStrictEqual(connection.touched(), slowDiff(before, pair.plain), 'the hook and the definition differ');
    before.close();
  }

  /** Another connection works on another state while this transaction is open. */
  elsewhere(busy: Connection, pair: Pair): void {
    const other = this.random.pick(this.pairs.filter((one) => one !== pair));
    const connection = this.connections.find((one) => one !== busy) as Connection;
    connection.bind(other.state);
    this.both(connection, other);
  }

  fork(pair: Pair): void {
    if (this.pairs.length >= MOST) this.drop(this.random.pick(this.pairs.filter((other) => other !== pair)));
    this.pairs.push({ state: pair.state.fork(), plain: pair.plain.copy() });
    this.report.forks++;
  }

  drop(pair: Pair): void {
    if (this.pairs.length < 3) return;
    pair.state.drop();
    pair.plain.close();
    this.pairs.splice(this.pairs.indexOf(pair), 1);
  }

  snapshot(pair: Pair): void {
    if (this.frozen.length >= MOST / 2) {
      const [old] = this.frozen.splice(this.random.int(0, this.frozen.length - 1), 1) as [FrozenPair];
      old.frozen.drop();
      old.plain.close();
    }
    this.frozen.push({ frozen: pair.state.snapshot(), plain: pair.plain.copy() });
  }

  restore(): void {
    if (this.frozen.length === 0) return;
    const { frozen, plain } = this.random.pick(this.frozen);
    const target = this.pairs.find((pair) => pair.state.base === frozen.base);
    if (target && this.random.chance(0.7)) {
      target.state.restore(frozen);
      target.plain.close();
      target.plain = plain.copy();
    } else if (this.pairs.length < MOST) this.pairs.push({ state: frozen.fork(), plain: plain.copy() });
    this.report.restores++;
  }

  diff(one: Pair, two: Pair): void {
    deepStrictEqual(diffStates(one.state, two.state, KEYS), slowDiff(one.plain, two.plain), 'page diff');
    this.report.diffs++;
  }

  world(): void {
    const members = this.random.sample(this.pairs, this.random.int(2, 4));
    const names = members.map((_, i) => `s${i}`);
    const world = this.engine.world(names);
    world.bind(Object.fromEntries(members.map((pair, i) => [`s${i}`, pair.state])));
    const counts = names.map((name) => `(SELECT count(*) || ':' || ifnull(sum(n), 0) FROM ${name}.item) AS ${name}`);
    const [row] = world.all(`SELECT ${counts.join(', ')}`);
    for (const [i, pair] of members.entries()) {
      const plain = pair.plain.run("SELECT count(*) || ':' || ifnull(sum(n), 0) AS c FROM item");
      deepStrictEqual({ rows: [{ c: row?.[`s${i}`] }] }, plain, 'world query');
    }
  }

  /** A state's bytes are a database of their own, and a base like any other. */
  reopen(pair: Pair): void {
    const bytes = pair.state.bytes();
    const plain = new PlainDatabase(this.engine, bytes);
    deepStrictEqual(plain.integrity(), 'ok');
    for (const table of Object.keys(KEYS)) deepStrictEqual(plain.rows(table), pair.plain.rows(table));
    plain.close();
    const base = State.open(pair.state.base);
    const again = this.random.chance(0.3) ? State.open(Base.of(bytes)) : unpack(base, pack(base, pair.state));
    deepStrictEqual(again.hash(), pair.state.hash());
    pair.state.drop();
    pair.state = again;
  }

  check(): void {
    for (const pair of this.pairs) {
      const connection = this.random.pick(this.connections);
      connection.bind(pair.state);
      deepStrictEqual(connection.integrity(), []);
      for (const table of Object.keys(KEYS))
        deepStrictEqual(connection.prepare(`SELECT * FROM ${table} ORDER BY id`).all(), pair.plain.rows(table), table);
      this.report.checks++;
    }
  }

  close(): void {
    for (const { state, plain } of this.pairs) {
      state.drop();
      plain.close();
    }
    for (const { frozen, plain } of this.frozen) {
      frozen.drop();
      plain.close();
    }
    for (const connection of this.connections) connection.close();
  }
}

/** Runs `operations` random operations; throws an assertion error with the operation's number where the two differ. */
export const fuzzState = (engine: Engine, seed: number, operations: number): FuzzReport => {
  const fuzz = new Fuzz(engine, seed, operations);
  for (let i = 1; i <= operations; i++) {
    try {
      fuzz.step();
      if (i % CHECK_EVERY === 0) fuzz.check();
    } catch (cause) {
      throw new Error(`seed ${seed}, operation ${i}: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
  }
  fuzz.check();
  fuzz.close();
  return fuzz.report;
};
