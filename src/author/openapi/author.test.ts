import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ServiceSpec, TOOL_NAME } from '../../artifacts/service.js';
import { canonicalJson } from '../../kit/hash.js';
import { compileService } from '../../world/program/compile.js';
import { derivedContract } from '../../world/program/contract.js';
import { Engine } from '../../world/state/engine.js';
import { State } from '../../world/state/state.js';
import { authorFromDocument } from './author.js';
import type { DocumentResult } from './types.js';

const textOf = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../test/fixtures/documents/${name}`, import.meta.url)), 'utf8');
const read = (name: string, budget?: object): DocumentResult =>
  authorFromDocument(textOf(name), { name: name.replace(/\.\w+$/, ''), seed: 'test', ...(budget ? { budget } : {}) });
const only = (name: string): ServiceSpec => {
  const { services } = read(name);
  expect(services).toHaveLength(1);
  return services[0] as ServiceSpec;
};

describe('a small billing API', () => {
  const spec = only('billing.yaml');

  it('makes a table of every entity, linked and keyed', () => {
    expect(Object.keys(spec.tables).sort()).toEqual(['customer', 'invoice', 'payment']);
    expect(spec.tables.customer?.key).toEqual({ col: 'id', gen: { style: 'base62', prefix: 'cus_', length: 10 } });
    expect(spec.tables.invoice?.key.gen).toEqual({ style: 'uuid' });
    expect(spec.tables.invoice?.cols.customer_id).toMatchObject({ fk: 'customer', field: 'customer.id' });
    expect(spec.tables.payment?.cols.invoice_id).toMatchObject({ fk: 'invoice', hidden: true, required: true });
    expect(spec.tables.customer?.label).toBe('name');
  });

  it('flattens nested objects and keeps what the schema says of each column', () => {
    const { cols } = spec.tables.customer as ServiceSpec['tables'][string];
    expect(cols.address_city).toMatchObject({ type: 'text', field: 'address.city' });
    expect(cols.name).toMatchObject({ required: true, maxLength: 120 });
    expect(cols.phone?.required).toBeUndefined();
    expect(cols.created_at).toMatchObject({ type: 'datetime', auto: 'now' });
    expect(spec.tables.invoice?.cols.number).toMatchObject({ auto: 'number', prefix: 'INV-' });
  });

  it('reads operations as tools under their own ids, with their own envelopes', () => {
    expect(spec.tools.listCustomers).toMatchObject({
      op: 'search',
      returns: { envelope: { data: '$rows', total: '$total', has_more: '$more' } },
      provenance: { tier: 'spec', operation: 'GET /v1/customers' },
    });
    expect(spec.tools.createCustomer?.args.email).toMatchObject({ role: 'set', col: 'email', required: true });
    expect(spec.tools.createCustomer?.args.address_city?.field).toBe('address.city');
    expect(spec.tools.listInvoices?.args).toMatchObject({
      status: { role: 'filter', op: 'eq', col: 'status' },
      due_before: { role: 'filter', op: 'lte', col: 'due_on' },
      min_total: { role: 'filter', op: 'gte', col: 'total' },
      limit: { role: 'limit', default: 10, max: 50 },
    });
  });

  it('narrows nested lists by the parent and sets it on create', () => {
    expect(spec.tools.listCustomerInvoices?.args.customer_id).toMatchObject({
      role: 'filter',
      col: 'customer_id',
      required: true,
    });
    expect(spec.tools.recordPayment?.args.invoice_id).toMatchObject({ role: 'set', ref: 'invoice', required: true });
  });

  it('grounds a verb in the document: status and stamp', () => {
    expect(spec.tools.voidInvoice).toMatchObject({ op: 'action', provenance: { tier: 'lexicon' } });
    expect(spec.tools.voidInvoice?.writes).toEqual([{ table: 'invoice', cols: ['status', 'voided_at'] }]);
    expect(spec.tables.invoice?.machine).toMatchObject({ col: 'status', initial: 'draft' });
    expect(spec.tables.invoice?.cols.status).toMatchObject({ required: true, default: 'draft' });
  });

  it('answers errors as the document does', () => {
    expect(spec.surface.error).toEqual({ code: '$code', message: '$message', status: '$status' });
    expect(spec.surface).toMatchObject({ dialect: 'document', fields: 'asis', paging: 'offset' });
  });

  it('leaves no operation unexplained', () => {
    const { report } = read('billing.yaml');
    expect(report.classified).toMatchObject({
      list: 4,
      get: 2,
      create: 3,
      update: 1,
      delete: 1,
      action: 1,
      unmapped: 0,
    });
    expect(report.unmapped).toEqual([]);
  });
});

describe('other shapes', () => {
  it('reads Swagger 2.0, integer keys, list filters and names that differ only in case', () => {
    const spec = only('tickets.json');
    expect(spec.tables.ticket?.key).toEqual({ col: 'id', gen: { style: 'integer', length: 6 } });
    expect(spec.tables.ticket?.cols.id_2?.field).toBe('ID');
    expect(spec.tables.ticket?.cols.assignee_id).toMatchObject({ fk: 'agent', field: 'assignee.id' });
    expect(spec.tools.tickets_list?.args.status).toMatchObject({ type: 'list', op: 'in', items: 'text' });
    expect(spec.tools.tickets_list?.args.created_after).toMatchObject({
      op: 'gte',
      col: 'created_at',
      field: 'createdAfter',
    });
    expect(spec.tools.tickets_list?.returns?.envelope).toEqual({
      tickets: '$rows',
      meta: { page: '$page', totalPages: '$pages' },
    });
    expect(spec.surface.paging).toBe('page1');
    expect(spec.tools.tickets_close?.op).toBe('action');
  });

  it('walks circular schemas, and webhooks are no operations', () => {
    const spec = only('circular.yaml');
    expect(spec.tables.employee?.cols.manager_id).toMatchObject({ fk: 'employee' });
    expect(spec.tables.employee?.cols.manager_id?.required).toBeUndefined();
    expect(spec.tables.employee?.cols.department_id?.fk).toBe('department');
    expect(spec.tables.department?.cols.head).toMatchObject({ fk: 'employee', type: 'text' });
    expect(read('circular.yaml').report.operations).toBe(4);
  });

  it('reads :verb paths and enums that share a prefix', () => {
    const spec = only('verbs.yaml');
    expect(spec.tools.CancelJob?.op).toBe('action');
    expect(JSON.stringify(spec.tools.CancelJob?.steps)).toContain('JOB_STATE_CANCELLED');
    expect(spec.tables.job?.machine?.moves.map(({ verb }) => verb).sort()).toEqual(['cancel', 'pause']);
    expect(spec.surface.paging).toBe('cursor');
  });

  it('unwraps envelopes on both sides, drops the account in the path, and takes bodies in another case', () => {
    const { services, report } = read('nested.yaml');
    const spec = services[0] as ServiceSpec;
    expect(report.scoped).toEqual(['accountId']);
    expect(spec.tools.list_sites?.returns?.envelope).toEqual({
      status: 'success',
      result: { items: '$rows', next_cursor: '$cursor' },
    });
    expect(spec.tools.create_site?.args.name).toMatchObject({ field: 'site.Name', col: 'name', required: true });
    expect(spec.tools.get_site?.args.site_id?.field).toBe('siteId');
    expect(spec.tables.shift?.key).toEqual({ col: 'code' });
    expect(spec.tables.shift?.cols.crew_kit_radio?.field).toBe('crew.kit.radio');
    expect(spec.tables.shift?.cols.crew_kit_deeper?.type).toBe('json');
    expect(spec.tables.shift?.cols.site_id).toMatchObject({ fk: 'site', hidden: true });
  });

  it('reports remote, missing and folder references without fetching them', () => {
    const { services, report } = read('remote.yaml');
    expect(services).toHaveLength(1);
    const why = Object.fromEntries(report.refs.map((one) => [one.ref, one.why]));
    expect(why['https://specs.invalid/party.json']).toMatch(/not fetched/);
    expect(why['#/components/schemas/Missing']).toMatch(/nothing is there/);
    expect(why['./paths/']).toMatch(/folder/);
  });
});

describe('refusals', () => {
  it.each([
    ['readonly.yaml', 'get_only', /only read/],
    ['rpc.yaml', 'rpc_only', /procedures/],
    ['truncated-json.txt', 'truncated', /line 45/],
    ['truncated.yaml', 'truncated', /cut off/],
  ])('%s: %s', (name, code, words) => {
    const { services, report } = read(name);
    expect(services).toEqual([]);
    expect(report.refused?.code).toBe(code);
    expect(report.refused?.reasons[0]).toMatch(words);
    expect(report.refused?.next).toMatch(/\w+/);
  });

  it.each([
    ['', 'not_openapi'],
    ['   \n', 'not_openapi'],
    ['hello', 'not_openapi'],
    ['<!doctype html><html></html>', 'not_openapi'],
    ['{"openapi": "4.0.0"}', 'not_openapi'],
    ['{"asyncapi": "2.0.0"}', 'not_openapi'],
    ['[1, 2]', 'not_openapi'],
    ['{"a": }', 'not_openapi'],
    ['a: [1\nb: {', 'truncated'],
    ['{"openapi": "3.0.0", "paths": {}}', 'too_small'],
    ['{"openapi": "3.0.0"}', 'too_small'],
    ['{"openapi": "3.0.0", "paths": {"/x": null, "/y": {"get": 7}}}', 'too_small'],
    [
      '{"openapi": "3.0.0", "paths": {"/login": {"post": {}}, "/token": {"post": {}}, "/me": {"get": {}}}}',
      'auth_or_compute_only',
    ],
  ])('%j is %s', (text, code) => {
    const { report } = authorFromDocument(text, { name: 'x', seed: 's' });
    expect(report.refused?.code).toBe(code);
  });

  it('refuses what is larger than the limit', () => {
    expect(read('billing.yaml', { characters: 100 }).report.refused?.code).toBe('too_large');
  });
});

describe('every service made here', () => {
  it('parses, compiles, and touches exactly what it declares', async () => {
    const engine = await Engine.start();
    for (const name of ['billing.yaml', 'tickets.json', 'circular.yaml', 'verbs.yaml', 'nested.yaml', 'remote.yaml'])
      for (const spec of read(name).services) {
        ServiceSpec.parse(spec);
        const program = compileService(spec);
        const conn = engine.connection(program.ddlKey);
        const state = State.open(engine.build(program.ddl, () => undefined));
        conn.bind(state);
        for (const [tool, { reads, writes }] of Object.entries(spec.tools)) {
          expect(tool).toMatch(TOOL_NAME);
          const derived = derivedContract(program, tool, conn);
          expect({ tool, reads: [...reads].sort() }).toEqual({ tool, reads: derived.reads });
          const sorted = writes.map((write) => (write.cols ? { ...write, cols: [...write.cols].sort() } : write));
          expect({ tool, writes: sorted }).toEqual({ tool, writes: derived.writes });
        }
        state.drop();
      }
    engine.close();
  });

  it('is the same every time', () => {
    expect(canonicalJson(read('billing.yaml'))).toBe(canonicalJson(read('billing.yaml')));
  });

  it('splits into packs that never share an entity', () => {
    const { services } = read('billing.yaml', { tools: 7, packs: 3 });
    const names = services.flatMap((spec) => Object.keys(spec.tables));
    expect(services.length).toBeGreaterThan(1);
    expect(new Set(names).size).toBe(names.length);
    for (const spec of services) {
      expect(Object.keys(spec.tools).length).toBeLessThanOrEqual(7);
      for (const table of Object.values(spec.tables))
        for (const { fk } of Object.values(table.cols))
          if (fk !== undefined) expect(Object.keys(spec.tables)).toContain(fk);
    }
  });
});
