/** What some verbs do to rows, in full: states, amounts, side rows, and repeats. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Column, Table } from '../../artifacts/table.js';
import { Engine } from '../../world/state/engine.js';
import { matchVerb } from './match.js';
import type { VerbMatch } from './types.js';
import { ME, NOW, type World, worldOf } from './workbench.fixture.js';

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.start();
});
afterAll(() => engine.close());

const id: Column = { type: 'text', required: true };
const table = (noun: string, cols: Record<string, Column>, more: Partial<Table> = {}): Table => ({
  noun,
  key: { col: 'id', gen: { style: 'base62' } },
  cols: { id, ...cols },
  ...more,
});
const found = (words: string, noun: string): VerbMatch => {
  const match = matchVerb(words, noun);
  if (!match) throw new Error(`${words} of ${noun} is not known`);
  return match;
};
const must = (world: World | undefined): World => {
  if (!world) throw new Error('not compiled');
  return world;
};

describe('refund', () => {
  const payment = table('payment', {
    status: { type: 'text', required: true, enum: ['pending', 'captured', 'partially_refunded', 'refunded'] },
    amount: { type: 'money', required: true },
    amount_refunded: { type: 'money' },
    refunded_at: { type: 'datetime' },
  });
  const refund = table('refund', {
    payment_id: { type: 'text', required: true, fk: 'payment' },
    amount: { type: 'money', required: true },
    status: { type: 'text', required: true, enum: ['succeeded', 'failed'] },
  });
  const world = (): World =>
    must(
      worldOf(engine, {
        match: found('refund', 'payment'),
        noun: 'payment',
        tables: { payment, refund },
        rows: {
          payment: [
            { id: 'p1', status: 'captured', amount: 10_000, amount_refunded: null, refunded_at: null },
            { id: 'p2', status: 'pending', amount: 500, amount_refunded: null, refunded_at: null },
          ],
        },
      }),
    );

  it('takes part, then the rest, then no more, and books each', () => {
    const bench = world().bench();
    expect(bench.call({ payment_id: 'p1', amount: 25 })).toMatchObject({
      ok: true,
      canonical: { row: { status: 'partially_refunded', amount_refunded: 2_500 } },
    });
    expect(bench.call({ payment_id: 'p1', amount: 80 })).toMatchObject({
      ok: false,
      error: { code: 'too_large', status: 422, fault: 'agent' },
    });
    expect(bench.call({ payment_id: 'p1' })).toMatchObject({
      ok: true,
      canonical: { row: { status: 'refunded', amount_refunded: 10_000, refunded_at: NOW } },
    });
    expect(bench.call({ payment_id: 'p1' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_state', status: 409 },
    });
    expect(
      bench
        .all('refund')
        .map((row) => [row.payment_id, row.amount, row.status])
        .sort(),
    ).toEqual([
      ['p1', 2_500, 'succeeded'],
      ['p1', 7_500, 'succeeded'],
    ]);
  });

  it('refuses a payment never captured, and changes nothing', () => {
    const bench = world().bench();
    const before = bench.hash();
    expect(bench.call({ payment_id: 'p2' })).toMatchObject({ ok: false, error: { code: 'invalid_state' } });
    expect(bench.call({ payment_id: 'p1', amount: -3 })).toMatchObject({ ok: false, error: { fault: 'agent' } });
    expect(bench.call({ payment_id: "p1' OR 1=1 --" })).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(bench.call({ payment_id: 'p1', amount: '25' })).toMatchObject({ ok: false, error: { fault: 'agent' } });
    expect(bench.hash()).toBe(before);
  });
});

describe('repeats', () => {
  const ticket = table('ticket', {
    status: { type: 'text', required: true, enum: ['OPEN', 'ASSIGNED', 'CLOSED'] },
    assignee_id: { type: 'text', fk: 'agent' },
    assigned_at: { type: 'datetime' },
    updated_at: { type: 'datetime', auto: 'touch' },
  });
  const agent = table('agent', { name: { type: 'text', required: true } });
  const rows = {
    agent: [
      { id: 'a1', name: 'Ada' },
      { id: 'a2', name: 'Bo' },
    ],
    ticket: [
      { id: 't1', status: 'OPEN', assignee_id: null, assigned_at: null, updated_at: 1 },
      { id: 't2', status: 'CLOSED', assignee_id: null, assigned_at: null, updated_at: 1 },
    ],
  };
  it('assigns, leaves a second call alone, reassigns to another, and refuses a closed one', () => {
    const bench = must(
      worldOf(engine, { match: found('assign', 'ticket'), noun: 'ticket', tables: { agent, ticket }, rows }),
    ).bench();
    expect(bench.call({ ticket_id: 't1', assignee_id: 'a1' })).toMatchObject({
      ok: true,
      canonical: { row: { status: 'ASSIGNED', assignee_id: 'a1' } },
    });
    const once = bench.hash();
    expect(bench.call({ ticket_id: 't1', assignee_id: 'a1' })).toMatchObject({
      ok: true,
      canonical: { row: { assignee_id: 'a1' } },
    });
    expect(bench.hash()).toBe(once);
    expect(bench.call({ ticket_id: 't1', assignee_id: 'a2' })).toMatchObject({
      ok: true,
      canonical: { row: { assignee_id: 'a2' } },
    });
    expect(bench.call({ ticket_id: 't2', assignee_id: 'a2' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_state', status: 409 },
    });
    expect(bench.call({ ticket_id: 't1', assignee_id: 'nobody' })).toMatchObject({
      ok: false,
      error: { status: 422, fault: 'agent' },
    });
    expect(bench.call({ ticket_id: 't1' })).toMatchObject({ ok: false, error: { fault: 'agent' } });
  });
});

describe('states', () => {
  it('follows the machine of the table where it knows the verb', () => {
    const visit = table(
      'visit',
      { status: { type: 'text', required: true, enum: ['booked', 'waiting', 'gone'] } },
      { machine: { col: 'status', initial: 'booked', moves: [{ verb: 'check_in', from: ['booked'], to: 'waiting' }] } },
    );
    const rows = {
      visit: [
        { id: 'v1', status: 'booked' },
        { id: 'v2', status: 'gone' },
      ],
    };
    const bench = must(
      worldOf(engine, { match: found('check_in', 'visit'), noun: 'visit', tables: { visit }, rows }),
    ).bench();
    expect(bench.call({ visit_id: 'v1' })).toMatchObject({ ok: true, canonical: { row: { status: 'waiting' } } });
    expect(bench.call({ visit_id: 'v2' })).toMatchObject({ ok: false, error: { code: 'invalid_state' } });
  });

  it('reads values through case, spelling and a shared prefix', () => {
    const job = table('job', {
      state: { type: 'text', enum: ['JOB_STATE_RUNNING', 'JOB_STATE_CANCELED', 'JOB_STATE_DONE'] },
    });
    const rows = {
      job: [
        { id: 'j1', state: 'JOB_STATE_RUNNING' },
        { id: 'j2', state: 'JOB_STATE_DONE' },
      ],
    };
    const bench = must(worldOf(engine, { match: found('cancel', 'job'), noun: 'job', tables: { job }, rows })).bench();
    expect(bench.call({ job_id: 'j1' })).toMatchObject({
      ok: true,
      canonical: { row: { state: 'JOB_STATE_CANCELED' } },
    });
    expect(bench.call({ job_id: 'j2' })).toMatchObject({ ok: false, error: { code: 'invalid_state' } });
  });

  it('works on a row whose state nobody has set, if the column allows that', () => {
    const job = table('job', { state: { type: 'text', enum: ['RUNNING', 'PAUSED', 'DONE'] } });
    const rows = {
      job: [
        { id: 'j1', state: null },
        { id: 'j2', state: 'RUNNING' },
      ],
    };
    const bench = must(worldOf(engine, { match: found('pause', 'job'), noun: 'job', tables: { job }, rows })).bench();
    expect(bench.call({ job_id: 'j1' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_state', message: 'The job must be running for this.' },
    });
    expect(bench.call({ job_id: 'j2' })).toMatchObject({ ok: true, canonical: { row: { state: 'PAUSED' } } });
  });

  it('reads what has happened off the times where there is no status', () => {
    const order = table('order', {
      shipped_at: { type: 'datetime' },
      cancelled_at: { type: 'datetime' },
      created_at: { type: 'datetime' },
    });
    const rows = {
      order: [
        { id: 'o1', shipped_at: null, cancelled_at: null, created_at: 1 },
        { id: 'o2', shipped_at: null, cancelled_at: 5, created_at: 1 },
      ],
    };
    const bench = must(
      worldOf(engine, { match: found('ship', 'order'), noun: 'order', tables: { order }, rows }),
    ).bench();
    expect(bench.call({ order_id: 'o1' })).toMatchObject({ ok: true, canonical: { row: { shipped_at: NOW } } });
    expect(bench.call({ order_id: 'o2' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_state', message: 'The order is cancelled.' },
    });
  });

  it('undoes with un- what the verb did', () => {
    const rule = table('booking', {
      status: { type: 'text', required: true, enum: ['pending', 'confirmed'] },
      is_confirmed: { type: 'bool', required: true },
      confirmed_at: { type: 'datetime' },
    });
    const rows = { booking: [{ id: 'b1', status: 'confirmed', is_confirmed: 1, confirmed_at: 5 }] };
    const bench = must(
      worldOf(engine, { match: found('unconfirm', 'booking'), noun: 'booking', tables: { booking: rule }, rows }),
    ).bench();
    expect(bench.call({ booking_id: 'b1' })).toMatchObject({
      ok: true,
      canonical: { row: { status: 'pending', is_confirmed: 0, confirmed_at: null } },
    });
  });

  it('waits for open parts', () => {
    const order = table('work_order', { status: { type: 'text', required: true, enum: ['open', 'completed'] } });
    const step = table('work_order_step', {
      work_order_id: { type: 'text', required: true, fk: 'work_order' },
      status: { type: 'text', required: true, enum: ['open', 'done'] },
    });
    const rows = {
      work_order: [
        { id: 'w1', status: 'open' },
        { id: 'w2', status: 'open' },
      ],
      work_order_step: [
        { id: 's1', work_order_id: 'w1', status: 'open' },
        { id: 's2', work_order_id: 'w2', status: 'done' },
      ],
    };
    const bench = must(
      worldOf(engine, {
        match: found('complete', 'work_order'),
        noun: 'work_order',
        tables: { work_order: order, work_order_step: step },
        rows,
      }),
    ).bench();
    expect(bench.call({ work_order_id: 'w1' })).toMatchObject({
      ok: false,
      error: { code: 'has_dependents', status: 409 },
    });
    expect(bench.call({ work_order_id: 'w2' })).toMatchObject({ ok: true });
  });

  it('leaves a history row where there is a history', () => {
    const doc = table('document', { status: { type: 'text', required: true, enum: ['draft', 'archived'] } });
    const history = table('audit_log', {
      document_id: { type: 'text', required: true, fk: 'document' },
      action: { type: 'text', required: true },
      actor_email: { type: 'text', required: true },
      old_status: { type: 'text' },
      new_status: { type: 'text' },
      occurred_at: { type: 'datetime', required: true },
    });
    const bench = must(
      worldOf(engine, {
        match: found('archive', 'document'),
        noun: 'document',
        tables: { document: doc, audit_log: history },
        rows: { document: [{ id: 'd1', status: 'draft' }] },
      }),
    ).bench();
    expect(bench.call({ document_id: 'd1' })).toMatchObject({ ok: true });
    expect(bench.all('audit_log')).toMatchObject([
      {
        document_id: 'd1',
        action: 'archive',
        actor_email: ME.email,
        old_status: 'draft',
        new_status: 'archived',
        occurred_at: NOW,
      },
    ]);
  });
});
