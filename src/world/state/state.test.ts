import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { Base } from './base.js';
import type { Connection } from './connection.js';
import { Engine } from './engine.js';
import { slabsFor } from './slabs.js';
import { State } from './state.js';

let connection: Connection;
let base: Base;

beforeAll(async () => {
  const engine = await Engine.start();
  base = engine.build(['CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT) STRICT'], (into) => {
    for (let i = 1; i <= 200; i++) into.prepare('INSERT INTO t VALUES (?, ?)').run([i, 'x'.repeat(50)]);
  });
  connection = engine.connection('state');
});
beforeEach(() => connection.bind(State.open(base)));

const set = (state: State, id: number, v: string): void => {
  connection.bind(state);
  connection.prepare('UPDATE t SET v = ? WHERE id = ?').run([v, id]);
};
const get = (state: State, id: number): unknown => {
  connection.bind(state);
  return connection.prepare('SELECT v FROM t WHERE id = ?').get([id])?.v;
};
const live = (): number => slabsFor(base.pageSize).live;

test('forks part ways in both directions', () => {
  const one = State.open(base);
  set(one, 1, 'before');
  const two = one.fork();
  set(one, 1, 'one');
  set(two, 2, 'two');
  expect([get(one, 1), get(one, 2), get(two, 1), get(two, 2)]).toEqual(['one', 'x'.repeat(50), 'before', 'two']);
});

test('equal contents have equal bytes, however often the connection was bound', () => {
  const [one, two] = [State.open(base), State.open(base)];
  set(one, 3, 'same');
  for (let i = 0; i < 10; i++) get(State.open(base), 1);
  set(two, 3, 'same');
  expect(one.hash()).toBe(two.hash());
  expect(one.hash()).not.toBe(base.hash);
  expect(State.open(base).hash()).toBe(base.hash);
});

test('two states are equal when their bytes are, over one base, over another and after a page was written back', () => {
  const [one, two] = [State.open(base), State.open(base)];
  expect(one.equals(two)).toBe(true);
  set(one, 3, 'same');
  expect(one.equals(two)).toBe(false);
  expect(two.equals(one)).toBe(false);
  set(two, 3, 'same');
  expect(one.equals(two)).toBe(true);
  expect(one.fork().equals(two)).toBe(true);
  const apart = State.open(Base.of(one.bytes()));
  expect(apart.equals(two)).toBe(true);
  set(two, 4, 'other');
  expect(apart.equals(two)).toBe(false);
  set(one, 5, 'long'.repeat(4000));
  expect(one.equals(apart)).toBe(false);
  two.drop();
  expect(() => one.equals(two)).toThrow('dropped');
});

test('states that nobody wrote share what was read of them, and part ways with the first write', () => {
  const model = new Map<State, Map<number, string>>();
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(4), fc.nat(9), fc.nat(4)), { maxLength: 40 }), (steps) => {
      model.clear();
      const states = Array.from({ length: 5 }, () => State.open(base));
      for (const state of states) model.set(state, new Map());
      for (const [i, which, from] of steps) {
        const state = states[i] as State;
        if (which === 0) {
          const source = states[from] as State;
          states[i] = source.fork();
          model.set(states[i], new Map(model.get(source)));
          if (from !== i) state.drop();
        } else if (which < 4) {
          set(state, which, `${i} of ${from}`);
          model.get(state)?.set(which, `${i} of ${from}`);
        }
        for (const one of states)
          for (const id of [1, 2, 3]) expect(get(one, id)).toBe(model.get(one)?.get(id) ?? 'x'.repeat(50));
      }
    }),
    { numRuns: 30 },
  );
});

test('a snapshot can be restored again and again and forked, also after its state was dropped', () => {
  const state = State.open(base);
  set(state, 1, 'kept');
  const frozen = state.snapshot();
  for (const v of ['a', 'b']) {
    set(state, 1, v);
    set(state, 2, v);
    state.restore(frozen);
    expect([get(state, 1), get(state, 2)]).toEqual(['kept', 'x'.repeat(50)]);
  }
  expect(frozen.hash()).toBe(state.hash());
  state.drop();
  const again = frozen.fork();
  frozen.drop();
  expect(get(again, 1)).toBe('kept');
});

test('a long line of snapshots stays shallow and right', () => {
  const state = State.open(base);
  const frozen = Array.from({ length: 100 }, (_, i) => {
    set(state, (i % 10) + 1, `v${i}`);
    return state.snapshot();
  });
  expect(frozen.at(-1)?.layer?.depth).toBeLessThanOrEqual(12);
  for (const [i, one] of frozen.entries()) {
    const fork = one.fork();
    expect(get(fork, (i % 10) + 1)).toBe(`v${i}`);
    fork.drop();
  }
});

test('every page comes back once the last holder is dropped, in any order', () => {
  const before = live();
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 60 }), (choices) => {
      const held: { drop(): void }[] = [];
      const states = [State.open(base)];
      for (const [i, choice] of choices.entries()) {
        const state = states[choice % states.length] as State;
        if (choice % 3 === 0) set(state, (choice % 200) + 1, `${i}`);
        else if (choice % 3 === 1) states.push(state.fork());
        else held.push(state.snapshot());
      }
      const all = [...states, ...held];
      for (const choice of choices) if (all.length > 0) all.splice(choice % all.length, 1)[0]?.drop();
      for (const one of all) one.drop();
      expect(live()).toBe(before);
    }),
    { numRuns: 50 },
  );
});

test('dropping twice is allowed, using afterwards is not', () => {
  const state = State.open(base);
  const frozen = state.snapshot();
  for (const one of [state, frozen]) {
    one.drop();
    one.drop();
  }
  const dropped = expect.objectContaining({ code: 'state_dropped' });
  for (const work of [
    () => state.fork(),
    () => state.bytes(),
    () => state.snapshot(),
    () => connection.bind(state),
    () => frozen.fork(),
    () => frozen.bytes(),
    () => State.open(base).restore(frozen),
  ])
    expect(work).toThrow(dropped);
});

test('a bound state that is dropped is not read any more', () => {
  const state = State.open(base);
  const statement = connection.prepare('SELECT count(*) AS n FROM t');
  connection.bind(state);
  state.drop();
  expect(() => statement.get()).toThrow(expect.objectContaining({ code: 'state_dropped' }));
});

test('nothing is taken from a state inside a transaction', () => {
  const state = State.open(base);
  connection.bind(state);
  connection.begin();
  connection.prepare('DELETE FROM t').run();
  const frozen = State.open(base).snapshot();
  for (const work of [
    () => state.fork(),
    () => state.snapshot(),
    () => state.restore(frozen),
    () => state.bytes(),
    () => state.drop(),
  ])
    expect(work).toThrow(expect.objectContaining({ code: 'transaction_open' }));
  connection.rollback();
  expect(state.hash()).toBe(base.hash);
});

test('a write copies the pages it changes and none beside them', () => {
  const state = State.open(base);
  const before = live();
  set(state, 100, 'y'.repeat(50));
  // The leaf that holds the row, and the first page with its change counter.
  expect(live() - before).toBe(2);
});

test('a snapshot of another base is refused', () => {
  const other = State.open(Base.of(base.image));
  expect(() => State.open(base).restore(other.snapshot())).toThrow(expect.objectContaining({ code: 'other_base' }));
});

test('the write counter moves with writes and restores, not with reads', () => {
  const state = State.open(base);
  get(state, 1);
  expect(state.writeCounter).toBe(0);
  set(state, 1, 'y');
  const after = state.writeCounter;
  expect(after).toBeGreaterThan(0);
  state.restore(State.open(base).snapshot());
  expect(state.writeCounter).toBeGreaterThan(after);
});

test('a file cut off and grown again reads zeros where nothing was written', () => {
  const state = State.open(base);
  const { head } = state;
  const last = base.pageCount;
  head.truncate(last - 3);
  expect(head.page(last - 2)).toBeUndefined();
  head.own(last, true).fill(7);
  expect(head.page(last - 2)?.every((byte) => byte === 0)).toBe(true);
  expect(head.page(last)?.every((byte) => byte === 7)).toBe(true);
  expect(head.count).toBe(last);
  const fork = state.fork();
  fork.head.truncate(2);
  expect(fork.bytes()).toEqual(base.image.slice(0, 2 * base.pageSize));
  expect(state.bytes().length).toBe(base.image.length);
});

test('pages of states that nobody dropped come back when they are collected', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const before = live();
  (() => {
    for (let i = 0; i < 50; i++) {
      const state = State.open(base);
      set(state, 1, 'forgotten');
      state.snapshot();
      set(state, 2, 'forgotten');
    }
  })();
  expect(live()).toBeGreaterThan(before);
  connection.bind(State.open(base));
  for (let i = 0; i < 100 && live() > before; i++) {
    collect();
    await new Promise(setImmediate);
  }
  expect(live()).toBeLessThanOrEqual(before);
});
