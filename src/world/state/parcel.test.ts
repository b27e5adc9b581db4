import { beforeAll, expect, test } from 'vitest';
import { Base } from './base.js';
import type { Connection } from './connection.js';
import { Engine } from './engine.js';
import { baseOfParcel, pack, unpack } from './parcel.js';
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
  const parcel = pack(state);
  expect(parcel.length).toBeLessThan(state.bytes().length / 5);
  expect(baseOfParcel(parcel)).toBe(base.hash);
  const again = unpack(Base.of(base.image), parcel);
  expect(again.hash()).toBe(state.hash());
  connection.bind(again);
  expect(connection.integrity()).toEqual([]);
  expect(connection.prepare("SELECT count(*) AS n FROM t WHERE v = 'other'").get()).toEqual({ n: 5 });
});

test('an untouched state packs to next to nothing', () => {
  const parcel = pack(State.open(base).snapshot());
  expect(parcel.length).toBeLessThan(64);
  expect(unpack(base, parcel).hash()).toBe(base.hash);
});

test('damage is told, and leaves no pages behind', () => {
  const parcel = pack(used());
  const before = slabsFor(base.pageSize).live;
  const bad = expect.objectContaining({ code: 'bad_parcel' });
  for (const length of [0, 7, 40, 47, 60, parcel.length >> 1, parcel.length - 1])
    expect(() => unpack(base, parcel.subarray(0, length))).toThrow(bad);
  const foreign = Uint8Array.from(parcel);
  foreign[10] = (foreign[10] as number) ^ 1;
  expect(() => unpack(base, foreign)).toThrow(bad);
  expect(() => unpack(base, new Uint8Array(500))).toThrow(bad);
  expect(slabsFor(base.pageSize).live).toBe(before);
});
