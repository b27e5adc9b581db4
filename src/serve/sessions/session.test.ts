import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixtureWorld } from '../../../test/fixtures/world.js';
import type { Json } from '../../kit/hash.js';
import { type LoadedWorld, unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { slabsFor } from '../../world/state/slabs.js';
import type { Beside } from '../tool-host.js';
import { callerOf } from './caller.js';
import { dropSnapshot, Session } from './session.js';

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

const me = callerOf({ name: 'Bo Lund', email: 'bo.lund@fixture.example' });
const open = (services?: string[]): Session => Session.open(world, { id: 's', me, ...(services ? { services } : {}) });
const ids = (session: Session, tool: string, args: Record<string, Json> = {}): string[] => {
  const { result } = session.call(tool, args);
  return (result as { data: { id: string }[] }).data.map(({ id }) => id);
};
const hashes = (session: Session): string[] => [...world.services.keys()].map((id) => session.state(id).hash());
const newCustomer = (session: Session, n: number): void => {
  expect(session.call('create_customer', { name: `New ${n}`, email: `new${n}@mail.example` }).ok).toBe(true);
};

it('tells callers that ask for it which rows a list shows, and why a call failed', () => {
  const session = open();
  const told: Beside[] = [];
  const beside = (said: Beside): void => {
    told.push(said);
  };
  session.call('list_invoices', { limit: 2 }, { beside });
  session.call('delete_customer', { customer_id: 'nobody' }, { beside });
  session.call('list_invoices', {});
  session.call('no_such_tool', {}, { beside });
  expect(told).toEqual([
    { page: expect.objectContaining({ offset: 0, limit: 2, more: true }) },
    { failure: expect.objectContaining({ message: expect.stringContaining('nobody') }) },
  ]);
});

describe('opening', () => {
  it('refuses a service that the world lacks, and names those it has', () => {
    expect(() => open(['billing', 'payroll'])).toThrow(
      expect.objectContaining({ code: 'unknown_service', value: 'payroll', next: expect.stringContaining('billing') }),
    );
  });

  it('offers the tools of the services asked for, each described', () => {
    expect(
      new Set(
        open()
          .tools()
          .map(({ service }) => service),
      ),
    ).toEqual(new Set(world.services.keys()));
    const tools = open(['billing']).tools();
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(world.services.get('billing')?.spec.tools ?? {}));
    const by = new Map(tools.map((tool) => [tool.name, tool]));
    expect(by.get('list_invoices')).toMatchObject({ readOnly: true, destructive: false, service: 'billing' });
    expect(by.get('update_invoice')).toMatchObject({ readOnly: false, destructive: false });
    expect(by.get('delete_customer')).toMatchObject({ readOnly: false, destructive: true });
    for (const tool of tools) expect(tool.version).toMatch(/^[0-9a-f]{64}$/);
  });

  it('gives the same list each time, for servers that cache what they render', () => {
    const session = open();
    expect(session.tools()).toBe(session.tools());
  });
});

describe('calling', () => {
  it('keeps a ledger: what was asked, what was seen, what was touched, when', () => {
    const session = open();
    session.call('search_customers', { query: 'Bo' });
    session.call('get_invoice', { invoice_id: 'inv_none' });
    newCustomer(session, 1);
    expect(session.ledger.map(({ index, tool, ok, at }) => [index, tool, ok, at - world.spec.clock])).toEqual([
      [0, 'search_customers', true, 0],
      [1, 'get_invoice', false, 5],
      [2, 'create_customer', true, 10],
    ]);
    expect(session.ledger[1]?.error).toEqual({ code: 'not_found', fault: 'agent' });
    expect(session.ledger[2]?.touched).toMatchObject([{ service: 'billing', table: 'customer', change: 'insert' }]);
    expect(session.clock).toBe(world.spec.clock + 15);
    session.drop();
  });

  it.each(['no_such_tool', '', 'constructor', '__proto__', 'x'.repeat(10_000)])(
    'an unknown tool is an observation: %j',
    (name) => {
      const session = open();
      const outcome = session.call(name, { a: 1 });
      expect(outcome).toMatchObject({ ok: false, error: { code: 'unknown_tool', fault: 'agent', status: 404 } });
      expect(JSON.stringify(outcome.result).length).toBeLessThan(300);
      expect(session.ledger).toHaveLength(1);
      expect(session.diff()).toEqual({});
      session.drop();
    },
  );

  it('a service that is not offered is not there, though its rows are', () => {
    const session = open(['billing']);
    expect(session.call('findTickets', {}).error?.code).toBe('unknown_tool');
    expect(session.state('tickets').hash()).toBe(world.services.get('tickets')?.pristine.hash());
    expect(session.fork('f').call('findTickets', {}).error?.code).toBe('unknown_tool');
    session.drop();
  });

  it.each([undefined, null, 7, 'text', [], [1], { deep: { deeper: [] } }])(
    'odd arguments are an observation: %j',
    (args) => {
      const session = open();
      const outcome = session.call('create_customer', args);
      expect(outcome.ok).toBe(false);
      expect(outcome.error?.fault).toBe('agent');
      expect(session.diff()).toEqual({});
      session.drop();
    },
  );

  it('what is touched is what differs', () => {
    const session = open();
    newCustomer(session, 1);
    const [invoice = ''] = ids(session, 'list_invoices', { status: ['draft'] });
    session.call('void_invoice', { invoice_id: invoice });
    const [ticket] = (
      session.call('findTickets', { filter: { state: 'IN_PROGRESS' } }).result as { data: { id: string }[] }
    ).data;
    session.call('solveTicket', { ticketId: ticket?.id as string, note: 'done' });
    const touched = session.ledger.flatMap((entry) =>
      entry.touched.map(({ service, table, key, change }) => `${service}.${table} ${key} ${change}`),
    );
    const differs = Object.entries(session.diff()).flatMap(([service, changes]) =>
      changes.map(({ table, key, change }) => `${service}.${table} ${key} ${change}`),
    );
    expect(differs.length).toBeGreaterThanOrEqual(2);
    expect([...new Set(touched)].sort()).toEqual(differs.sort());
    session.drop();
  });

  it('a refused call changes and touches nothing', () => {
    const session = open();
    const [paid = ''] = ids(session, 'list_invoices', { status: ['paid'] });
    const before = hashes(session);
    const outcome = session.call('void_invoice', { invoice_id: paid });
    expect(outcome).toMatchObject({ ok: false, error: { fault: 'agent' }, entry: { touched: [] } });
    expect(hashes(session)).toEqual(before);
    session.drop();
  });
});

describe('forks, snapshots, resets', () => {
  it('a fork goes its own way from exactly here', () => {
    const first = open();
    newCustomer(first, 1);
    const second = first.fork('second');
    expect([second.clock, second.ledger.length, hashes(second)]).toEqual([first.clock, 1, hashes(first)]);
    newCustomer(first, 2);
    second.call('search_customers', {});
    second.call('search_customers', {});
    second.workspace.write('mine.txt', 'x');
    expect(first.diff().billing).toHaveLength(2);
    expect(second.diff().billing).toHaveLength(1);
    expect([first.ledger.length, second.ledger.length]).toEqual([2, 3]);
    expect(first.workspace.list()).toEqual([]);
    first.drop();
    newCustomer(second, 3);
    expect(second.diff().billing).toHaveLength(2);
    second.drop();
  });

  it('the same calls give the same ids, results and bytes in two forks', () => {
    const base = open();
    const runs = ['a', 'b'].map((id) => {
      const session = base.fork(id);
      newCustomer(session, 9);
      const results = session.ledger.map(({ result }) => result);
      const end = hashes(session);
      session.drop();
      return { results, end };
    });
    expect(runs[0]).toEqual(runs[1]);
    base.drop();
  });

  it('a snapshot can be restored more than once, and outlives what came after it', () => {
    const session = open();
    newCustomer(session, 1);
    session.workspace.write('a.txt', 'then');
    const snapshot = session.snapshot();
    const then = { hashes: hashes(session), clock: session.clock, ledger: session.ledger.length };
    for (let round = 0; round < 3; round++) {
      newCustomer(session, 10 + round);
      session.workspace.write('a.txt', 'now');
      session.restore(snapshot);
      expect({ hashes: hashes(session), clock: session.clock, ledger: session.ledger.length }).toEqual(then);
      expect(session.workspace.read('a.txt')).toBe('then');
    }
    dropSnapshot(snapshot);
    newCustomer(session, 2);
    expect(session.diff().billing).toHaveLength(2);
    session.drop();
  });

  it('a reset is as newly opened', () => {
    const session = open();
    newCustomer(session, 1);
    session.workspace.write('a.txt', 'x');
    session.reset();
    const fresh = open();
    expect([session.clock, session.ledger, session.diff(), hashes(session), session.workspace.list()]).toEqual([
      fresh.clock,
      [],
      {},
      hashes(fresh),
      [],
    ]);
    session.drop();
    fresh.drop();
  });

  it('a dropped session has no state any more', () => {
    const session = open();
    session.drop();
    expect(() => session.state('billing')).toThrow(expect.objectContaining({ code: 'unknown_service' }));
    session.drop();
  });

  it('gives its pages back', () => {
    const session = open();
    const { live } = slabsFor(session.state('billing').base.pageSize);
    for (let n = 0; n < 50; n++) {
      const fork = session.fork(`f${n}`);
      newCustomer(fork, n);
      fork.drop();
    }
    expect(slabsFor(session.state('billing').base.pageSize).live).toBe(live);
    session.drop();
  });
});

/** Whatever is called in whatever order: footprints name every row that differs, and going back is going back. */
it('footprints hold, and restore undoes, for any calls', () => {
  const call = fc.oneof(
    fc.record({ tool: fc.constant('create_customer'), n: fc.nat(30) }),
    fc.record({ tool: fc.constant('delete_customer'), n: fc.nat(30) }),
    fc.record({ tool: fc.constant('update_customer'), n: fc.nat(30) }),
    fc.record({ tool: fc.constant('void_invoice'), n: fc.nat(30) }),
    fc.record({ tool: fc.constant('pay_invoice'), n: fc.nat(30) }),
  );
  const pristine = open();
  const customers = ids(pristine, 'search_customers', { limit: 100 });
  const invoices = ids(pristine, 'list_invoices', { limit: 100 });
  const pick = (list: string[], n: number): string => list[n % list.length] as string;
  const argsOf = (tool: string, n: number): Json => {
    if (tool === 'create_customer') return { name: `N ${n}`, email: `n${n}@mail.example` };
    if (tool === 'update_customer') return { customer_id: pick(customers, n), name: `Renamed ${n}` };
    if (tool === 'delete_customer') return { customer_id: pick(customers, n) };
    return { invoice_id: pick(invoices, n) };
  };
  fc.assert(
    fc.property(fc.array(call, { maxLength: 12 }), fc.nat(12), (calls, cut) => {
      const session = pristine.fork('p');
      const run = (list: typeof calls): void => {
        for (const { tool, n } of list)
          expect(session.call(tool, argsOf(tool, n)).error?.fault ?? 'agent').toBe('agent');
      };
      run(calls.slice(0, cut));
      const snapshot = session.snapshot();
      const then = hashes(session);
      run(calls.slice(cut));
      const touched = new Set(session.ledger.flatMap((e) => e.touched.map(({ table, key }) => `${table} ${key}`)));
      for (const { table, key } of session.diff().billing ?? []) expect(touched).toContain(`${table} ${key}`);
      session.restore(snapshot);
      expect(hashes(session)).toEqual(then);
      dropSnapshot(snapshot);
      session.drop();
    }),
    { numRuns: 40 },
  );
  pristine.drop();
});
