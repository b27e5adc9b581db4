import { afterAll, beforeAll, expect, it } from 'vitest';
import { fixtureWorld } from '../../test/fixtures/world.js';
import type { Grounding } from '../artifacts/task.js';
import { callerOf } from '../serve/sessions/caller.js';
import { Session } from '../serve/sessions/session.js';
import { dropGrounded, groundedWorld } from './grounded.js';
import { type LoadedWorld, unloadWorld } from './loaded.js';
import { Engine } from './state/engine.js';

let engine: Engine;
let world: LoadedWorld;
beforeAll(async () => {
  engine = await Engine.start();
  world = fixtureWorld(engine, { only: ['billing'] });
});
afterAll(() => {
  unloadWorld(world);
  engine.close();
});

const rowsOf = (at: LoadedWorld): Record<string, unknown>[] => {
  const service = at.services.get('billing');
  if (!service) throw new Error('no billing');
  service.connection.bind(service.pristine);
  return service.connection.prepare('SELECT * FROM "customer" ORDER BY rowid').all();
};
const adding = (...rows: Record<string, string | number | null>[]): Grounding => ({
  rounds: [{ round: 'context', rows: rows.map((row) => ({ service: 'billing', table: 'customer', row })) }],
});
const another = (): Record<string, string | number | null> => {
  const [first] = rowsOf(world);
  return {
    ...(first as Record<string, string | number | null>),
    id: 'cus_added',
    name: 'Bo Lund Senior',
    email: 'x@y.example',
  };
};

it('the task’s rows are there at the start, of it alone, and are no change of the session', () => {
  const before = rowsOf(world).length;
  const grounded = groundedWorld(world, adding(another()));
  expect(rowsOf(grounded)).toHaveLength(before + 1);
  expect(rowsOf(world)).toHaveLength(before);
  const me = callerOf({ name: 'Bo', email: 'bo@fixture.example' });
  const session = Session.open(grounded, { id: 's', me });
  expect(session.diff()).toEqual({});
  expect(session.hash()).not.toBe(Session.open(world, { id: 't', me }).hash());
  const again = groundedWorld(world, adding(another()));
  expect(Session.open(again, { id: 'u', me }).hash()).toBe(session.hash());
  session.drop();
  dropGrounded(world, grounded);
  dropGrounded(world, again);
  expect(rowsOf(world)).toHaveLength(before);
});

it('a task that adds nothing has the world itself', () => {
  expect(groundedWorld(world, undefined)).toBe(world);
  expect(groundedWorld(world, { rounds: [] })).toBe(world);
});

it('rows that do not fit are refused with what is wrong, and leave no trace', () => {
  const refuse = (grounding: Grounding): string => {
    try {
      groundedWorld(world, grounding);
    } catch (thrown) {
      return `${(thrown as { code?: string }).code} ${(thrown as Error).message}`;
    }
    return 'accepted';
  };
  const [first] = rowsOf(world) as Record<string, string | number | null>[];
  expect(refuse(adding(first ?? {}))).toMatch(/^bad_grounding .*customer does not fit/);
  expect(refuse(adding({ ...another(), nothing: 1 }))).toMatch(/^bad_grounding/);
  expect(refuse({ rounds: [{ round: 'entities', rows: [{ service: 'billing', table: 'none', row: {} }] }] })).toMatch(
    /^bad_grounding .*lacks/,
  );
  expect(refuse({ rounds: [{ round: 'entities', rows: [{ service: 'nobody', table: 'a', row: {} }] }] })).toMatch(
    /^bad_grounding .*service/,
  );
  expect(groundedWorld(world, adding(another())).services.get('billing')?.pristine).toBeDefined();
});
