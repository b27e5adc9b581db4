/** For each service validator inputs that fail it and no other. A validator without an entry here fails the suite. */
import type { ServiceSpec } from '../../src/artifacts/service.js';
import type { Tool } from '../../src/artifacts/tool.js';
import { addressOf } from '../../src/kit/hash.js';
import { ddlOf } from '../../src/world/ddl.js';
import type { Engine } from '../../src/world/state/engine.js';
import type { Row } from '../../src/world/state/types.js';
import { FIXTURE_ROWS } from '../fixtures/rows.js';
import { baseWith } from '../fixtures/services.js';
import { type FixtureParts, fixtureParts } from '../fixtures/world.js';

export interface Broken {
  /** The validator that must fail. */
  validator: string;
  what: string;
  /** The service that is broken; the only one in the world. */
  service: string;
  parts(engine: Engine): FixtureParts;
}

/** One tool of billing, changed. */
const withTool = (engine: Engine, name: string, change: (tool: Tool) => Tool): FixtureParts =>
  fixtureParts(engine, {
    only: ['billing'],
    service: (spec) => ({ ...spec, tools: { ...spec.tools, [name]: change(spec.tools[name] as Tool) } }),
  });

/** A world whose image was built with other statements, and from other rows, than its spec says. */
const withImage = (
  engine: Engine,
  service: string,
  ddl: (statements: string[]) => string[],
  rows: (standard: Record<string, Row[]>) => Record<string, Row[]> = (standard) => standard,
): FixtureParts => {
  const parts = fixtureParts(engine, { only: [service] });
  const spec = parts.services[0] as ServiceSpec;
  const held = rows(FIXTURE_ROWS[service]?.(spec) ?? {});
  const image = baseWith(engine, spec, held, ddl(ddlOf(spec))).image;
  return { ...parts, images: { [service]: image } };
};

const replaced =
  (from: string, to: string) =>
  (statements: string[]): string[] => {
    const out = statements.map((statement) => statement.replace(from, to));
    if (out.join() === statements.join()) throw new Error(`the DDL holds no ${from}`);
    return out;
  };

const firstRow =
  (table: string, change: (row: Row) => Row) =>
  (rows: Record<string, Row[]>): Record<string, Row[]> => ({
    ...rows,
    [table]: (rows[table] ?? []).map((row, i) => (i === 0 ? change(row) : row)),
  });

export const BROKEN: readonly Broken[] = [
  {
    validator: 'schema',
    what: 'a table of the image has no primary key',
    service: 'directory',
    parts: (engine) => withImage(engine, 'directory', replaced('PRIMARY KEY NOT NULL', 'NOT NULL UNIQUE')),
  },
  {
    validator: 'schema',
    what: 'the image holds a table that nobody declared',
    service: 'directory',
    parts: (engine) =>
      withImage(engine, 'directory', (ddl) => [...ddl, 'CREATE TABLE stray (id TEXT PRIMARY KEY NOT NULL) STRICT']),
  },
  {
    validator: 'initial_data',
    what: 'a row was lost on the way',
    service: 'mail',
    parts: (engine) => {
      const parts = fixtureParts(engine, { only: ['mail'] });
      return { ...parts, world: { ...parts.world, rows: { mail: { message: 10 } } } };
    },
  },
  {
    validator: 'initial_data',
    what: 'a row breaks a CHECK of its table',
    service: 'billing',
    parts: (engine) =>
      withImage(
        engine,
        'billing',
        replaced('CHECK (amount_paid <= total)', 'CHECK (1)'),
        firstRow('invoice', (row) => ({ ...row, amount_paid: Number(row.total) + 1 })),
      ),
  },
  {
    validator: 'initial_data',
    what: 'a reference leads nowhere',
    service: 'billing',
    parts: (engine) =>
      withImage(
        engine,
        'billing',
        replaced(' REFERENCES "payment" ("id")', ''),
        firstRow('refund', (row) => ({ ...row, payment_id: 'pay_nobody' })),
      ),
  },
  {
    validator: 'contract',
    what: 'a tool declares a read that never happens',
    service: 'billing',
    parts: (engine) => withTool(engine, 'list_invoices', (tool) => ({ ...tool, reads: ['customer', 'invoice'] })),
  },
  {
    validator: 'contract',
    what: 'a tool declares a write that its steps never make',
    service: 'billing',
    parts: (engine) =>
      withTool(engine, 'void_invoice', (tool) => ({
        ...tool,
        writes: [{ table: 'invoice', cols: ['due_on', 'memo', 'status', 'updated_at'] }],
      })),
  },
  {
    validator: 'executability',
    what: 'no row can ever meet a precondition',
    service: 'billing',
    parts: (engine) =>
      withTool(engine, 'void_invoice', (tool) => ({
        ...tool,
        steps: [
          ...(tool.steps?.slice(0, 1) ?? []),
          { require: [{ that: 'row.amount_paid < 0', error: 'invalid_state' }] },
          ...(tool.steps?.slice(-1) ?? []),
        ],
      })),
  },
  {
    validator: 'boundaries',
    what: 'an unknown id is taken without a word',
    service: 'billing',
    parts: (engine) =>
      withTool(engine, 'void_invoice', (tool) => ({
        ...tool,
        steps: [
          {
            update: {
              table: 'invoice',
              where: { id: '$args.invoice_id' },
              set: { status: "'void'", memo: '$args.reason' },
              as: 'row',
            },
          },
        ],
      })),
  },
  {
    validator: 'effects',
    what: 'a list does not filter by one of its arguments',
    service: 'billing',
    parts: (engine) =>
      withTool(engine, 'list_invoices', (tool) => ({
        ...tool,
        steps: [
          {
            find: {
              table: 'invoice',
              where: [
                { col: 'customer_id', op: 'eq', value: '$args.customer_id', optional: true },
                { col: 'status', op: 'in', value: '$args.status', optional: true },
                { col: 'due_on', op: 'gte', value: '$args.due_from', optional: true },
              ],
              order: [{ col: 'created_at', desc: true }],
              limit: '$args.limit',
              offset: '$args.starting_after',
              as: 'rows',
            },
          },
        ],
        returns: { rows: 'rows' },
      })),
  },
  {
    validator: 'effects',
    what: 'a get returns the first row, whatever id it is given',
    service: 'billing',
    parts: (engine) =>
      withTool(engine, 'get_invoice', (tool) => ({
        ...tool,
        steps: [
          { get: { table: 'invoice', where: { id: '$args.invoice_id' }, as: 'asked', else: { error: 'not_found' } } },
          { get: { table: 'invoice', where: { number: "'INV-101'" }, as: 'row', else: { error: 'not_found' } } },
        ] as Tool['steps'],
        returns: { row: 'row' },
      })),
  },
  {
    validator: 'effects',
    what: 'a list comes in another order than it declares',
    service: 'tickets',
    parts: (engine) =>
      fixtureParts(engine, {
        only: ['tickets'],
        service: (spec) => {
          const tool = spec.tools.findTickets as Tool;
          const steps = [
            {
              find: {
                table: 'ticket',
                where: [
                  { col: 'state', op: 'eq' as const, value: '$args.state', optional: true },
                  { col: 'agent_id', op: 'eq' as const, value: '$args.agent_id', optional: true },
                  { col: 'priority', op: 'lte' as const, value: '$args.min_priority', optional: true },
                  { col: 'subject', op: 'contains' as const, value: '$args.subject', optional: true },
                ],
                order: [{ col: 'subject' }],
                limit: '$args.size',
                offset: '$args.page',
                as: 'rows',
                total: 'total',
              },
            },
          ];
          return { ...spec, tools: { ...spec.tools, findTickets: { ...tool, steps, returns: { rows: 'rows' } } } };
        },
      }),
  },
];

/** Services' hashes in the world spec must follow a changed service; fixtureParts sees to it, this proves it. */
export const isConsistent = ({ world, services }: FixtureParts): boolean =>
  services.every((spec) => world.services.some(({ hash }) => hash === addressOf(spec)));
