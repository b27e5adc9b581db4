/** Calls run again on a fresh session do the same, and say what they did with values. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixtureWorld } from '../../../test/fixtures/world.js';
import { toyTask } from '../../../test/rollout/toy.js';
import type { Task } from '../../artifacts/task.js';
import type { LedgerEntry } from '../../artifacts/trace.js';
import { EventEngine } from '../../dynamics/engine/engine.js';
import { event, onCall } from '../../dynamics/event.fixture.js';
import { callerOf } from '../../serve/sessions/caller.js';
import { Session } from '../../serve/sessions/session.js';
import { type LoadedWorld, unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { retrace } from './retrace.js';

let engine: Engine;
let world: LoadedWorld;
beforeAll(async () => {
  engine = await Engine.start();
  world = fixtureWorld(engine);
});
afterAll(() => {
  unloadWorld(world);
  engine.close();
});

const task: Task = { ...toyTask(), services: ['billing', 'tickets'] };
const ledgerOf = (...calls: [string, unknown][]): LedgerEntry[] => {
  const session = Session.open(world, { id: 'first', services: task.services, me: callerOf(task.actor) });
  for (const [tool, args] of calls) session.call(tool, args);
  const ledger = structuredClone([...session.ledger]);
  session.drop();
  return ledger;
};
const customer = (n: number) => ({ name: `New ${n}`, email: `new${n}@mail.example` });

describe('retrace', () => {
  it('gives each call its own rows with values; what read, failed or never ran has none', () => {
    const ledger = ledgerOf(
      ['create_customer', customer(1)],
      ['list_customers', {}],
      ['no_such_tool', {}],
      ['create_customer', { name: 7 }],
    );
    const { id: customer_id } = (ledger[0] as LedgerEntry).result as { id: string };
    const more = ledgerOf(
      ['create_customer', customer(1)],
      ['update_customer', { customer_id, name: 'Other' }],
      ['delete_customer', { customer_id }],
    );
    const first = retrace(world, task, ledger);
    expect(first.differsAt).toBeUndefined();
    expect(first.changes.map((changes) => changes.length)).toEqual([1, 0, 0, 0]);
    expect(first.changes[0]?.[0]).toMatchObject({ service: 'billing', table: 'customer', change: 'insert' });
    expect(first.changes[0]?.[0]?.after).toMatchObject(customer(1));
    const second = retrace(world, task, more).changes.map(([change]) => change);
    expect(second[1]).toMatchObject({ change: 'update', before: { name: 'New 1' }, after: { name: 'Other' } });
    expect(second[1]?.cols).toContain('name');
    expect(second[2]).toMatchObject({ change: 'delete', before: { name: 'Other' } });
  });

  it('says at which call the results part, and shows nothing from there on', () => {
    const ledger = ledgerOf(['create_customer', customer(1)], ['create_customer', customer(2)]);
    const forged = ledger.map((entry, i) => (i === 1 ? { ...entry, result: { id: 'another' } } : entry));
    const { changes, differsAt } = retrace(world, task, forged);
    expect(differsAt).toBe(1);
    expect(changes.map(({ length }) => length)).toEqual([1, 0]);
  });

  it('repeats nothing that no tool ran for', () => {
    const [created] = ledgerOf(['create_customer', customer(1)]);
    const malformed: LedgerEntry = {
      ...(created as LedgerEntry),
      ok: false,
      args: '{"name": ',
      result: {},
      error: { code: 'malformed_arguments', fault: 'agent' },
      touched: [],
    };
    expect(retrace(world, task, [malformed, created as LedgerEntry]).changes.map(({ length }) => length)).toEqual([
      0, 1,
    ]);
  });

  it('weaves a scenario in: faults strike again, and what outside changed is told apart from what calls did', () => {
    const [created] = ledgerOf(['create_customer', customer(1)]);
    const { id } = (created as LedgerEntry).result as { id: string };
    const patch = {
      do: 'update' as const,
      service: 'billing',
      table: 'customer',
      where: { id },
      set: { name: 'Outside' },
    };
    const scenario = {
      seed: 's',
      events: [
        event('renamed', { ...onCall('create_customer'), effect: { patch: [patch] } }),
        event('down', {
          ...onCall('create_customer'),
          effect: { fault: { profile: 'P1', tool: 'search_customers' } },
        }),
      ],
    };
    const session = Session.open(world, {
      id: 'first',
      services: task.services,
      me: callerOf(task.actor),
      woven: new EventEngine(scenario),
    });
    session.call('no_such_tool', {});
    session.call('create_customer', customer(1));
    session.call('search_customers', { query: 'new1@mail' });
    session.call('search_customers', { query: 'new1@mail' });
    session.call('update_customer', { customer_id: id, name: 'Agent' });
    const ledger = structuredClone([...session.ledger]);
    session.drop();
    expect(ledger[2]?.error?.fault).toBe('injected');
    const { changes, outside, differsAt } = retrace(world, task, ledger, new EventEngine(scenario));
    expect(differsAt).toBeUndefined();
    expect(changes.map(({ length }) => length)).toEqual([0, 1, 0, 0, 1]);
    expect(outside?.map(({ length }) => length)).toEqual([0, 1, 0, 0, 0]);
    expect(changes[1]?.[0]).toMatchObject({ change: 'insert', after: { name: 'New 1' } });
    expect(outside?.[1]?.[0]).toMatchObject({
      change: 'update',
      before: { name: 'New 1' },
      after: { name: 'Outside' },
    });
    expect(changes[4]?.[0]).toMatchObject({ before: { name: 'Outside' }, after: { name: 'Agent' } });
    // Without the scenario what is found is another one from the first event on.
    expect(retrace(world, task, ledger).differsAt).toBe(3);
  });

  it('leaves nothing behind', () => {
    const ledger = ledgerOf(['create_customer', customer(1)]);
    const once = retrace(world, task, ledger);
    for (let i = 0; i < 50; i++) expect(retrace(world, task, ledger)).toEqual(once);
  });
});
