/** For each world validator worlds that fail it and no other. A validator without an entry here fails the suite. */
import { type LoadedService, type LoadedWorld, loadWorld } from '../../src/world/loaded.js';
import type { Engine } from '../../src/world/state/engine.js';
import type { State } from '../../src/world/state/state.js';
import type { Row } from '../../src/world/state/types.js';
import { RULE, rule, type WholeChange, wholeParts } from './whole.js';

export interface BrokenWorld {
  /** The validator that must fail. */
  validator: string;
  what: string;
  /** Part that the repair routes to. */
  part: string;
  says: RegExp;
  load(engine: Engine): LoadedWorld;
}

const loaded =
  (change: WholeChange) =>
  (engine: Engine): LoadedWorld =>
    loadWorld(engine, wholeParts(engine, change));

const withRules = (...invariants: (typeof RULE)[]) => loaded({ world: () => ({ invariants }) });

/** A world in which one service was tampered with after it was loaded. */
const tampered =
  (service: string, change: (held: LoadedService, world: LoadedWorld) => LoadedService) =>
  (engine: Engine): LoadedWorld => {
    const world = loadWorld(engine, wholeParts(engine));
    const held = change(world.services.get(service) as LoadedService, world);
    const services = new Map(world.services).set(service, held);
    const tools = new Map(
      [...world.tools].map(([name, each]) => [name, each.service.id === service ? { ...each, service: held } : each]),
    );
    return { ...world, services, tools };
  };

/** The mail of the fixture with a text in its first message. */
const mailSaying =
  (text: string) =>
  (service: string, rows: Record<string, Row[]>): Record<string, Row[]> =>
    service === 'mail'
      ? { ...rows, message: (rows.message ?? []).map((row, i) => (i === 0 ? { ...row, body: text } : row)) }
      : rows;

const ENDLESS = 'EXISTS (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 1 FROM n WHERE i < 0)';

export const BROKEN_WORLDS: readonly BrokenWorld[] = [
  {
    validator: 'service_graph',
    what: 'it has one service',
    part: 'links',
    says: /1 service/,
    load: loaded({ only: ['billing'] }),
  },
  {
    validator: 'service_graph',
    what: 'services hang together in two halves',
    part: 'links',
    says: /no link leads to/,
    load: loaded({ world: ({ links }) => ({ links: links.filter(({ id }) => id !== 'agent_employee') }) }),
  },
  {
    validator: 'service_graph',
    what: 'there is no link at all',
    part: 'links',
    says: /no link leads to/,
    load: loaded({ world: () => ({ links: [] }) }),
  },
  {
    validator: 'service_graph',
    what: 'a link matches nothing in the data',
    part: 'data',
    says: /no value of tickets.ticket.subject/,
    load: loaded({
      world: ({ links }) => ({
        links: [
          ...links,
          {
            id: 'nothing',
            from: { service: 'tickets', table: 'ticket', col: 'subject' },
            to: { service: 'directory', table: 'employee', col: 'name' },
            says: '',
          },
        ],
      }),
    }),
  },
  {
    validator: 'service_graph',
    what: 'a link names a column that does not exist',
    part: 'links',
    says: /tickets\.ticket\.colour, which does not exist/,
    load: loaded({
      world: ({ links }) => ({
        links: [
          ...links,
          {
            id: 'nowhere',
            from: { service: 'tickets', table: 'ticket', col: 'colour' },
            to: { service: 'directory', table: 'employee', col: 'name' },
            says: '',
          },
        ],
      }),
    }),
  },
  {
    validator: 'cross_service',
    what: 'it has no invariant',
    part: 'invariants',
    says: /no invariant/,
    load: withRules(),
  },
  {
    validator: 'cross_service',
    what: 'the statement of an invariant leaves out the service that its label names',
    part: 'invariants',
    says: /names billing\.customer, its statement reads only tickets\.agent, tickets\.ticket/,
    load: withRules(
      rule({
        trigger: {
          service: 'tickets',
          table: 'ticket',
          where:
            "t.state = 'new') AND NOT EXISTS (SELECT 1 FROM tickets.agent a WHERE a.id = t.agent_id) AND t.agent_id > 5 --",
        },
      }),
    ),
  },
  {
    validator: 'cross_service',
    what: 'trigger and target lie in one service',
    part: 'invariants',
    says: /all of one service/,
    load: withRules(
      rule({
        target: { service: 'tickets', table: 'agent', expect: 'at_least_one', where: 'x.is_active = 1' },
        key: { trigger: 'agent_id', target: 'id' },
      }),
    ),
  },
  {
    validator: 'cross_service',
    what: "a trigger's condition looks into the other service",
    part: 'invariants',
    says: /trigger's condition reads billing\.invoice/,
    load: withRules(
      rule({
        trigger: {
          service: 'tickets',
          table: 'ticket',
          where: "t.state = 'new' AND EXISTS (SELECT 1 FROM billing.invoice i WHERE i.memo = t.subject)",
        },
      }),
    ),
  },
  {
    validator: 'cross_service',
    what: 'a condition is no SQL',
    part: 'invariants',
    says: /does not compile/,
    load: withRules(rule({ trigger: { ...RULE.trigger, where: "t.state = = 'new'" } })),
  },
  {
    validator: 'cross_service',
    what: 'a condition names a column that does not exist',
    part: 'invariants',
    says: /no such column: x\.colour/,
    load: withRules(rule({ target: { ...RULE.target, where: "x.colour = 'red'" } })),
  },
  {
    validator: 'cross_service',
    what: 'a condition writes',
    part: 'invariants',
    says: /does not compile/,
    load: withRules(rule({ trigger: { ...RULE.trigger, where: '1); DELETE FROM tickets.ticket; SELECT (1' } })),
  },
  {
    validator: 'cross_service',
    what: 'one of several rules names a service that the world lacks',
    part: 'invariants',
    says: /no such table/,
    load: withRules(RULE, rule({ id: 'lost', target: { ...RULE.target, service: 'warehouse', table: 'bin' } })),
  },
  {
    validator: 'initially_true',
    what: 'a rule is false at the start',
    part: 'invariants',
    says: /false at the start for 10 row/,
    load: withRules(rule({ target: { ...RULE.target, where: "x.name = 'Nobody'" } })),
  },
  {
    validator: 'initially_true',
    what: 'a rule cannot be asked in bounded time',
    part: 'invariants',
    says: /cannot be asked: .*(steps|budget)/i,
    load: withRules(rule({ target: { ...RULE.target, where: ENDLESS } })),
  },
  {
    validator: 'initially_true',
    what: 'a rule speaks of nothing and never can',
    part: 'invariants',
    says: /nor was one found within 4 calls/,
    load: withRules(rule({ trigger: { ...RULE.trigger, where: "t.state = 'new' and t.state = 'solved'" } })),
  },
  {
    validator: 'violable',
    what: 'a rule is true for ever',
    part: 'invariants',
    says: /no calls were found that make it false/,
    load: withRules(rule({ target: { ...RULE.target, expect: 'none', where: 'x.email is null' } })),
  },
  {
    validator: 'violable',
    what: 'a rule once broken stays broken',
    part: 'invariants',
    says: /no calls were found that make it true again/,
    load: withRules(
      rule({
        trigger: { ...RULE.trigger, where: 't.score > 900' },
        target: { ...RULE.target, where: 'x.created_at < 5' },
      }),
      RULE,
    ),
  },
  {
    validator: 'isolation',
    what: 'two sessions write into one state',
    part: 'steps',
    says: /another session|another was at work/,
    load: tampered('mail', (held) => {
      // One session after the other gets a state of its own; two at once get the same.
      let live: State | undefined;
      const fork = (): State => {
        if (!live || live.head.dropped) live = held.pristine.fork();
        return live;
      };
      const pristine = new Proxy(held.pristine, {
        get: (state, name) => {
          const value: unknown = name === 'fork' ? fork : Reflect.get(state, name, state);
          return typeof value === 'function' ? value.bind(state) : value;
        },
      });
      return { ...held, pristine };
    }),
  },
  {
    validator: 'isolation',
    what: "a rule's condition stands in a mail",
    part: 'data',
    says: /the data of mail holds the condition of invariant/,
    load: loaded({ rows: mailSaying(`They check ${RULE.trigger.where}, I think.`) }),
  },
  {
    validator: 'isolation',
    what: 'a path of this machine stands in a mail',
    part: 'data',
    says: /a path of this machine/,
    load: loaded({ rows: mailSaying(`See ${new URL('../..', import.meta.url).pathname}test`) }),
  },
];
