/** Tools that are wrong in one way each, and what the effects validator says of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FixtureChange, fixtureWorld } from '../../../test/fixtures/world.js';
import type { Finding } from '../../artifacts/certificate.js';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Step } from '../../artifacts/step.js';
import type { Tool } from '../../artifacts/tool.js';
import type { LoadedService } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { certifyService } from '../certify.js';
import { effects } from './effects.js';

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.start();
});
afterAll(() => engine.close());

const finding = (service: string, change: FixtureChange): Finding => {
  const world = fixtureWorld(engine, { only: [service], ...change });
  const { certificate } = certifyService(world, world.services.get(service) as LoadedService, [effects]);
  return certificate.findings[0] as Finding;
};
const tool =
  (name: string, change: Partial<Tool>) =>
  (spec: ServiceSpec): ServiceSpec => ({
    ...spec,
    tools: { ...spec.tools, [name]: { ...(spec.tools[name] as Tool), ...change } },
  });

type Find = Extract<Step, { find: unknown }>['find'];

/** The steps of list_invoices (cursor), employee_list (offset) and findTickets (page), as they are when nobody breaks them. */
const invoices: Find = {
  table: 'invoice',
  where: [
    { col: 'customer_id', op: 'eq', value: '$args.customer_id', optional: true },
    { col: 'status', op: 'in', value: '$args.status', optional: true },
    { col: 'due_on', op: 'gte', value: '$args.due_from', optional: true },
    { col: 'due_on', op: 'lte', value: '$args.due_to', optional: true },
  ],
  order: [{ col: 'created_at', desc: true }],
  sort: { value: '$args.sort', allowed: ['due_on', 'created_at', 'total'] },
  limit: '$args.limit',
  offset: '$args.starting_after',
  as: 'rows',
};
const listing = (change: Partial<Find>, base = invoices): Partial<Tool> => {
  const { sort, ...rest } = { ...base, ...change };
  return { steps: [{ find: sort ? { ...rest, sort } : rest }], returns: { rows: 'rows' } };
};

describe('lists', () => {
  it('pass when their steps do what the macro would', () => {
    expect(finding('billing', { service: tool('list_invoices', listing({})) })).toMatchObject({ pass: true });
  });
  it.each<[string, Partial<Find>, RegExp]>([
    [
      'a range that leaves its end out',
      { where: invoices.where?.map((one) => (one.op === 'lte' ? { ...one, op: 'lt' as const } : one)) },
      /due_to=.* a query finds/,
    ],
    [
      'a filter on another column',
      { where: invoices.where?.map((one) => (one.col === 'customer_id' ? { ...one, col: 'created_by' } : one)) },
      /customer_id=.* a query finds/,
    ],
    [
      'a fixed narrowing that nobody declared',
      { where: [...(invoices.where ?? []), { col: 'status', op: 'ne', value: "'void'" }] },
      /without filters returns 24 rows, a query finds 30/,
    ],
    ['the wrong way round', { order: [{ col: 'created_at' }] }, /another order than it declares|does not find/],
    ['a sort argument that is not listened to', { sort: undefined as never }, /with the order/],
    ['a first page whatever is asked', { offset: 0 }, /\(page 2 of \d+ rows\)/],
    ['a page larger than asked', { limit: 50 }, /of \d+ rows|returns/],
  ])('fail with %s', (_, change, says) => {
    const found = finding('billing', { service: tool('list_invoices', listing(change)) });
    expect(found.pass).toBe(false);
    expect(found.evidence.join('\n')).toMatch(says);
    expect(found.repair?.tools).toEqual(['list_invoices']);
  });
  it('fail when a cursor is taken but never shown', () => {
    const hide = (spec: ServiceSpec): ServiceSpec => ({
      ...spec,
      surface: { ...spec.surface, many: { data: '$rows', has_more: '$more' } },
    });
    expect(finding('billing', { service: hide }).evidence.join('\n')).toMatch(/takes a mark of a page and shows none/);
  });
  it('fail when the words of a query are looked for in too few columns', () => {
    const found = finding('directory', {
      service: tool('employee_search', {
        steps: [
          {
            find: {
              table: 'employee',
              text: { cols: ['name'], value: '$args.query' },
              order: [{ col: 'name' }],
              limit: '$args.limit',
              offset: '$args.offset',
              as: 'rows',
              total: 'total',
            },
          },
        ],
        returns: { rows: 'rows' },
      }),
    });
    expect(found.pass).toBe(false);
    expect(found.evidence.join('\n')).toMatch(/employee_search with /);
  });
});

describe('pages', () => {
  it.each([
    ['cursors', 'billing'],
    ['numbers', 'tickets'],
    ['offsets', 'directory'],
  ])('by %s are followed to the end', (_, service) => {
    expect(finding(service, {})).toMatchObject({ pass: true });
  });
  it('of every length agree: none, one row, exactly one page, one more', () => {
    for (const n of [0, 1, 5, 6]) {
      const rows: FixtureChange['rows'] = (_, all) => ({ ...all, ticket: (all.ticket ?? []).slice(0, n) });
      const found = finding('tickets', { rows });
      expect([n, found.pass ? '' : found.evidence[0]]).toEqual([n, '']);
    }
  });
});

describe('writes', () => {
  const update = (set: Record<string, string | number>): Partial<Tool> => ({
    steps: [
      { get: { table: 'invoice', where: { id: '$args.invoice_id' }, as: 'row', else: { error: 'not_found' } } },
      { update: { table: 'invoice', where: { id: '$row.id' }, set } },
    ],
    returns: { row: 'row' },
    writes: [{ table: 'invoice', cols: ['memo', 'status', 'updated_at'] }],
  });
  it('fail when they return the row as it was before', () => {
    const found = finding('billing', { service: tool('void_invoice', update({ memo: "'changed by void'" })) });
    expect(found.evidence.join('\n')).toMatch(/void_invoice does not return the row that it wrote/);
  });
  it('fail when they write what they do not declare', () => {
    const found = finding('billing', { service: tool('void_invoice', update({ internal_note: "'x'" })) });
    expect(found.evidence.join('\n')).toMatch(/undeclared update of invoice \(.*internal_note/);
  });
  it('fail when nothing changes', () => {
    const found = finding('billing', {
      service: tool('void_invoice', {
        steps: [
          { get: { table: 'invoice', where: { id: '$args.invoice_id' }, as: 'row', else: { error: 'not_found' } } },
          { update: { table: 'customer', where: { id: "'cus_nobody'" }, set: { phone: "'1'" } } },
        ],
        returns: { row: 'row' },
      }),
    });
    expect(found.evidence.join('\n')).toMatch(/void_invoice declares a write and changes nothing/);
  });
  it('fail when a later read does not show them', () => {
    const stale = (spec: ServiceSpec): ServiceSpec =>
      tool('get_invoice', {
        steps: [
          { get: { table: 'invoice', where: { id: '$args.invoice_id' }, as: 'asked', else: { error: 'not_found' } } },
          { require: [{ that: "asked.status != 'void'", error: 'not_found' }] },
        ],
        returns: { row: 'asked' },
      })(spec);
    const found = finding('billing', { service: stale });
    expect(found.evidence.join('\n')).toMatch(/a later read of invoice does not show what void_invoice wrote/);
  });
});
