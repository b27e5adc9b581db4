import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serviceFixture, stateWith } from '../../../test/fixtures/services.js';
import type { Json } from '../../kit/hash.js';
import type { Connection } from '../state/connection.js';
import { Engine } from '../state/engine.js';
import type { State } from '../state/state.js';
import { Workspace } from '../workspace/workspace.js';
import { callTool } from './call.js';
import { compileService } from './compile.js';
import { derivedContract } from './contract.js';
import type { ToolOutcome } from './types.js';

const NOW = 1_717_200_000;
const program = compileService(serviceFixture('billing'));
let engine: Engine;
let conn: Connection;
let state: State;

const customer = (n: number) => ({
  id: `cus_${n}`,
  name: `Customer ${n}`,
  email: `c${n}@x.example`,
  created_at: NOW - n,
});
const invoice = (n: number, over: Record<string, string | number> = {}) => ({
  id: `inv_${n}`,
  number: `INV-${n}`,
  customer_id: 'cus_1',
  status: 'open',
  total: 1000 * n,
  amount_paid: 0,
  currency: 'EUR',
  due_on: 1_717_200_000 + n * 86_400,
  created_by: 'a@x.example',
  created_at: NOW - n,
  updated_at: NOW - n,
  ...over,
});
const payment = { id: 'pay_1', invoice_id: 'inv_3', amount: 3000, refunded: 0, status: 'captured', paid_at: NOW - 5 };

const call = (tool: string, args: unknown, over: { budget?: number } = {}): ToolOutcome =>
  callTool(program, tool, conn, args, {
    now: NOW,
    me: { id: 'emp_1', name: 'Ada', email: 'ada@x.example' },
    seed: 'seed',
    workspace: new Workspace(),
    ...over,
  });
const ok = (tool: string, args: unknown): Record<string, Json> => {
  const outcome = call(tool, args);
  expect(outcome, JSON.stringify(outcome)).toMatchObject({ ok: true });
  return outcome.result as Record<string, Json>;
};
const failed = (
  tool: string,
  args: unknown,
): { code: string; message: string; status: number; field?: string; fault: string } => {
  const before = state.hash();
  const outcome = call(tool, args);
  expect(outcome.ok, JSON.stringify(outcome)).toBe(false);
  expect(conn.inTransaction).toBe(false);
  expect(state.hash()).toBe(before);
  return outcome.ok ? (undefined as never) : outcome.error;
};

beforeAll(async () => {
  engine = await Engine.start();
  conn = engine.connection(program.ddlKey);
});
beforeEach(() => {
  state = stateWith(engine, program.spec, {
    customer: [1, 2, 3].map(customer),
    invoice: [
      invoice(1),
      invoice(2, { status: 'draft' }),
      invoice(3, { status: 'paid', amount_paid: 3000 }),
      invoice(4, { customer_id: 'cus_2' }),
    ],
    payment: [payment],
    refund: [],
  });
  conn.bind(state);
});

describe('macros', () => {
  it('gets a row and leaves hidden columns out', () => {
    const row = ok('get_invoice', { invoice_id: 'inv_1' });
    expect(row).toMatchObject({ id: 'inv_1', status: 'open', total: 1000, due_on: '2024-06-02', created_at: NOW - 1 });
    expect(row).not.toHaveProperty('internal_note');
    expect(failed('get_invoice', { invoice_id: 'nope' })).toEqual({
      code: 'not_found',
      message: "There is no invoice with invoice_id 'nope'",
      status: 404,
      field: 'invoice_id',
      fault: 'agent',
    });
  });

  it('lists with filters, ranges, order and cursor paging', () => {
    const first = ok('list_invoices', { limit: 2 });
    expect((first.data as Json[]).map((row) => (row as { id: string }).id)).toEqual(['inv_1', 'inv_2']);
    expect(first.has_more).toBe(true);
    const second = ok('list_invoices', { limit: 2, starting_after: first.next_cursor });
    expect((second.data as Json[]).map((row) => (row as { id: string }).id)).toEqual(['inv_3', 'inv_4']);
    expect(second).not.toHaveProperty('next_cursor');
    const some = ok('list_invoices', { status: ['open', 'paid'], due: { gte: '2024-06-03' }, sort: '-total' });
    expect((some.data as Json[]).map((row) => (row as { id: string }).id)).toEqual(['inv_4', 'inv_3']);
    expect(ok('list_invoices', { status: [] }).data).toEqual([]);
  });

  it('searches all words without wildcards', () => {
    expect((ok('search_customers', { query: 'customer 2' }).data as Json[]).length).toBe(1);
    expect((ok('search_customers', { query: '%' }).data as Json[]).length).toBe(0);
    expect((ok('search_customers', { query: '   ' }).data as Json[]).length).toBe(3);
  });

  it('creates with id, running number, automatic columns and defaults, as it is stored', () => {
    const row = ok('create_invoice', { customer_id: 'cus_2', total: 500 });
    expect(row).toMatchObject({
      number: 'INV-1001',
      status: 'draft',
      currency: 'EUR',
      created_by: 'ada@x.example',
      created_at: NOW,
      due_on: null,
    });
    expect(row.id).toMatch(/^inv_[0-9A-Za-z]{14}$/);
    expect(ok('get_invoice', { invoice_id: row.id })).toEqual(row);
    const outcome = call('create_invoice', { customer_id: 'cus_2', total: 500, memo: 'x' });
    const stored = conn.prepare('SELECT * FROM invoice WHERE memo = ?').get(['x']);
    expect(outcome).toMatchObject({ ok: true, canonical: { kind: 'row', table: 'invoice', row: stored } });
  });

  it('updates what is given, clears with null, and refuses nothing to change', () => {
    expect(ok('update_invoice', { invoice_id: 'inv_1', memo: 'hello' })).toMatchObject({
      memo: 'hello',
      updated_at: NOW,
    });
    expect(ok('update_invoice', { invoice_id: 'inv_1', memo: null })).toMatchObject({
      memo: null,
      due_on: '2024-06-02',
    });
    expect(failed('update_invoice', { invoice_id: 'inv_1' })).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('memo'),
    });
    expect(failed('update_invoice', { invoice_id: 'inv_3', status: 'open' })).toMatchObject({
      code: 'invalid_state',
      status: 409,
      field: 'status',
      message: expect.stringContaining('draft to open or void'),
    });
    expect(ok('update_invoice', { invoice_id: 'inv_2', status: 'open' })).toMatchObject({ status: 'open' });
  });

  it('deletes, unless other rows still refer to it', () => {
    expect(ok('delete_customer', { customer_id: 'cus_3' })).toEqual({ deleted: true, id: 'cus_3' });
    expect(failed('delete_customer', { customer_id: 'cus_1' })).toMatchObject({
      code: 'conflict',
      message: 'The customer "cus_1" is still used by 3 invoices',
    });
  });
});

describe('actions', () => {
  it('refunds in part, then the rest, then no more', () => {
    expect(ok('refund_payment', { payment_id: 'pay_1', amount: 1000, reason: 'late' })).toMatchObject({
      amount: 1000,
      reason: 'late',
    });
    expect(failed('refund_payment', { payment_id: 'pay_1', amount: 2001 })).toEqual({
      code: 'too_large',
      message: 'Only 2000 of 3000 can still be paid back',
      status: 422,
      field: 'amount',
      fault: 'agent',
    });
    expect(ok('refund_payment', { payment_id: 'pay_1' })).toMatchObject({ amount: 2000, reason: null });
    expect(failed('refund_payment', { payment_id: 'pay_1' })).toMatchObject({
      code: 'invalid_state',
      message: 'The payment status is refunded; it must not be refunded',
    });
  });

  it('says from which states a move is possible', () => {
    expect(failed('void_invoice', { invoice_id: 'inv_3' })).toMatchObject({
      code: 'invalid_state',
      status: 409,
      message: 'The invoice status is paid; this is possible only from draft, open',
    });
  });

  it('pays: three tables move together', () => {
    ok('pay_invoice', { invoice_id: 'inv_1', amount: 400 });
    expect(ok('get_invoice', { invoice_id: 'inv_1' })).toMatchObject({ amount_paid: 400, status: 'open' });
    ok('pay_invoice', { invoice_id: 'inv_1' });
    expect(ok('get_invoice', { invoice_id: 'inv_1' })).toMatchObject({ amount_paid: 1000, status: 'paid' });
    expect(failed('pay_invoice', { invoice_id: 'inv_4', amount: 4001 })).toMatchObject({
      code: 'too_large',
      field: 'amount',
    });
  });

  it('answers computed values', () => {
    expect(ok('customer_balance', { customer_id: 'cus_1' })).toEqual({
      customer_id: 'cus_1',
      name: 'Customer 1',
      open_invoices: 1,
      owed: 1000,
    });
  });
});

describe('errors of constraints', () => {
  it('names what clashes and what is missing', () => {
    expect(failed('create_customer', { name: 'X', email: 'c1@x.example' })).toMatchObject({
      code: 'conflict',
      field: 'email',
      status: 409,
    });
    expect(failed('create_invoice', { customer_id: 'cus_9', total: 5 })).toEqual({
      code: 'invalid_reference',
      message: 'customer_id: there is no customer "cus_9"',
      status: 422,
      field: 'customer_id',
      fault: 'agent',
    });
  });

  it('stops a runaway call', () => {
    expect(call('list_invoices', {}, { budget: 1 })).toMatchObject({
      ok: false,
      error: { code: 'budget_exceeded', fault: 'world', status: 503 },
    });
    expect(call('list_invoices', {})).toMatchObject({ ok: true });
  });
});

describe('determinism', () => {
  it('the same calls on the same state give the same answers and the same bytes', () => {
    const calls: [string, unknown][] = [
      ['create_customer', { name: 'Zoë', email: 'z@x.example' }],
      ['create_invoice', { customer_id: 'cus_2', total: 700 }],
      ['create_invoice', { customer_id: 'cus_9', total: 700 }],
      ['pay_invoice', { invoice_id: 'inv_1' }],
      ['void_invoice', { invoice_id: 'inv_2', reason: 'r' }],
      ['list_invoices', { sort: '-total' }],
    ];
    const play = (fork: State) => {
      conn.bind(fork);
      const results = calls.map(([tool, args]) => call(tool, args));
      return { results, hash: fork.hash() };
    };
    expect(play(state.fork())).toEqual(play(state.fork()));
  });
});

describe('derivedContract', () => {
  it('equals the declared contract of every tool', () => {
    for (const [name, { tool }] of program.tools)
      expect([name, derivedContract(program, name, conn)]).toEqual([name, { reads: tool.reads, writes: tool.writes }]);
  });
});
