import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serviceData, serviceFixture } from '../../../test/fixtures/services.js';
import { ServiceSpec } from '../../artifacts/service.js';
import { Surface } from '../../artifacts/surface.js';
import type { Tool } from '../../artifacts/tool.js';
import type { Json } from '../../kit/hash.js';
import { argPath, argSpecs, decodeArg, encodeArg } from './args.js';
import { decodeArgs } from './decode.js';
import { inputSchemaOf, safePattern } from './input-schema.js';
import { decodeValue, encodeValue } from './values.js';

const billing = serviceFixture('billing');
const tickets = serviceFixture('tickets');
const list = billing.tools.list_invoices as Tool;
const find = tickets.tools.findTickets as Tool;

/** A fixture in another surface. */
const dressed = (over: Partial<Surface>): ServiceSpec => {
  const data = serviceData('billing') as { surface: object };
  return ServiceSpec.parse({ ...data, surface: { ...data.surface, ...over } });
};

describe('encodeArg and decodeArg', () => {
  it('put each argument where and how the agent writes it', () => {
    expect(argPath(billing, 'due_from', list.args.due_from!)).toEqual(['due', 'gte']);
    expect(encodeArg(billing, list, 'due_from', 1_717_200_000)).toBe('2024-06-01');
    expect(encodeArg(billing, list, 'status', ['open', 'paid'])).toEqual(['open', 'paid']);
    expect(encodeArg(tickets, find, 'state', 'in_progress')).toBe('IN_PROGRESS');
    expect(encodeArg(tickets, find, 'page', 0)).toBe(1);
    expect(() => encodeArg(billing, list, 'nope', 1)).toThrow(/takes no argument nope/);
  });

  it('are inverse on every surface', () => {
    const style = fc.record({
      date: fc.constantFrom(...Surface.shape.date.options),
      money: fc.constantFrom(...Surface.shape.money.options),
      enums: fc.constantFrom(...Surface.shape.enums.options),
      fields: fc.constantFrom('snake' as const, 'camel' as const, 'kebab' as const),
    });
    fc.assert(
      fc.property(style, fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 0, max: 30_000 }), (over, amount, day) => {
        const spec = dressed(over);
        const tools = spec.tools as Record<string, Tool>;
        const same = (tool: Tool, name: string, value: string | number | string[]) =>
          expect(decodeArg(spec, tool, name, encodeArg(spec, tool, name, value))).toEqual(value);
        same(tools.create_invoice!, 'total', amount);
        same(tools.create_invoice!, 'due_on', day * 86_400);
        same(tools.list_invoices!, 'status', ['open', 'void']);
        same(tools.list_invoices!, 'sort', '-due_on');
        same(tools.list_invoices!, 'starting_after', day);
        const { total, status, due_on } = spec.tables.invoice!.cols;
        expect(decodeValue(spec, total!, encodeValue(spec, total!, amount))).toBe(amount);
        expect(decodeValue(spec, status!, encodeValue(spec, status!, 'void'))).toBe('void');
        expect(decodeValue(spec, due_on!, encodeValue(spec, due_on!, null))).toBe(null);
      }),
    );
  });
});

describe('decodeArgs', () => {
  const decode = (spec: ServiceSpec, tool: Tool, raw: { [key: string]: Json }) => ({
    ...decodeArgs(argSpecs(spec, tool), raw),
  });
  it('leaves absent arguments out, fills defaults, turns pages and cursors into offsets', () => {
    expect(decode(billing, list, {})).toEqual({ limit: 10 });
    expect(decode(billing, list, { due: { lte: '2024-06-01' }, sort: '-total', starting_after: 'aTo0MA' })).toEqual({
      limit: 10,
      due_to: 1_717_200_000,
      sort: '-total',
      starting_after: 40,
    });
    expect(decode(tickets, find, {})).toEqual({ page: 0, size: 5 });
    expect(decode(tickets, find, { page: { number: 3, size: 7 } })).toEqual({ page: 14, size: 7 });
  });
  it('names the argument as it was written', () => {
    expect(() => decode(billing, list, { due: { gte: 'yesterday' } })).toThrow(
      /^due.gte must be a day as YYYY-MM-DD, not 'yesterday'$/,
    );
    expect(() => decode(billing, list, { sort: 'memo' })).toThrow(
      /^sort must be one of due_on, created_at, total, not 'memo'$/,
    );
  });
  it('reads an amount by the currency beside it', () => {
    const data = serviceData('billing') as { surface: object; tools: Record<string, { args: object }> };
    data.tools.create_invoice!.args = {
      total: { type: 'money', role: 'set', required: true },
      currency: { type: 'text', role: 'set' },
    };
    const spec = ServiceSpec.parse({ ...data, surface: { ...data.surface, money: 'text' } });
    const tool = spec.tools.create_invoice as Tool;
    expect(decode(spec, tool, { total: '1500', currency: 'JPY' })).toEqual({ currency: 'JPY', total: 1500 });
    expect(decode(spec, tool, { total: '15.00' })).toEqual({ total: 1500 });
    expect(() => decode(spec, tool, { total: '15.50', currency: 'JPY' })).toThrow(
      /total must be an amount like '128450'/,
    );
  });
});

describe('inputSchemaOf', () => {
  it('describes what codecs take', () => {
    const schema = inputSchemaOf(argSpecs(billing, list).values());
    expect(schema).toMatchObject({
      properties: {
        status: { type: 'array', items: { type: 'string', enum: ['draft', 'open', 'paid', 'void'] }, maxItems: 100 },
        due: { type: 'object', properties: { gte: { type: 'string', format: 'date' } } },
        sort: { enum: ['due_on', '-due_on', 'created_at', '-created_at', 'total', '-total'] },
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
      },
    });
    expect(schema).not.toHaveProperty('required');
    const update = inputSchemaOf(argSpecs(billing, billing.tools.update_invoice as Tool).values());
    expect(update).toMatchObject({
      required: ['invoice_id'],
      properties: { memo: { type: ['string', 'null'], maxLength: 500 }, status: { type: 'string' } },
    });
  });
  it('leaves out patterns that do not compile or can blow up', () => {
    expect(['^[a-z]+$', '(a+)+$', '([a-z]+)*', '(?<x', '\\1', '^\\d{3}-\\d{4}$'].map(safePattern)).toEqual([
      '^[a-z]+$',
      undefined,
      undefined,
      undefined,
      undefined,
      '^\\d{3}-\\d{4}$',
    ]);
  });
});
