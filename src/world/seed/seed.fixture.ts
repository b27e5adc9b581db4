/** Hand-written services for the seeder's tests: people, orders, invoices with lines and payments, and a messy one. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Column, Table } from '../../artifacts/table.js';
import type { Company } from '../../artifacts/world.js';

export const company: Company = {
  name: 'Brinkhof Interiors',
  legalName: 'Brinkhof Interiors B.V.',
  domain: 'brinkhof.example',
  about: 'Office furniture.',
  country: 'NL',
  city: 'Utrecht',
  timezone: 'Europe/Amsterdam',
  currency: 'EUR',
  locale: 'nl',
  industry: { naics: '423210', title: 'Furniture Merchant Wholesalers' },
  employees: 60,
  founded: 2009,
};

const surface: ServiceSpec['surface'] = {
  dialect: 'test',
  fields: 'snake',
  args: 'snake',
  enums: 'asis',
  date: 'iso',
  datetime: 'iso',
  money: 'minor',
  row: '$fields',
  one: '$fields',
  many: { rows: '$rows' },
  done: {},
  paging: 'none',
  error: {},
};

export const service = (id: string, tables: Record<string, Table>, tools: ServiceSpec['tools'] = {}): ServiceSpec => ({
  treadle: 'service/1',
  id,
  title: id,
  description: id,
  source: { kind: id === 'directory' ? 'core' : 'manual', ref: id },
  tables,
  tools,
  surface,
});

const text: Column = { type: 'text', required: true };
const key = (prefix: string): Table['key'] => ({ col: 'id', gen: { style: 'base62', prefix, length: 12 } });
const stamps = {
  created_at: { type: 'datetime', required: true, auto: 'now' },
  updated_at: { type: 'datetime', required: true, auto: 'touch' },
} as const satisfies Record<string, Column>;

export const directory = service('directory', {
  employee: {
    noun: 'employee',
    key: key('emp_'),
    label: 'name',
    rows: 24,
    cols: {
      id: text,
      employee_no: { type: 'text', required: true, unique: true, auto: 'number', prefix: 'E' },
      name: { type: 'text', required: true, seed: 'full_name' },
      email: { type: 'text', required: true, unique: true, format: 'email' },
      title: { type: 'text', required: true, seed: 'job_title' },
      department: text,
      manager_id: { type: 'text', fk: 'employee' },
      status: { type: 'text', required: true, enum: ['active', 'on_leave', 'left'], default: 'active' },
      hired_on: { type: 'date', required: true },
    },
  },
});

export const sales = service(
  'sales',
  {
    customer: {
      noun: 'customer',
      key: key('cus_'),
      label: 'name',
      cols: {
        id: text,
        customer_no: { type: 'text', required: true, unique: true, auto: 'number', prefix: 'C-' },
        name: text,
        email: { type: 'text', required: true, unique: true, format: 'email' },
        phone: { type: 'text' },
        city: { type: 'text' },
        country: { type: 'text', maxLength: 2 },
        owner_email: { type: 'text', required: true, format: 'email' },
      },
    },
    product: {
      noun: 'product',
      key: key('prd_'),
      label: 'name',
      cols: {
        id: text,
        sku: { type: 'text', required: true, unique: true },
        name: text,
        unit_price: { type: 'money', required: true, min: 0 },
      },
    },
    invoice: {
      noun: 'invoice',
      key: key('inv_'),
      label: 'invoice_no',
      check: ['amount_paid <= total'],
      machine: {
        col: 'status',
        initial: 'draft',
        moves: [
          { verb: 'issue', from: ['draft'], to: 'issued' },
          { verb: 'pay', from: ['issued'], to: 'paid' },
          { verb: 'void', from: ['draft', 'issued'], to: 'void' },
        ],
      },
      cols: {
        id: text,
        invoice_no: { type: 'text', required: true, unique: true, auto: 'number', prefix: 'INV-' },
        customer_id: { type: 'text', required: true, fk: 'customer' },
        customer_name: { type: 'text' },
        subtotal: { type: 'money', required: true },
        tax_amount: { type: 'money', required: true },
        discount: { type: 'money', required: true },
        total: { type: 'money', required: true },
        amount_paid: { type: 'money', required: true },
        due_date: { type: 'date', required: true },
        status: { type: 'text', required: true, enum: ['draft', 'issued', 'paid', 'void'], default: 'draft' },
        issued_at: { type: 'datetime' },
        paid_at: { type: 'datetime' },
        voided_at: { type: 'datetime' },
        void_reason: { type: 'text' },
        line_count: { type: 'int', required: true },
        ...stamps,
      },
    },
    invoice_line: {
      noun: 'invoice line',
      key: key('lin_'),
      unique: [['invoice_id', 'line_number']],
      cols: {
        id: text,
        invoice_id: { type: 'text', required: true, fk: 'invoice' },
        product_id: { type: 'text', required: true, fk: 'product' },
        line_number: { type: 'int', required: true },
        quantity: { type: 'int', required: true, min: 1 },
        unit_price: { type: 'money', required: true },
        line_total: { type: 'money', required: true },
      },
    },
    payment: {
      noun: 'payment',
      key: key('pay_'),
      check: ['refunded <= amount'],
      cols: {
        id: text,
        invoice_id: { type: 'text', required: true, fk: 'invoice' },
        customer_id: { type: 'text', required: true, fk: 'customer' },
        amount: { type: 'money', required: true, min: 1 },
        refunded: { type: 'money', required: true, default: 0 },
        status: { type: 'text', required: true, enum: ['pending', 'captured', 'failed'] },
      },
    },
  },
  {
    void_invoice: {
      id: 'invoice.void',
      op: 'action',
      table: 'invoice',
      description: 'Void an invoice.',
      args: {
        id: { type: 'text', role: 'key', required: true },
        reason: { type: 'text', role: 'input', required: true },
      },
      steps: [
        { get: { table: 'invoice', where: { id: '$args.id' }, as: 'row' } },
        {
          update: {
            table: 'invoice',
            where: { id: '$row.id' },
            set: { status: "'void'", voided_at: '$now', void_reason: '$args.reason' },
          },
        },
      ],
      reads: ['invoice'],
      writes: [{ table: 'invoice', cols: ['status', 'voided_at', 'void_reason'] }],
      provenance: { tier: 'catalogue' },
    },
  },
);

export const desk = service('desk', {
  ticket: {
    noun: 'ticket',
    key: key('tic_'),
    label: 'subject',
    machine: {
      col: 'status',
      initial: 'open',
      moves: [
        { verb: 'resolve', from: ['open'], to: 'resolved' },
        { verb: 'reopen', from: ['resolved'], to: 'open' },
      ],
    },
    cols: {
      id: text,
      subject: { type: 'text', required: true, maxLength: 60 },
      body: text,
      invoice_no: { type: 'text' },
      assignee_email: { type: 'text', required: true, format: 'email' },
      priority: { type: 'text', required: true, enum: ['low', 'normal', 'high'], default: 'normal' },
      status: { type: 'text', required: true, enum: ['open', 'resolved'], default: 'open' },
      resolved_at: { type: 'datetime' },
      ...stamps,
    },
  },
});

/** Columns and constraints as a careless document has them. */
export const messy = service('messy', {
  thing: {
    noun: 'thing',
    key: { col: 'id', gen: { style: 'integer', length: 6 } },
    unique: [['kind', 'region']],
    cols: {
      id: { type: 'int', required: true },
      created: { type: 'int', required: true },
      last_modified: { type: 'text', required: true, format: 'date-time' },
      state: { type: 'text', required: true, enum: ['ACTIVE', 'InReview', 'DELETED'] },
      kind: { type: 'text', required: true, enum: ['A', 'B', 'C'] },
      region: { type: 'text', required: true, enum: ['eu', 'us', 'ap'] },
      meta_data: { type: 'json', required: true },
      post_code: { type: 'text', required: true, pattern: '^\\d{5}$' },
      hex: { type: 'text', required: true, pattern: '^#[0-9a-f]{6}$', maxLength: 7 },
      impossible: { type: 'text', pattern: '(?<=x)(?!y)\\1[' },
      amount: { type: 'number', required: true, min: 0, max: 10 },
      share: { type: 'number', required: true, min: 0, max: 1 },
      enabled: { type: 'bool', required: true },
      parent: { type: 'int', fk: 'thing' },
      owner: { type: 'text', required: true },
      short: { type: 'text', required: true, maxLength: 3, unique: true },
      uuid: { type: 'text', required: true, format: 'uuid' },
      _links: { type: 'json' },
      e_mail: { type: 'text', required: true, maxLength: 12 },
    } as Record<string, Column>,
  },
  setting: { noun: 'setting', key: { col: 'name' }, rows: 5, cols: { name: text, value: text } },
  loop_a: {
    noun: 'loop a',
    key: key('a'),
    cols: { id: text, b_id: { type: 'text', required: true, fk: 'loop_b' }, name: text },
  },
  loop_b: { noun: 'loop b', key: key('b'), cols: { id: text, a_id: { type: 'text', fk: 'loop_a' }, name: text } },
});
