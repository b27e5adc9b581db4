import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Base } from './base.js';
import type { Connection } from './connection.js';
import { Engine } from './engine.js';
import { slabsFor } from './slabs.js';
import { type FrozenState, State } from './state.js';

let connection: Connection;
let base: Base;

beforeAll(async () => {
  const engine = await Engine.start();
  base = engine.build(
    ['CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, n INTEGER) STRICT', 'CREATE INDEX t_n ON t (n)'],
    (into) => {
      for (let i = 1; i <= 300; i++) into.prepare('INSERT INTO t VALUES (?, ?, ?)').run([i, `value ${i}`, i % 7]);
    },
  );
  connection = engine.connection('delta');
});
beforeEach(() => connection.bind(State.open(base)));

const live = (): number => slabsFor(base.pageSize).live;
const run = (state: State, sql: string, ...values: (string | number)[]): void => {
  connection.bind(state);
  connection.prepare(sql).run(values);
};
const sound = (state: State): void => {
  connection.bind(state);
  expect(connection.integrity()).toEqual([]);
};
const marked = (): State => {
  const state = State.open(base);
  state.markDelta();
  return state;
};
const bad = expect.objectContaining({ code: 'bad_delta', fault: 'infrastructure', next: expect.any(String) });

/** A state, another that only its deltas made, and what was kept of it. */
interface Pair {
  state: State;
  follower: State;
  kept: FrozenState[];
}
const follow = ({ state, follower }: Pair): void => {
  const before = follower.hash();
  const delta = state.takeDelta();
  if (delta) follower.applyDelta(delta);
  expect(follower.hash()).toBe(state.hash());
  expect(delta === undefined).toBe(state.hash() === before);
  expect(state.takeDelta()).toBeUndefined();
};
const dropAll = (pairs: readonly Pair[]): void => {
  for (const { state, follower, kept } of pairs) for (const one of [state, follower, ...kept]) one.drop();
};

const SQL: ((state: State, n: number) => void)[] = [
  (state, n) => run(state, 'INSERT INTO t (v, n) VALUES (?, ?)', `new ${n}`.repeat((n % 40) + 1), n),
  (state, n) => run(state, 'UPDATE t SET v = ? WHERE id = ?', `changed ${n}`, (n % 300) + 1),
  (state, n) => run(state, 'UPDATE t SET v = v WHERE id = ?', (n % 300) + 1),
  (state, n) => run(state, 'UPDATE t SET n = n + 1 WHERE n = ?', n % 7),
  (state, n) => run(state, 'DELETE FROM t WHERE id % 5 = ?', n % 5),
  (state, n) => run(state, 'INSERT INTO t (v) SELECT v || v || v || v FROM t WHERE id < ?', n % 200),
  (state) => {
    connection.bind(state);
    connection.begin();
    connection.prepare('DELETE FROM t').run();
    connection.rollback();
  },
  // The only thing that makes the file shorter.
  (state) => {
    connection.bind(state);
    connection.ready().releaseStatements();
    connection.ready().admin('VACUUM');
    connection.close();
  },
];

describe('deltas', () => {
  it('replayed over where they began give the same bytes, whatever SQL, forks and restores made them', () => {
    const before = live();
    const step = fc.record({ what: fc.nat(SQL.length + 4), which: fc.nat(9), n: fc.nat(10_000), tell: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        const pairs: Pair[] = [{ state: marked(), follower: State.open(base), kept: [] }];
        for (const { what, which, n, tell } of steps) {
          const pair = pairs[which % pairs.length] as Pair;
          const { state, kept } = pair;
          const work = SQL[what];
          if (work) work(state, n);
          else if (what === SQL.length) kept.push(state.snapshot());
          else if (what === SQL.length + 1 && kept.length > 0) state.restore(kept[n % kept.length] as FrozenState);
          else if (what === SQL.length + 2) kept.splice(n, 1)[0]?.drop();
          else {
            const fork = state.fork();
            fork.markDelta();
            pairs.push({ state: fork, follower: fork.fork(), kept: [] });
          }
          if (tell) follow(pair);
        }
        for (const pair of pairs) {
          follow(pair);
          sound(pair.follower);
        }
        dropAll(pairs);
        expect(live()).toBe(before);
      }),
      { numRuns: 60 },
    );
  });

  it('are exact where files are cut off and grow, with pages that nobody wrote', () => {
    const before = live();
    const step = fc.record({
      what: fc.constantFrom('write', 'write', 'cut', 'tell', 'tell', 'snapshot', 'restore'),
      page: fc.integer({ min: 1, max: 40 }),
      byte: fc.nat(255),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const pair: Pair = { state: marked(), follower: State.open(base), kept: [] };
        const { state, kept } = pair;
        for (const { what, page, byte } of steps) {
          if (what === 'write') state.head.own(page, byte % 2 === 0).fill(byte, 4 * byte, 4 * byte + 3);
          else if (what === 'cut') state.head.truncate(Math.min(page, state.head.count));
          else if (what === 'snapshot') kept.push(state.snapshot());
          else if (what === 'restore') {
            const frozen = kept[byte % kept.length];
            if (frozen) state.restore(frozen);
          } else {
            const delta = state.takeDelta();
            if (delta) pair.follower.applyDelta(delta);
            expect(Buffer.compare(pair.follower.bytes(), state.bytes())).toBe(0);
          }
        }
        follow(pair);
        dropAll([pair]);
        expect(live()).toBe(before);
      }),
      { numRuns: 300 },
    );
  });

  it('say nothing where nothing was changed', () => {
    const state = marked();
    expect(state.takeDelta()).toBeUndefined();
    run(state, 'UPDATE t SET v = v WHERE id = 3');
    expect(state.takeDelta()).toBeUndefined();
    run(state, "UPDATE t SET v = 'b' WHERE id = 3");
    state.markDelta();
    expect(state.takeDelta()).toBeUndefined();
  });

  it('of one row are small, and a long line of them holds each page but once and no long chain', () => {
    const before = live();
    const state = marked();
    for (let i = 0; i < 100; i++) {
      run(state, 'UPDATE t SET v = ? WHERE id = 7', `v ${i}`);
      expect(state.takeDelta()?.length).toBeLessThan(100);
    }
    expect(state.head.layer?.depth).toBe(1);
    // The leaf with the row and the first page.
    expect(live() - before).toBe(2);
    state.drop();
    expect(live()).toBe(before);
  });

  it('need a mark, which forks and states opened anew have not', () => {
    const none = expect.objectContaining({ code: 'no_mark' });
    const state = marked();
    expect(() => state.fork().takeDelta()).toThrow(none);
    expect(() => State.open(base).takeDelta()).toThrow(none);
    expect(() => state.snapshot().fork().takeDelta()).toThrow(none);
    connection.bind(state);
    connection.begin();
    connection.prepare('DELETE FROM t').run();
    for (const work of [() => state.markDelta(), () => state.takeDelta(), () => state.applyDelta(new Uint8Array(9))])
      expect(work).toThrow(expect.objectContaining({ code: 'transaction_open' }));
    connection.rollback();
    expect(state.takeDelta()).toBeUndefined();
    state.drop();
    expect(() => state.takeDelta()).toThrow(expect.objectContaining({ code: 'state_dropped' }));
  });

  it('are refused by any state but the one they were taken over, which stays as it was', () => {
    const state = marked();
    run(state, "UPDATE t SET v = 'one' WHERE id = 9");
    const first = state.takeDelta() as Uint8Array;
    run(state, "UPDATE t SET v = 'two' WHERE id = 10");
    const second = state.takeDelta() as Uint8Array;
    run(state, "UPDATE t SET v = 'three' WHERE id = 11");
    const third = state.takeDelta() as Uint8Array;
    const follower = State.open(base);
    expect(() => follower.applyDelta(second)).toThrow(bad);
    expect(follower.hash()).toBe(base.hash);
    follower.applyDelta(first);
    expect(() => State.open(base).applyDelta(third)).toThrow(bad);
    follower.applyDelta(second);
    follower.applyDelta(third);
    expect(() => follower.applyDelta(third)).toThrow(bad);
    expect(() => follower.applyDelta(first)).toThrow(bad);
    expect(follower.hash()).toBe(state.hash());
    const otherSize = new Uint8Array(base.image);
    otherSize[16] = base.pageSize >> 9;
    otherSize[17] = 0;
    expect(() => State.open(Base.of(otherSize)).applyDelta(first)).toThrow(bad);
  });

  it('that are damaged in any way are refused, and leave the state and the storage as they were', () => {
    const state = marked();
    run(state, 'INSERT INTO t (v) SELECT v || v FROM t WHERE id < 60');
    const delta = state.takeDelta() as Uint8Array;
    const follower = State.open(base);
    const before = live();
    const refused = (bytes: Uint8Array): void => {
      if (Buffer.compare(bytes, delta) !== 0) expect(() => follower.applyDelta(bytes)).toThrow(bad);
      expect(live()).toBe(before);
    };
    for (const bytes of [new Uint8Array(0), new Uint8Array(4096), Uint8Array.of(2, ...delta.subarray(1))])
      refused(bytes);
    for (let length = 0; length < delta.length; length += 7) refused(delta.subarray(0, length));
    const at = fc.nat(delta.length - 1);
    fc.assert(
      fc.property(at, at, fc.uint8Array({ minLength: 0, maxLength: 9 }), (from, to, put) => {
        const flipped = Uint8Array.from(delta);
        flipped[from] = (flipped[from] as number) ^ (1 << (to % 8));
        refused(flipped);
        const replaced = [...delta.subarray(0, Math.min(from, to)), ...put, ...delta.subarray(Math.max(from, to))];
        refused(Uint8Array.from(replaced));
      }),
      { numRuns: 300 },
    );
    expect(follower.hash()).toBe(base.hash);
    follower.applyDelta(delta);
    expect(follower.hash()).toBe(state.hash());
  });
});
