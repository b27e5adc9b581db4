import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Any, steps, tool } from '../../../test/fixtures/broken.js';
import { serviceData, stateWith } from '../../../test/fixtures/services.js';
import { ServiceSpec } from '../../artifacts/service.js';
import type { Connection } from '../state/connection.js';
import { Engine } from '../state/engine.js';
import { Workspace } from '../workspace/workspace.js';
import { callTool } from './call.js';
import { compileService } from './compile.js';
import type { ToolOutcome } from './types.js';

const NOW = 1_717_200_000;
const row = { id: 'pay_1', invoice_id: 'inv_1', amount: 3000, refunded: 12, status: 'captured', paid_at: NOW };
const invoice = { id: 'inv_1', number: 'N-1', customer_id: 'cus_1', status: 'open', total: 5, amount_paid: 0 };
let conn: Connection;

/** refund_payment with other steps behind `get payment as p`; what it answers, and the columns that its get asked for. */
const run = (list: unknown[], returns: unknown): { outcome: ToolOutcome; asked: string | undefined } => {
  const data = serviceData('billing');
  steps(list)(data as never);
  (tool(data, 'refund_payment') as Any).returns = returns;
  const program = compileService(ServiceSpec.parse(data));
  const prepare = vi.spyOn(conn, 'prepare');
  const me = { id: 'e', name: 'Ada', email: 'ada@x.example' };
  const context = { now: NOW, me, seed: 's', workspace: new Workspace() };
  const outcome = callTool(program, 'refund_payment', conn, { payment_id: 'pay_1' }, context);
  const first = prepare.mock.calls.map(([sql]) => sql).find((sql) => sql.includes('FROM "payment"'));
  return { outcome, asked: /^SELECT (.*?) FROM/.exec(first ?? '')?.[1] };
};

beforeAll(async () => {
  const engine = await Engine.start();
  const program = compileService(ServiceSpec.parse(serviceData('billing')));
  conn = engine.connection(program.ddlKey);
  const more = { currency: 'EUR', created_by: 'a', created_at: NOW, updated_at: NOW };
  const state = stateWith(engine, program.spec, {
    customer: [{ id: 'cus_1', name: 'C', email: 'c@x.example', created_at: NOW }],
    invoice: [{ ...invoice, ...more }],
    payment: [row],
    refund: [],
  });
  conn.bind(state);
});
beforeEach(() => vi.restoreAllMocks());
afterEach(() => conn.rollback());

describe('a get asks for what is read of its row', () => {
  it.each([
    ['by a condition', [{ require: [{ that: 'p.refunded == 12', error: 'e' }] }], '"refunded"'],
    [
      'by a condition inside another',
      [{ if: { that: 'p.amount > 1', do: [{ let: { a: '$p.status' } }] } }],
      '"amount", "status"',
    ],
    ['by a comprehension', [{ require: [{ that: '[1, 2].all(n, n < p.amount)', error: 'e' }] }], '"amount"'],
    [
      'by the where of another get',
      [{ get: { table: 'invoice', where: { id: '$p.invoice_id' }, as: 'i' } }],
      '"invoice_id"',
    ],
    ['under another name', [{ let: { q: '$p' } }, { require: [{ that: 'q.refunded == 12', error: 'e' }] }], '*'],
    ['inside a list', [{ require: [{ that: '[p].exists(q, q.amount == 3000)', error: 'e' }] }], '*'],
    ['not at all', [], '"id"'],
  ])('%s', (_, list, asked) => {
    expect(run(list, { value: { n: '1 + 1' } })).toMatchObject({ outcome: { ok: true }, asked });
  });

  it('by a message that fills it in', () => {
    const { outcome, asked } = run(
      [{ require: [{ that: 'p.amount < 1', error: 'e', message: 'It is {p.status}.' }] }],
      {
        value: { n: '1 + 1' },
      },
    );
    expect(asked).toBe('"amount", "status"');
    expect(outcome).toMatchObject({ ok: false, error: { message: 'It is captured.' } });
  });

  it('by values that are returned', () => {
    const { outcome, asked } = run([], { value: { left: 'p.amount - p.refunded' } });
    expect(asked).toBe('"amount", "refunded"');
    expect(outcome).toMatchObject({ ok: true, canonical: { value: { left: 2988 } } });
  });

  it('and for all of a row that is returned', () => {
    const { outcome, asked } = run([], { row: 'p' });
    expect(asked).toBe('*');
    expect(outcome).toMatchObject({ ok: true, canonical: { row } });
  });
});
