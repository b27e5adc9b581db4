/** What real documents do that a reader of specifications would not expect, each in a small document of our own. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { prove } from '../../bench/documents/prove.js';
import type { ServiceSpec } from '../../src/artifacts/service.js';
import type { Tool } from '../../src/artifacts/tool.js';
import { authorFromDocument, authorFromDocuments } from '../../src/author/openapi/author.js';
import { Engine } from '../../src/world/state/engine.js';

const textOf = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../fixtures/documents/${name}`, import.meta.url)), 'utf8');
const only = (name: string): ServiceSpec => {
  const { services } = authorFromDocument(textOf(name), { name: name.replace(/\.\w+$/, ''), seed: 'pitfalls' });
  expect(services).toHaveLength(1);
  return services[0] as ServiceSpec;
};
const by = (spec: ServiceSpec, operation: string): Tool => {
  const tool = Object.values(spec.tools).find(({ provenance }) => provenance.operation === operation);
  expect(tool, operation).toBeDefined();
  return tool as Tool;
};

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.start();
});

describe('lists for bodies and answers (Xero)', () => {
  const spec = only('payroll-lists.yaml');

  it('takes one row a call where the document takes a list, and PUT on the collection creates', () => {
    const create = by(spec, 'PUT /Employees');
    expect(create.op).toBe('create');
    expect(create.args.first_name).toMatchObject({ role: 'set', required: true, field: 'FirstName' });
    expect(create.provenance.note).toMatch(/one row a call/);
    expect(by(spec, 'POST /Employees/{EmployeeID}')).toMatchObject({ op: 'update' });
    expect(by(spec, 'GET /Employees/{EmployeeID}')).toMatchObject({ op: 'get' });
  });

  it('what only sets one side of a row belongs to the row', () => {
    const patch = by(spec, 'PATCH /Employees/{EmployeeID}/notes');
    expect(patch).toMatchObject({ op: 'update', id: 'employee.update_notes', args: { note: { role: 'set' } } });
  });

  it('never shows what is only written', () => {
    expect(spec.tables.employee?.cols.password?.hidden).toBe(true);
  });

  it('is certified', () => expect(prove(engine, spec, 's')).toMatchObject({ pass: true, dropped: [] }));
});

describe('every operation twice, and no paths (EC2)', () => {
  const spec = only('queues-by-action.json');

  it('reads procedures by their ids, once each, keyed by what they require', () => {
    expect(Object.keys(spec.tables)).toEqual(['queue']);
    expect(spec.tables.queue?.key.col).toBe('queue_name');
    expect(
      Object.values(spec.tools)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['queue.create', 'queue.delete', 'queue.list', 'queue.pause']);
  });

  it('a list inside a body does not make the body a list', () => {
    const create = Object.values(spec.tools).find(({ op }) => op === 'create') as Tool;
    expect(create.args.queue_name).toMatchObject({ required: true });
  });

  it('is certified', () => expect(prove(engine, spec, 's')).toMatchObject({ pass: true, dropped: [] }));
});

describe('parts, single things, relations, paging by ids', () => {
  const spec = only('desk-parts.yaml');

  it('keeps one row for a thing there is one of, and none of its key on the surface', () => {
    expect(spec.tables.account).toMatchObject({ rows: 1, key: { col: 'single_key' } });
    expect(by(spec, 'GET /account').args).toEqual({});
    expect(Object.keys(by(spec, 'PATCH /account').args).sort()).toEqual(['company', 'locale']);
  });

  it('keys a part by the row it belongs to', () => {
    const { key, cols } = spec.tables.setting ?? spec.tables.team_setting ?? { key: { col: '' }, cols: {} };
    expect(key.gen).toBeUndefined();
    expect(cols[key.col]).toMatchObject({ fk: 'team', hidden: true, required: true });
    expect(by(spec, 'PUT /teams/{teamId}/settings').args.team_id).toMatchObject({ role: 'key', field: 'teamId' });
  });

  it('follows a reference to the row it names', () => {
    const tool = by(spec, 'GET /tickets/{ticketId}/parentTeam');
    expect(tool).toMatchObject({ op: 'action', returns: { table: 'team' }, writes: [] });
    expect(JSON.stringify(tool.steps)).toContain('$start.team_id');
  });

  it('reads sorting, ranges, lists of values and pages', () => {
    const { args } = by(spec, 'GET /teams/{teamId}/tickets');
    expect(args.sort).toMatchObject({ role: 'sort', enum: ['created_at', 'subject'] });
    expect(Object.values(args).find(({ field }) => field === 'created_at.gte')).toMatchObject({ op: 'gte' });
    expect(args.status).toMatchObject({ type: 'list', op: 'in' });
    expect(args.page).toMatchObject({ role: 'page', default: 1 });
    expect(args.per_page).toMatchObject({ role: 'limit', max: 100 });
    expect(args.team_id).toMatchObject({ role: 'filter', required: true, ref: 'team' });
  });

  it('pages by the last id seen', () => {
    expect(by(spec, 'GET /teams').args.starting_after).toMatchObject({ role: 'filter', col: 'id', op: 'gt' });
  });

  it('counts, and finds verbs behind /actions/', () => {
    expect(by(spec, 'GET /teams/{teamId}/tickets/count')).toMatchObject({ returns: { value: { count: '$n' } } });
    expect(by(spec, 'POST /tickets/{ticketId}/actions/close').id).toBe('ticket.close');
  });

  it('makes ids that the pattern of the document allows', () => {
    expect(spec.tables.ticket?.key.gen).toMatchObject({ prefix: 'tck_', length: 10 });
  });

  it('text of the document stays text: no tool, argument or role comes of it', () => {
    expect(Object.keys(spec.tools)).not.toContain('delete_everything');
    const names = Object.values(spec.tools).flatMap(({ args }) => Object.keys(args));
    expect(names).not.toContain('role');
    expect(spec.description.length).toBeLessThanOrEqual(300);
  });

  it('is certified', () => expect(prove(engine, spec, 's')).toMatchObject({ pass: true, dropped: [] }));
});

describe('several documents of one product', () => {
  const texts = ['merge-a.yaml', 'merge-b.yaml'].map((name) => ({ name, text: textOf(name) }));
  const options = { name: 'crm', seed: 's' };

  it('links across the files, and keeps two schemas of one name apart', () => {
    const { services, report } = authorFromDocuments(texts, options);
    expect(services).toHaveLength(1);
    const [spec] = services as [ServiceSpec];
    expect(Object.keys(spec.tables).sort()).toEqual(['contact', 'deal']);
    expect(spec.tables.deal?.cols.contact_id?.fk).toBe('contact');
    expect(Object.keys(by(spec, 'POST /contacts').args)).toContain('email');
    expect(Object.keys(by(spec, 'POST /deals').args)).toContain('title');
    expect(report.operations).toBe(6);
  });

  it('the same file twice keeps both under different paths, and one broken file refuses all', () => {
    const [first] = texts as [(typeof texts)[number]];
    const twice = authorFromDocuments([first, { ...first, name: 'again' }], options);
    expect(twice.report.operations).toBe(6);
    expect(Object.keys(twice.services[0]?.tables ?? {})).toEqual(['contact']);
    const broken = authorFromDocuments([first, { name: 'b', text: '{"openapi": "3.0.0", "paths": {' }], options);
    expect(broken.services).toEqual([]);
    expect(broken.report.refused?.code).toBe('truncated');
  });
});
