import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Any, steps, tool } from '../../../test/fixtures/broken.js';
import { serviceData, stateWith } from '../../../test/fixtures/services.js';
import { ServiceSpec } from '../../artifacts/service.js';
import type { Connection } from '../state/connection.js';
import { Engine } from '../state/engine.js';
import type { State } from '../state/state.js';
import { Workspace } from '../workspace/workspace.js';
import { callTool } from './call.js';
import { compileService } from './compile.js';
import type { ToolOutcome } from './types.js';

const NOW = 1_717_200_000;
let engine: Engine;
let conn: Connection;
let state: State;

/** refund_payment with other steps behind its get, called once. */
const run = (list: unknown[], args: Any = {}, returns: unknown = { row: 'p' }): ToolOutcome => {
  const data = serviceData('billing');
  steps(list)(data as never);
  tool(data, 'refund_payment').returns = returns;
  const program = compileService(ServiceSpec.parse(data));
  return callTool(
    program,
    'refund_payment',
    conn,
    { payment_id: 'pay_1', ...args },
    {
      now: NOW,
      me: { id: 'e', name: 'Ada', email: 'ada@x.example' },
      seed: 's',
      workspace: new Workspace(),
    },
  );
};

beforeAll(async () => {
  engine = await Engine.start();
});
beforeEach(() => {
  const program = compileService(ServiceSpec.parse(serviceData('billing')));
  conn = engine.connection(program.ddlKey);
  state = stateWith(engine, program.spec, {
    customer: [{ id: 'cus_1', name: 'C', email: 'c@x.example', created_at: NOW }],
    invoice: [
      {
        id: 'inv_1',
        number: 'N-1',
        customer_id: 'cus_1',
        status: 'open',
        total: 5,
        amount_paid: 0,
        currency: 'EUR',
        created_by: 'a',
        created_at: NOW,
        updated_at: NOW,
      },
    ],
    payment: [{ id: 'pay_1', invoice_id: 'inv_1', amount: 3000, refunded: 0, status: 'captured', paid_at: NOW }],
    refund: [],
  });
  conn.bind(state);
});

const spend = { update: { table: 'payment', where: { id: '$p.id' }, set: { refunded: 7 } } };

describe('defects of a spec while it runs', () => {
  it.each([
    ['a division by zero', { let: { x: 'p.amount / p.refunded * 0 / (p.amount - p.amount)' } }, /division by zero/],
    ['a column that a SELECT lacks', { sql: { query: 'SELECT nope FROM payment', as: 'x' } }, /nope/],
    ['a field that a free row lacks', { sql: { query: 'SELECT 1 AS a', as: 'x', one: true } }, /no_such|No such key/i],
  ])('%s is our fault, and changes nothing', (_, step, message) => {
    const before = state.hash();
    const use = JSON.stringify(step).includes('"one"') ? [{ require: [{ that: 'x.b == 1', error: 'e' }] }] : [];
    const outcome = run([spend, step, ...use]);
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'internal_error', status: 500, fault: 'world', message: expect.stringMatching(message) },
    });
    expect(state.hash()).toBe(before);
    expect(conn.inTransaction).toBe(false);
  });

  it('a rule of the table that the values break is told in the words of the surface', () => {
    const outcome = run([{ update: { table: 'payment', where: { id: '$p.id' }, set: { refunded: 9999 } } }]);
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'invalid_argument', message: 'The values break a rule: refunded <= amount' },
    });
  });

  it('stops steps that repeat themselves without end', () => {
    const many = {
      sql: {
        query: 'WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT i FROM n',
        as: 'many',
      },
    };
    const loop = (inner: unknown, as: string) => ({ each: { in: '$many', as, do: [inner] } });
    expect(run([many, loop(spend, 'a')])).toMatchObject({ ok: true });
    const before = state.hash();
    expect(run([many, loop(loop(spend, 'b'), 'a')])).toMatchObject({
      ok: false,
      error: { code: 'budget_exceeded', fault: 'world' },
    });
    expect(state.hash()).toBe(before);
  });

  it('an overflow comes of what the agent gave', () => {
    const outcome = run([{ let: { x: '(has(args.amount) ? args.amount : 0) * 3' } }, spend], { amount: 2 ** 52 });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'invalid_argument', fault: 'agent' } });
  });

  it('a connection bound to nothing is nobody’s observation', () => {
    const program = compileService(ServiceSpec.parse(serviceData('billing')));
    const loose = engine.connection('bound to nothing');
    const context = { now: NOW, me: { id: 'e', name: 'A', email: 'a' }, seed: 's', workspace: new Workspace() };
    expect(() => callTool(program, 'list_invoices', loose, {}, context)).toThrow(
      expect.objectContaining({ code: 'not_bound' }),
    );
  });
});

describe('values of steps', () => {
  const value = (list: unknown[], values: Any, args: Any = {}): unknown => {
    const outcome = run(list, args, { value: values });
    expect(outcome).toMatchObject({ ok: true });
    return outcome.result;
  };
  it('computes in ints and doubles, and keeps booleans, texts and nulls', () => {
    expect(
      value(
        [
          {
            let: {
              half: 'p.amount * 0.5',
              third: 'p.amount / 7',
              both: 'half + double(third)',
              is_big: 'p.amount > 5',
              word: "p.status + '!'",
              none: 'dyn(null)',
              sure: true,
            },
          },
        ],
        {
          half: '$half',
          third: '$third',
          both: '$both',
          is_big: '$is_big',
          word: '$word',
          none: '$none',
          sure: '$sure',
          later: 'now + 2 * day',
          items: '[1, 2].map(x, x + 1)',
        },
      ),
    ).toEqual({
      half: 1500,
      third: 428,
      both: 1928,
      is_big: true,
      word: 'captured!',
      none: null,
      sure: true,
      later: NOW + 172_800,
      items: [2, 3],
    });
  });
  it('rounds a fraction into a whole-number column and a time into its day', () => {
    const put = {
      insert: {
        table: 'invoice',
        set: { customer_id: "'cus_1'", total: 'p.amount * 0.3335', due_on: 'now + 5 * hour' },
        as: 'made',
      },
    };
    expect(value([put], { total: '$made.total', due: '$made.due_on' })).toEqual({ total: 1001, due: '2024-06-01' });
  });
  it('skips what is absent, and binds no row where none is', () => {
    const set = { update: { table: 'payment', where: { id: '$p.id' }, set: { refunded: '$args.amount' }, as: 'q' } };
    expect(value([set], { refunded: '$q.refunded' })).toEqual({ refunded: 0 });
    expect(value([set], { refunded: '$q.refunded' }, { amount: 9 })).toEqual({ refunded: 9 });
    const none = { get: { table: 'refund', where: { payment_id: '$p.id' }, as: 'r' } };
    expect(value([none], { found: 'r != null', id: '$r.id' })).toEqual({ found: false, id: null });
  });
  it('reads lists of rows in an expression', () => {
    const find = { find: { table: 'payment', where: [{ col: 'amount', op: 'gte', value: 1 }], as: 'all', total: 'n' } };
    expect(value([find], { any: 'all.exists(one, one.amount > 2999)', n: '$n', size: 'size(all)' })).toEqual({
      any: true,
      n: 1,
      size: 1,
    });
  });
});
