import { describe, expect, it } from 'vitest';
import { FIXTURE_ROWS } from '../../test/fixtures/rows.js';
import { fixtureServices } from '../../test/fixtures/world.js';
import type { ServiceSpec } from '../artifacts/service.js';
import type { Tool } from '../artifacts/tool.js';
import type { Json } from '../kit/hash.js';
import type { Row } from '../world/state/types.js';
import { encodeRow } from '../world/surface/answer.js';
import { partOf, placesOf, rowsOf } from './answer.js';
import { placed, valueAt, writeArgs } from './arguments.js';
import { misfit } from './schema-fit.js';
import { holds, mentions, rowTest, unreadable } from './shown.js';

const specs = Object.fromEntries(fixtureServices().map((spec) => [spec.id, spec])) as Record<string, ServiceSpec>;
const rowsIn = (service: string, table: string): Row[] =>
  FIXTURE_ROWS[service]?.(specs[service] as ServiceSpec)[table] as Row[];
const hyperlinks = (spec: ServiceSpec): ServiceSpec => ({
  ...spec,
  tables: {
    ...spec.tables,
    ticket: {
      ...(spec.tables.ticket as ServiceSpec['tables'][string]),
      cols: {
        ...spec.tables.ticket?.cols,
        id: { type: 'text', required: true, field: 'links.self' },
        agent_id: { type: 'int', fk: 'agent', field: 'links.agent' },
      },
    },
  },
  surface: { ...spec.surface, row: '$fields' },
});

describe('a shown row', () => {
  it.each([
    ['billing', 'invoice', (spec: ServiceSpec) => spec],
    ['tickets', 'ticket', (spec: ServiceSpec) => spec],
    ['tickets', 'ticket', hyperlinks],
  ] as const)('of %s %s is told from every other, wherever it is nested', (service, table, change) => {
    const spec = change(specs[service] as ServiceSpec);
    const rows = rowsIn(service, table);
    const isRow = rowTest(spec, table, undefined);
    for (const [i, row] of rows.entries()) {
      const answer: Json = { data: [{ wrapped: encodeRow(spec, table, row) }], more: false };
      expect(rows.map((other) => isRow(answer, other))).toEqual(rows.map((_, j) => i === j));
    }
  });
  it('is not one with a single value changed or missing', () => {
    const spec = specs.tickets as ServiceSpec;
    const [row] = rowsIn('tickets', 'ticket') as [Row];
    const isRow = rowTest(spec, 'ticket', undefined);
    for (const col of Object.keys(row)) {
      const other = { ...row, [col]: col === 'id' ? 'someone-else' : row[col] === null ? 1 : null };
      expect([col, isRow(encodeRow(spec, 'ticket', other as Row), row)]).toEqual([col, false]);
    }
    expect(isRow({}, row)).toBe(false);
    expect(isRow(null, row)).toBe(false);
  });
  it('holds and mentions look through lists and objects', () => {
    expect(holds([[{ a: 1, b: { c: [2] } }]], { b: { c: [2] } })).toBe(true);
    expect(holds({ a: 1 }, { a: '1' })).toBe(false);
    expect(holds('text', { a: 1 })).toBe(false);
    expect(mentions({ a: [{ b: 'x' }] }, 'x')).toBe(true);
    expect(mentions({ x: 1 }, 'x')).toBe(false);
  });
});

describe('stored values that a surface cannot give back', () => {
  it('are found', () => {
    const rows = rowsIn('directory', 'employee');
    const spec = specs.directory as ServiceSpec;
    expect(unreadable(spec, 'employee', rows)).toEqual([]);
    const odd = rows.map((row) => ({ ...row, hired_on: Number(row.hired_on) + 60 }));
    expect(unreadable(spec, 'employee', odd)).toEqual(['hired_on']);
  });
});

describe('places in an answer', () => {
  const list = specs.tickets?.tools.findTickets as Tool;
  const spec = specs.tickets as ServiceSpec;
  it('are read off the template', () => {
    const places = placesOf(spec, list);
    expect(places).toEqual({
      rows: ['data'],
      total: ['meta', 'totalCount'],
      page: ['meta', 'page'],
      pages: ['meta', 'pageCount'],
    });
    expect(partOf(places, { data: [], meta: { totalCount: 3 } }, 'total')).toBe(3);
    expect(partOf(places, {}, 'total')).toBeUndefined();
    expect(partOf(places, { meta: [] }, 'cursor')).toBeUndefined();
    expect(rowsOf(places, { data: { not: 'a list' } })).toBeUndefined();
  });
  it('follow nouns in keys and the tool’s own envelope', () => {
    const envelope = { $nouns: '$rows', _links: { next: '$cursor' }, note: 'page $page of $pages' };
    const places = placesOf(spec, { ...list, returns: { rows: 'rows', envelope } });
    expect(places).toEqual({ rows: ['tickets'], cursor: ['_links', 'next'] });
    expect(placesOf(spec, { ...list, returns: { rows: 'rows', envelope: '$rows' } })).toEqual({ rows: [] });
  });
});

describe('arguments', () => {
  it('are placed without touching what they are placed into', () => {
    const args = { a: { b: 1 }, c: 2 };
    expect(placed(args, ['a', 'd'], 3)).toEqual({ a: { b: 1, d: 3 }, c: 2 });
    expect(placed(args, ['c', 'x'], 3)).toEqual({ a: { b: 1 }, c: { x: 3 } });
    expect(placed(args, ['a', 'b'], undefined)).toEqual({ a: {}, c: 2 });
    expect(args).toEqual({ a: { b: 1 }, c: 2 });
    expect(valueAt(args, ['a', 'b'])).toBe(1);
    expect(valueAt(args, ['c', 'length'])).toBeUndefined();
    expect(valueAt({}, ['constructor'])).toBeUndefined();
  });
  it('are written in the form and at the place of the surface', () => {
    const open = specs.tickets?.tools.openTicket as Tool;
    const written = writeArgs(specs.tickets as ServiceSpec, open, {
      subject: 'Help',
      requester_city: 'Köln',
      credit: 1250,
    });
    expect(written).toEqual({
      subject: 'Help',
      requester: { address: { city: 'Köln' } },
      credit: { amount: '12.50', currency: 'USD' },
    });
  });
});

describe('an output schema', () => {
  it('is held against the whole answer', () => {
    const schema = {
      type: 'object',
      properties: { rows: { type: 'array', items: { type: 'object', required: ['id'] } } },
    };
    expect(misfit(schema, { rows: [{ id: 1 }] })).toBeUndefined();
    expect(misfit(schema, { rows: [{ id: 1 }, {}] })).toMatch(/^rows\.1 breaks required "id"/);
    expect(misfit(schema, [])).toMatch(/^the answer breaks type "object"/);
  });
  it('with a keyword that nobody checks is refused, however deep', () => {
    const schema = { type: 'array', items: { properties: { a: { oneOf: [] } } } };
    expect(() => misfit(schema, [])).toThrow(expect.objectContaining({ code: 'unknown_keyword', value: 'oneOf' }));
  });
});
