/** Where a failed rollout left the ways to the goal: by what calls do, not by how they are written. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixtureWorld } from '../../../test/fixtures/world.js';
import { toyTask } from '../../../test/rollout/toy.js';
import type { Task } from '../../artifacts/task.js';
import { callerOf } from '../../serve/sessions/caller.js';
import { Session } from '../../serve/sessions/session.js';
import { type LoadedWorld, unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { retrace } from '../retrace/retrace.js';
import { type Divergence, diverge, type Way } from './diverge.js';
import { isSameStep, madeStep, plannedStep, type Step, type ToolIndex, toolIndex } from './steps.js';
import { divergenceWords } from './words.js';

let engine: Engine;
let world: LoadedWorld;
let index: ToolIndex;
beforeAll(async () => {
  engine = await Engine.start();
  world = fixtureWorld(engine);
  index = toolIndex(
    world.spec,
    [...world.services.values()].map(({ spec }) => spec),
  );
});
afterAll(() => {
  unloadWorld(world);
  engine.close();
});

const task: Task = { ...toyTask(), services: ['billing', 'tickets'] };
type Calls = [string, Record<string, unknown>][];

/** The steps of calls that are really made, with what they did. */
const steps = (...calls: Calls): Step[] => {
  const session = Session.open(world, { id: 's', services: task.services, me: callerOf(task.actor) });
  for (const [tool, args] of calls) session.call(tool, args);
  const ledger = structuredClone([...session.ledger]);
  session.drop();
  const { changes } = retrace(world, task, ledger);
  return ledger.map((entry, i) => madeStep(index, entry, changes[i]));
};
const way = (name: string, ...calls: Calls): Way => ({ name, steps: steps(...calls) });
const at = (run: Step[], ...ways: Way[]): Divergence => diverge(run, ways);

const create = (n: number): Calls[number] => ['create_customer', { name: `New ${n}`, email: `new${n}@mail.example` }];
const read: Calls[number] = ['list_customers', {}];

describe('changes', () => {
  it('another change than the way has, and what the way has there', () => {
    const found = at(steps(read, create(1), create(3)), way('the reference', create(1), create(2)));
    expect(found).toMatchObject({ kind: 'other_change', at: 2, way: 'the reference' });
    expect(divergenceWords(found)).toBe(
      'call 3 was create_customer with name "New 3", email "new3@mail.example", where the reference has name "New 2", email "new2@mail.example"',
    );
  });

  it('more than is to be done, and the same twice', () => {
    const reference = way('the reference', create(1));
    expect(at(steps(create(1), create(2)), reference)).toMatchObject({ kind: 'other_change', at: 1 });
    expect(divergenceWords(at(steps(create(1), create(2)), reference))).toContain('which the reference does not have');
    const twice: Step[] = [...steps(create(1)), ...steps(create(1))];
    expect(at(twice, reference)).toMatchObject({ kind: 'repeated_change', at: 1 });
  });

  it('a change too many is not taken for one that is made later', () => {
    const found = at(steps(create(3), create(1)), way('the reference', create(1)));
    expect(divergenceWords(found)).toBe(
      'call 1 was create_customer {"name":"New 3","email":"new3@mail.example"}, which the reference does not have',
    );
  });

  it('a change that was refused, and one that was never tried', () => {
    const reference = way('the reference', create(1));
    const refused = at(steps(read, ['create_customer', { name: 'No address' }]), reference);
    expect(refused).toMatchObject({ kind: 'refused_change', at: 1, expected: { tool: 'create_customer' } });
    expect(divergenceWords(refused)).toMatch(/^call 2, create_customer .*, was refused \(/);
    const never = at(steps(read), reference);
    expect(never.kind).toBe('missing_change');
    expect(never).not.toHaveProperty('at');
    expect(divergenceWords(never)).toMatch(/^never called create_customer/);
    expect(at([], reference).kind).toBe('missing_change');
  });

  it('looking around, errors on the way and another order lead off no way', () => {
    const run = steps(read, create(2), ['no_such_tool', {}], read, create(1));
    expect(at(run, way('the reference', create(1), create(2))).kind).toBe('same_calls');
  });

  it('a rollout is held against the way that it followed furthest', () => {
    const [a, b] = [way('run 1', create(1), create(2)), way('run 2', create(3), create(4))];
    expect(at(steps(create(3), create(2)), a, b)).toMatchObject({
      at: 1,
      way: 'run 2',
      expected: { tool: 'create_customer' },
    });
  });
});

describe('look-ups', () => {
  it('are looked at where all changes are made', () => {
    const reference = way('the reference', ['list_invoices', { limit: 5 }]);
    expect(at(steps(['list_invoices', { limit: 5 }]), reference).kind).toBe('same_calls');
    expect(at(steps(read, ['list_invoices', { limit: 7 }]), reference)).toMatchObject({
      kind: 'other_read',
      at: 1,
    });
    expect(at(steps(), reference).kind).toBe('missing_read');
  });
});

describe('the same step', () => {
  it('is the same arguments as the service reads them', () => {
    const plan = (args: Record<string, unknown>): Step =>
      plannedStep(index, { service: 'billing', tool: 'create_customer', args: args as never });
    const own = plan({ name: 'A', email: 'a@b.example' });
    expect(isSameStep(own, plan({ email: 'a@b.example', name: 'A' }))).toBe(true);
    expect(isSameStep(own, plan({ name: 'A', email: 'a@b.example', phone: null }))).toBe(true);
    expect(isSameStep(own, plan({ name: 'B', email: 'a@b.example' }))).toBe(false);
    expect(isSameStep(own, plan({ name: 'A', email: 'a@b.example', no_such: 1 }))).toBe(false);
    const odd = ['text', null, 7, [1], { a: { b: [] } }].map((args) => plan(args as never).key);
    expect(new Set(odd).size).toBe(5);
  });
  it('is the same change, whenever it is made', () => {
    const [early] = steps(create(1));
    const late = steps(read, read, create(1)).at(-1) as Step;
    expect(early?.effect).toBe(late.effect);
    expect(isSameStep({ ...(early as Step), key: 'a' }, { ...late, key: 'b' })).toBe(true);
  });
  it('shortens long arguments', () => {
    const long = steps(['list_customers', { q: 'x'.repeat(500) }]);
    expect(divergenceWords({ kind: 'other_read', at: 0, made: long[0] as Step, way: 'run 1' }).length).toBeLessThan(
      250,
    );
  });
});
