/** A small canonical service for the tests of this room: two tables, generic tools, ranges, a verb. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Tool } from '../../artifacts/tool.js';
import { neutralSurface } from './neutral.js';

const tool = (over: Partial<Tool> & Pick<Tool, 'id' | 'op' | 'table' | 'args'>): Tool => ({
  description: `Tool ${over.id}.`,
  reads: [over.table],
  writes: [],
  provenance: { tier: 'catalogue' },
  ...over,
});

const key: Tool['args'] = { invoice_id: { type: 'text', role: 'key', col: 'id', ref: 'invoice', required: true } };
const paging: Tool['args'] = {
  limit: { type: 'int', role: 'limit', default: 20, min: 1, max: 100 },
  offset: { type: 'int', role: 'offset', default: 0, min: 0 },
};
const filters: Tool['args'] = {
  customer_id: { type: 'text', role: 'filter', col: 'customer_id', op: 'eq', ref: 'customer' },
  status: { type: 'list', items: 'text', role: 'filter', col: 'status', op: 'in', enum: ['open', 'part_paid', 'void'] },
  due_on: { type: 'date', role: 'filter', col: 'due_on', op: 'eq' },
  due_on_from: { type: 'date', role: 'filter', col: 'due_on', op: 'gte' },
  due_on_to: { type: 'date', role: 'filter', col: 'due_on', op: 'lte' },
  total_from: { type: 'money', role: 'filter', col: 'total', op: 'gte' },
};

export const billing = (): ServiceSpec => ({
  treadle: 'service/1',
  id: 'billing',
  title: 'Billing',
  description: 'Invoices and customers.',
  source: { kind: 'manual', ref: 'billing' },
  tables: {
    customer: {
      noun: 'customer',
      key: { col: 'id', gen: { style: 'base62', prefix: 'c_' } },
      label: 'name',
      cols: {
        id: { type: 'text', required: true },
        name: { type: 'text', required: true },
        created_at: { type: 'datetime', auto: 'now' },
      },
    },
    invoice: {
      noun: 'invoice',
      key: { col: 'id', gen: { style: 'base62' } },
      label: 'number',
      cols: {
        id: { type: 'text', required: true },
        number: { type: 'text', required: true, unique: true, auto: 'number', prefix: 'INV-' },
        customer_id: { type: 'text', required: true, fk: 'customer' },
        customer: { type: 'text', description: 'A name that a reference without _id would clash with.' },
        status: { type: 'text', required: true, enum: ['open', 'part_paid', 'void'], default: 'open' },
        due_on: { type: 'date' },
        total: { type: 'money', required: true },
        secret_note: { type: 'text', hidden: true },
      },
    },
  },
  tools: {
    invoice_list: tool({ id: 'invoice.list', op: 'list', table: 'invoice', args: { ...filters, ...paging } }),
    invoice_search: tool({
      id: 'invoice.search',
      op: 'search',
      table: 'invoice',
      args: { query: { type: 'text', role: 'query' }, ...filters, ...paging },
      match: ['number'],
    }),
    invoice_get: tool({ id: 'invoice.get', op: 'get', table: 'invoice', args: key }),
    invoice_create: tool({
      id: 'invoice.create',
      op: 'create',
      table: 'invoice',
      args: {
        customer_id: { type: 'text', role: 'set', col: 'customer_id', ref: 'customer', required: true },
        due_on: { type: 'date', role: 'set', col: 'due_on' },
        total: { type: 'money', role: 'set', col: 'total', required: true },
      },
      writes: [{ table: 'invoice', insert: true }],
    }),
    invoice_void: tool({
      id: 'invoice.void',
      op: 'action',
      table: 'invoice',
      args: { ...key, reason: { type: 'text', role: 'input' } },
      steps: [
        { get: { table: 'invoice', where: { id: '$args.invoice_id' }, as: 'row', else: { error: 'not_found' } } },
        { update: { table: 'invoice', where: { id: '$row.id' }, set: { status: "'void'" }, as: 'row' } },
      ],
      returns: { row: 'row' },
      writes: [{ table: 'invoice', cols: ['status'] }],
    }),
    customer_list: tool({ id: 'customer.list', op: 'list', table: 'customer', args: paging }),
    customer_update: tool({
      id: 'customer.update',
      op: 'update',
      table: 'customer',
      args: {
        id: { type: 'text', role: 'key', col: 'id', ref: 'customer', required: true },
        name: { type: 'text', role: 'set', col: 'name' },
      },
      writes: [{ table: 'customer', cols: ['name'] }],
    }),
    customer_open: tool({
      id: 'customer.open',
      op: 'action',
      table: 'customer',
      args: { id: { type: 'text', role: 'key', col: 'id', ref: 'customer', required: true } },
      steps: [
        { get: { table: 'customer', where: { id: '$args.id' }, as: 'row', else: { error: 'not_found' } } },
        { update: { table: 'customer', where: { id: '$row.id' }, set: { created_at: '$now' }, as: 'row' } },
      ],
      returns: { row: 'row' },
      writes: [{ table: 'customer', cols: ['created_at'] }],
    }),
    customer_get: tool({
      id: 'customer.get',
      op: 'get',
      table: 'customer',
      args: { id: { type: 'text', role: 'key', col: 'id', ref: 'customer', required: true } },
    }),
  },
  surface: neutralSurface('EUR'),
});
