/** The fixture services as a whole world: linked, with one rule over two of them. */
import type { Invariant, Link, WorldSpec } from '../../src/artifacts/world.js';
import type { Engine } from '../../src/world/state/engine.js';
import { type FixtureChange, type FixtureParts, fixtureParts } from '../fixtures/world.js';

const AGENTS: Link = {
  id: 'agent_employee',
  from: { service: 'tickets', table: 'agent', col: 'name' },
  to: { service: 'directory', table: 'employee', col: 'name' },
  says: 'Agents are employees, by name.',
};

/** Holds at the start; a ticket of a stranger breaks it, a customer of that address mends it. */
export const RULE: Invariant = {
  id: 'requester_is_customer',
  says: 'Whoever waits for an answer is a customer.',
  trigger: { service: 'tickets', table: 'ticket', where: "t.state in ('new', 'in_progress')" },
  target: { service: 'billing', table: 'customer', expect: 'at_least_one', where: 'x.name is not null' },
  key: { trigger: 'requester_email', target: 'email' },
  violatedBy: 'tickets.ticket.create',
  repairedBy: 'billing.customer.create',
};

/** `RULE` with some of it changed. */
export const rule = (change: Partial<Invariant>): Invariant => ({ ...RULE, ...change });

export type WholeChange = Omit<FixtureChange, 'world'> & { world?(world: WorldSpec): Partial<WorldSpec> };

export const wholeParts = (engine: Engine, { world, ...change }: WholeChange = {}): FixtureParts =>
  fixtureParts(engine, {
    ...change,
    world: (spec) => {
      const ids = new Set(spec.services.map(({ id }) => id));
      const has = (...needed: string[]): boolean => needed.every((id) => ids.has(id));
      const whole: WorldSpec = {
        ...spec,
        links: [...spec.links, ...(has('tickets', 'directory') ? [AGENTS] : [])],
        invariants: has('tickets', 'billing') ? [RULE] : [],
      };
      return { ...whole, ...world?.(whole) };
    },
  });
