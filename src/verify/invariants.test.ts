import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixtureWorld } from '../../test/fixtures/world.js';
import { Check } from '../artifacts/check.js';
import type { Invariant } from '../artifacts/world.js';
import { callerOf } from '../serve/sessions/caller.js';
import { Session } from '../serve/sessions/session.js';
import { type LoadedWorld, unloadWorld } from '../world/loaded.js';
import { Engine } from '../world/state/engine.js';
import type { Row } from '../world/state/types.js';
import { evaluate } from './checks.js';
import { gather } from './evidence.js';
import { brokenRows, triggerSql } from './invariants.js';

let engine: Engine;
let world: LoadedWorld;

/** Three people who ask, tied to customers by e-mail address: one active, one without a customer, one without an address. */
const customers: Row[] = ['ann', 'bob'].map((name) => ({
  id: `cus_${name}`,
  name,
  email: `${name}@mail.example`,
  phone: name === 'bob' ? null : '1',
  created_at: 0,
}));
const ticket = (n: number, email: string, state: string): Row => ({
  id: `t${n}`,
  subject: `t${n}`,
  state,
  priority: 1,
  requester_email: email,
  tags: '[]',
  updated_at: 1000 * n,
});

const RULE: Invariant = {
  id: 'rule',
  says: 'A solved ticket has a customer with a phone.',
  trigger: { service: 'tickets', table: 'ticket', where: "t.state = 'solved'" },
  target: { service: 'billing', table: 'customer', expect: 'none', where: 'x.phone IS NOT NULL' },
  key: { trigger: 'requester_email', target: 'email' },
  violatedBy: 'tickets.ticket.solve',
  repairedBy: 'billing.customer.update',
};

beforeAll(async () => {
  engine = await Engine.start();
  world = fixtureWorld(engine, {
    only: ['billing', 'tickets'],
    rows: (service): Record<string, Row[]> =>
      service === 'billing'
        ? {
            customer: [
              ...customers,
              { ...customers[0], id: 'cus_twin', name: 'twin', email: 'twin@mail.example' } as Row,
            ],
          }
        : {
            ticket: [
              ticket(1, 'ann@mail.example', 'solved'),
              ticket(2, 'bob@mail.example', 'solved'),
              ticket(3, 'nobody@mail.example', 'solved'),
              ticket(4, 'ann@mail.example', 'new'),
            ],
          },
    world: (spec) => ({ ...spec, invariants: [RULE] }),
  });
});
afterAll(() => {
  unloadWorld(world);
  engine.close();
});

const states = (): Record<string, never> =>
  Object.fromEntries([...world.services.values()].map(({ id, pristine }) => [id, pristine])) as never;
const broken = (
  change: { trigger?: string; expect?: Invariant['target']['expect']; where?: string; key?: Invariant['key'] },
  now = 0,
): (string | number)[] =>
  brokenRows(
    world,
    {
      ...RULE,
      trigger: { ...RULE.trigger, where: change.trigger ?? RULE.trigger.where },
      target: { ...RULE.target, expect: change.expect ?? 'none', where: change.where ?? RULE.target.where },
      key: change.key ?? RULE.key,
    },
    states(),
    now,
  );

describe('across attached databases', () => {
  it('none: rows that have such a partner break it', () => {
    expect(broken({ expect: 'none' })).toEqual(['t1']);
    expect(broken({ expect: 'none', where: '1' })).toEqual(['t1', 't2']);
    expect(broken({ expect: 'none', where: '0' })).toEqual([]);
  });

  it('at_least_one: rows without such a partner break it', () => {
    expect(broken({ expect: 'at_least_one' })).toEqual(['t2', 't3']);
    expect(broken({ expect: 'at_least_one', where: '1' })).toEqual(['t3']);
  });

  it('every: a partner that is otherwise breaks it, none at all does not', () => {
    expect(broken({ expect: 'every' })).toEqual(['t2']);
    expect(broken({ expect: 'every', where: '0' })).toEqual(['t1', 't2']);
  });

  it('a condition that is null counts as not met', () => {
    expect(broken({ expect: 'every', where: "x.phone <> '2'" })).toEqual(['t2']);
    expect(broken({ expect: 'at_least_one', where: "x.phone <> '2'" })).toEqual(['t2', 't3']);
    expect(broken({ expect: 'none', where: "x.phone <> '2'" })).toEqual(['t1']);
  });

  it('rows whose tie is null are not spoken of', () => {
    expect(broken({ expect: 'at_least_one', key: { trigger: 'requester_city', target: 'email' } })).toEqual([]);
    const sql = triggerSql({ ...RULE, key: { trigger: 'requester_city', target: 'email' } }, 0);
    const connection = engine.world([...world.services.keys()]);
    connection.bind(states());
    expect(connection.all(sql)).toEqual([{ n: 0 }]);
    expect(connection.all(triggerSql(RULE, 0))).toEqual([{ n: 3 }]);
  });

  it(':now is the virtual clock, whole', () => {
    const old = 't.updated_at < :now';
    expect(broken({ trigger: old, expect: 'at_least_one', where: '0' }, 2500)).toEqual(['t1', 't2']);
    expect(broken({ trigger: old, expect: 'at_least_one', where: '0' }, 2500.9)).toEqual(['t1', 't2']);
    expect(broken({ trigger: old, expect: 'at_least_one', where: '0' }, 0)).toEqual([]);
  });

  it('names a table that the world lacks', () => {
    const elsewhere = { ...RULE, trigger: { ...RULE.trigger, table: 'nothing' } };
    expect(() => brokenRows(world, elsewhere, states(), 0)).toThrow(
      expect.objectContaining({ code: 'bad_invariant', fault: 'world' }),
    );
  });
});

describe('as a check', () => {
  it('follows what the session did, and says which rows', () => {
    const session = Session.open(world, { id: 's', me: callerOf({ name: 'Bo', email: 'bo@fixture.example' }) });
    const check = Check.parse({ id: 'c', kind: 'invariant', footprint: [], invariant: 'rule' });
    expect(evaluate(check, gather(session, ''))).toMatchObject({ pass: false, evidence: 'rule is broken by t1' });
    expect(session.call('delete_customer', { customer_id: 'cus_ann' }).ok).toBe(true);
    expect(evaluate(check, gather(session, ''))).toMatchObject({ pass: true, evidence: 'rule holds' });
    session.reset();
    expect(evaluate(check, gather(session, '')).pass).toBe(false);
    session.drop();
  });
});
