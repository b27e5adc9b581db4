import { beforeAll, expect, test } from 'vitest';
import { Base } from './base.js';
import type { Connection } from './connection.js';
import { Engine } from './engine.js';
import { pack, pristineOfParcel, unpack } from './parcel.js';
import { slabsFor } from './slabs.js';
import { State } from './state.js';

let connection: Connection;
let base: Base;

beforeAll(async () => {
  const engine = await Engine.start();
  base = engine.build(['CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT) STRICT'], (into) => {
    for (let i = 1; i <= 2000; i++) into.prepare('INSERT INTO t VALUES (?, ?)').run([i, `value ${i}`]);
  });
  connection = engine.connection('parcel');
});

const used = (): State => {
  const state = State.open(base);
  connection.bind(state);
  connection.prepare("UPDATE t SET v = 'other' WHERE id % 400 = 0").run();
  const fork = state.fork();
  connection.bind(fork);
  for (let i = 0; i < 300; i++) connection.prepare('INSERT INTO t (v) VALUES (?)').run(['grown']);
  return fork;
};

test('a parked state comes back with the same bytes and is small', () => {
  const state = used();
  const parcel = pack(State.open(base), state);
  expect(parcel.length).toBeLessThan(state.bytes().length / 5);
  expect(pristineOfParcel(parcel)).toBe(base.hash);
  const again = unpack(State.open(Base.of(base.image)), parcel);
  expect(again.hash()).toBe(state.hash());
  connection.bind(again);
  expect(connection.integrity()).toEqual([]);
  expect(connection.prepare("SELECT count(*) AS n FROM t WHERE v = 'other'").get()).toEqual({ n: 5 });
});

test('an untouched state packs to next to nothing', () => {
  const parcel = pack(State.open(base), State.open(base).snapshot());
  expect(parcel.length).toBeLessThan(64);
  expect(unpack(State.open(base), parcel).hash()).toBe(base.hash);
});

test('damage is told, and leaves no pages behind', () => {
  const parcel = pack(State.open(base), used());
  const before = slabsFor(base.pageSize).live;
  const bad = expect.objectContaining({ code: 'bad_parcel' });
  for (const length of [0, 7, 40, 47, 60, parcel.length >> 1, parcel.length - 1])
    expect(() => unpack(State.open(base), parcel.subarray(0, length))).toThrow(bad);
  const foreign = Uint8Array.from(parcel);
  foreign[10] = (foreign[10] as number) ^ 1;
  expect(() => unpack(State.open(base), foreign)).toThrow(bad);
  expect(() => unpack(State.open(base), new Uint8Array(500))).toThrow(bad);
  expect(slabsFor(base.pageSize).live).toBe(before);
});

test('over a state with pages of its own only what came later is packed, and the rest is shared again', () => {
  const began = (): State => {
    const state = State.open(base);
    connection.bind(state);
    for (let i = 0; i < 600; i++) connection.prepare('INSERT INTO t (v) VALUES (?)').run([`of the task ${i * 7919}`]);
    return state;
  };
  const pristine = began();
  const session = pristine.fork();
  connection.bind(session);
  connection.prepare("UPDATE t SET v = 'seen' WHERE id = 2300").run();
  const parcel = pack(pristine, session);
  expect(parcel.length).toBeLessThan(pack(State.open(base), session).length / 4);
  expect(pristineOfParcel(parcel)).toBe(pristine.hash());

  const { live } = slabsFor(base.pageSize);
  const again = unpack(pristine, parcel);
  expect(slabsFor(base.pageSize).live - live).toBeLessThanOrEqual(3);
  expect(again.hash()).toBe(session.hash());
  connection.bind(again);
  expect(connection.integrity()).toEqual([]);
  connection.prepare("UPDATE t SET v = 'again' WHERE id = 2300").run();
  expect(pack(pristine, pristine.fork()).length).toBeLessThan(64);
  expect(again.hash()).not.toBe(session.hash());
  again.drop();
  expect(slabsFor(base.pageSize).live).toBe(live);

  // Made anew, as after the server had let go of the world.
  expect(unpack(began(), parcel).hash()).toBe(session.hash());
  expect(() => unpack(State.open(base), parcel)).toThrow(expect.objectContaining({ code: 'bad_parcel' }));
});
