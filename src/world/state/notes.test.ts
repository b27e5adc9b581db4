import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { Base } from './base.js';
import type { Connection } from './connection.js';
import { Engine } from './engine.js';
import { type FrozenState, State } from './state.js';

let base: Base;
let one: Connection;
let other: Connection;

beforeAll(async () => {
  const engine = await Engine.start();

  base = engine.build(
    [
      'CREATE TABLE c (id INTEGER PRIMARY KEY, n INTEGER) STRICT',
      'CREATE TABLE r (c INTEGER REFERENCES c (id) DEFERRABLE INITIALLY DEFERRED) STRICT',
    ],
    (into) => into.prepare('INSERT INTO c VALUES (7, 0)').run(),
  );
  one = engine.connection('notes');
  other = (await Engine.start()).connection('notes');
});

const stored = (through: Connection): number => through.prepare('SELECT n FROM c').get()?.n as number;

/** Counts on as a tool does; what was noted must be what is stored. */
const count = (): void => {
  const noted = one.notes?.get('c');
  if (noted) expect(noted.value).toBe(stored(one));
  const value = (noted?.value ?? stored(one)) + 1;
  one.prepare('UPDATE c SET n = ? WHERE id = 7').run([value]);
  one.notes?.set('c', { rowid: 7, value });
};

const OPS = ['count', 'undone', 'broken', 'besides', 'elsewhere', 'fork', 'freeze', 'restore'] as const;

test('what is noted is what is stored, whatever else happens to the states', () => {
  let used = 0;
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(2), fc.constantFrom(...OPS)), { maxLength: 40 }), (steps) => {
      const states = [0, 1, 2].map(() => State.open(base));
      const frozen: (FrozenState | undefined)[] = [];
      for (const [at, op] of steps) {
        const state = states[at] as State;
        one.bind(state);
        if (op === 'fork') states[(at + 1) % 3] = state.fork();
        else if (op === 'freeze') frozen[at] = state.snapshot();
        else if (op === 'restore') {
          const to = frozen[at];
          if (to) state.restore(to);
        } else if (op === 'besides') one.prepare('UPDATE c SET n = n + 10').run();
        else if (op === 'elsewhere') {
          other.bind(state);
          other.prepare('UPDATE c SET n = n + 10').run();
        } else {
          one.begin();
          if (one.notes?.has('c')) used++;
          count();
          count();
          if (op === 'broken') {
            one.prepare('INSERT INTO r VALUES (99)').run();
            expect(() => one.commit()).toThrow();
          }
          if (op === 'count') one.commit();
          else one.rollback();
        }
      }
    }),
  );
  expect(used).toBeGreaterThan(0);
});

test('there are notes inside a transaction only', () => {
  one.bind(State.open(base));
  expect(one.notes).toBeUndefined();
  one.begin();
  one.notes?.set('c', { rowid: 7, value: 5 });
  one.commit();
  expect(one.notes).toBeUndefined();
  one.begin();
  expect(one.notes?.get('c')).toEqual({ rowid: 7, value: 5 });
  one.rollback();
  one.begin();
  expect(one.notes?.get('c')).toBeUndefined();
  one.rollback();
});
