import { Ajv } from 'ajv';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FixtureName, serviceFixture, stateWith } from '../../../test/fixtures/services.js';
import type { Json } from '../../kit/hash.js';
import type { Connection } from '../state/connection.js';
import { Engine } from '../state/engine.js';
import type { State } from '../state/state.js';
import type { Row } from '../state/types.js';
import { encodeRow } from '../surface/answer.js';
import { Workspace } from '../workspace/workspace.js';
import { callTool } from './call.js';
import { compileService } from './compile.js';
import type { Program, ToolOutcome } from './types.js';

const NOW = 1_717_200_000;
const PROGRAMS: Record<FixtureName, Program> = {
  billing: compileService(serviceFixture('billing')),
  tickets: compileService(serviceFixture('tickets')),
};
const ROWS: Record<FixtureName, Record<string, Row[]>> = {
  billing: {
    customer: [{ id: 'cus_1', name: "O'Neil; DROP TABLE customer;--", email: 'o@x.example', created_at: NOW }],
    invoice: [
      {
        id: 'inv_1',
        number: 'N-1',
        customer_id: 'cus_1',
        status: 'open',
        total: 9_007_199_254_740_991,
        amount_paid: 0,
        currency: 'EUR',
        due_on: null,
        created_by: 'a',
        created_at: NOW,
        updated_at: NOW,
      },
    ],
    payment: [
      {
        id: 'pay_1',
        invoice_id: 'inv_1',
        amount: 9_007_199_254_740_991,
        refunded: 5,
        status: 'captured',
        paid_at: NOW,
      },
    ],
    refund: [],
  },
  tickets: {
    agent: [{ id: 10, name: 'Bo', is_active: 1 }],
    ticket: [
      {
        id: 't1',
        subject: '100%_sure',
        state: 'new',
        priority: 3,
        agent_id: null,
        assigned_at: null,
        requester_email: 'r',
        requester_city: null,
        promised_on: null,
        credit: null,
        score: null,
        tags: '[]',
        updated_at: NOW,
      },
    ],
  },
};
let engine: Engine;
const conns = {} as Record<FixtureName, Connection>;
const states = {} as Record<FixtureName, State>;

beforeAll(async () => {
  engine = await Engine.start();
  for (const name of ['billing', 'tickets'] as const) conns[name] = engine.connection(PROGRAMS[name].ddlKey);
});
beforeEach(() => {
  for (const name of ['billing', 'tickets'] as const) {
    states[name] = stateWith(engine, PROGRAMS[name].spec, ROWS[name]);
    conns[name].bind(states[name]);
  }
});

const call = (service: FixtureName, tool: string, args: unknown): ToolOutcome =>
  callTool(PROGRAMS[service], tool, conns[service], args, {
    now: NOW,
    me: { id: 'e', name: 'Ada', email: 'ada@x.example' },
    seed: 's',
    workspace: new Workspace(),
    budget: 1_000_000,
  });
const error = (
  service: FixtureName,
  tool: string,
  args: unknown,
): { code: string; message: string; field?: string; fault: string } => {
  const outcome = call(service, tool, args);
  if (outcome.ok) throw new Error(`${tool} succeeded: ${JSON.stringify(outcome.result)}`);
  return outcome.error;
};

const parsed = (text: string): unknown => JSON.parse(text);

describe('arguments that are not what they should be', () => {
  it.each([[[]], ['text'], [3], [true], [() => 1], [[{ invoice_id: 'inv_1' }]]])(
    'refuses %j for the arguments object',
    (args) => {
      expect(error('billing', 'get_invoice', args)).toMatchObject({ code: 'invalid_argument', fault: 'agent' });
    },
  );
  it('takes nothing and null for an empty object', () => {
    for (const args of [undefined, null, {}]) {
      expect(call('billing', 'list_invoices', args)).toMatchObject({ ok: true });
      expect(error('billing', 'get_invoice', args)).toMatchObject({ code: 'missing_argument', field: 'invoice_id' });
    }
  });
  it.each([
    ['{"__proto__": {"invoice_id": "inv_1"}}', 'missing_argument'],
    ['{"invoice_id": "inv_1", "__proto__": 1}', 'unknown_argument'],
    ['{"invoice_id": "inv_1", "constructor": {}}', 'unknown_argument'],
    ['{"invoice_id": "inv_1", "toString": "x"}', 'unknown_argument'],
    ['{"invoice_id": {"__proto__": "inv_1"}}', 'invalid_argument'],
    ['{"invoice_id": ["inv_1"]}', 'invalid_argument'],
    ['{"invoice_id": null}', 'missing_argument'],
    ['{"Invoice_Id": "inv_1"}', 'missing_argument'],
  ])('answers %s with %s', (text, code) => {
    const found = error('billing', 'get_invoice', parsed(text));
    // A missing and an unknown argument may both be true; either is told.
    expect([code, 'unknown_argument']).toContain(found.code);
    expect(({} as Record<string, unknown>).invoice_id).toBeUndefined();
  });
  it.each([-1, 0, 1.5, 101, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, '10', null, [], {}, true, 3n])(
    'limit %s',
    (limit) => {
      const outcome = call('billing', 'list_invoices', { limit });
      if (limit === null) expect(outcome.ok).toBe(true);
      else expect(outcome).toMatchObject({ ok: false, error: { code: 'invalid_argument', field: 'limit' } });
    },
  );
  it.each(['', 'abc', 'aTotMQ', 'aToxMDAwMDAwMQ', 'aTox\n', 'x'.repeat(10_000), 7])('cursor %j', (cursor) => {
    expect(error('billing', 'list_invoices', { starting_after: cursor })).toMatchObject({
      code: 'invalid_argument',
      field: 'starting_after',
    });
  });
  it('bounds size and depth of the whole', () => {
    let deep: unknown = 'x';
    for (let i = 0; i < 5_000; i++) deep = { deep };
    const cycle: Record<string, unknown> = {};
    cycle.invoice_id = cycle;
    for (const args of [
      deep,
      cycle,
      { invoice_id: 'x'.repeat(300_000) },
      { ids: Array.from({ length: 9_000 }, () => 1) },
    ])
      expect(error('billing', 'get_invoice', args)).toMatchObject({ code: 'invalid_argument' });
  });
  it('shows no more of a huge value than a line', () => {
    const { message } = error('billing', 'list_invoices', { status: ['x'.repeat(50_000)] });
    expect(message.length).toBeLessThan(400);
    expect(error('billing', 'x'.repeat(50_000), {}).message.length).toBeLessThan(400);
  });
  it('names tools that are near an unknown one', () => {
    expect(error('billing', 'fetch_invoice', {})).toMatchObject({
      code: 'unknown_tool',
      message: expect.stringContaining('get_invoice'),
    });
    for (const name of ['', '__proto__', 'constructor', 'get_invoice;'])
      expect(error('billing', name, {})).toMatchObject({ code: 'unknown_tool' });
  });
});

describe('texts that mean something elsewhere', () => {
  it.each([
    "' OR 1=1 --",
    '"; DROP TABLE invoice; --',
    "x' UNION SELECT * FROM _treadle_counter --",
    '\\',
    '%',
    '_',
    '*',
    '?1',
    ':id',
    '@x',
    '\u0000',
    '🙂',
    '\ud800',
  ])('searches for %j as it is', (query) => {
    const outcome = call('billing', 'search_customers', { query });
    expect(outcome).toMatchObject({ ok: true });
    expect(states.billing.hash()).toBe(states.billing.hash());
    expect(conns.billing.prepare('SELECT COUNT(*) AS n FROM customer').get()?.n).toBe(1);
  });
  it('finds a quote, a percent sign and an underscore only where they are', () => {
    const found = (query: string) =>
      (call('billing', 'search_customers', { query }).result as { data: Json[] }).data.length;
    expect(["o'neil", "O'NEIL drop", '%', "o'neil%"].map(found)).toEqual([1, 1, 0, 0]);
    const subjects = (subject: string) =>
      (call('tickets', 'findTickets', { filter: { subject } }).result as { data: Json[] }).data.length;
    expect(['100%', '0%_s', '_sure', 'x_s', '%%'].map(subjects)).toEqual([1, 1, 1, 0, 0]);
  });
  it('stores every text as it came', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 100 }), (name) => {
        const outcome = call('billing', 'update_customer', { customer_id: 'cus_1', name });
        if (outcome.ok)
          expect(outcome.result).toMatchObject({
            name: name.replaceAll('\u0000', '').replaceAll(/\p{Surrogate}/gu, '\ufffd'),
          });
        else expect(outcome.error).toMatchObject({ fault: 'agent' });
      }),
    );
  });
  it('finds words in other cases where SQLite folds only ASCII', () => {
    call('billing', 'update_customer', { customer_id: 'cus_1', name: 'Łódź Müller' });
    const found = (query: string) =>
      (call('billing', 'search_customers', { query }).result as { data: Json[] }).data.length;
    expect(['müller', 'łódź', 'Łódź MÜLLER', 'ŁÓDŹx'].map(found)).toEqual([1, 1, 1, 0]);
  });
});

describe('numbers at the edge', () => {
  it('works up to 2^53-1 and refuses what lies beyond', () => {
    expect(call('billing', 'refund_payment', { payment_id: 'pay_1', amount: 9_007_199_254_740_986 })).toMatchObject({
      ok: true,
    });
    expect(error('billing', 'refund_payment', { payment_id: 'pay_1', amount: 2 ** 53 })).toMatchObject({
      code: 'invalid_argument',
      field: 'amount',
    });
    expect(error('billing', 'create_invoice', { customer_id: 'cus_1', total: 0 })).toMatchObject({
      code: 'invalid_argument',
      field: 'total',
    });
    expect(error('billing', 'create_invoice', { customer_id: 'cus_1', total: -5 })).toMatchObject({
      code: 'invalid_argument',
    });
    expect(error('tickets', 'openTicket', { subject: 'abc', requester: { email: 'x' }, priority: 6 })).toMatchObject({
      code: 'invalid_argument',
      field: 'priority',
    });
  });
});

/** Values an agent might write for an argument of this schema, right or wrong. */
const anyValue = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'inv_1',
      'cus_1',
      'pay_1',
      't1',
      10,
      'open',
      'draft',
      'NEW',
      5,
      '2024-06-01',
      ['t1'],
      ['open'],
      true,
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  { weight: 1, arbitrary: fc.constantFrom('', "'", '%', null, -1, 2 ** 53, 1.5, 'x'.repeat(600), [], {}, '__proto__') },
);

describe('any calls in any order', () => {
  it('answer or refuse: no throw, no world fault, nothing changed by a refusal, and rows keep their schema', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    for (const service of ['billing', 'tickets'] as const) {
      const program = PROGRAMS[service];
      const names = [...program.tools.keys()];
      const answers = new Map(names.map((name) => [name, ajv.compile(program.tools.get(name)!.outputSchema)]));
      const step = fc.record({
        tool: fc.constantFrom(...names),
        pick: fc.array(anyValue, { minLength: 8, maxLength: 8 }),
        drop: fc.nat(255),
      });
      fc.assert(
        fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
          const conn = conns[service];
          const state = states[service].fork();
          conn.bind(state);
          for (const { tool, pick, drop } of steps) {
            const before = state.hash();
            const outcome = call(service, tool, argsFor(program.tools.get(tool)!.inputSchema, pick, drop));
            expect(conn.inTransaction).toBe(false);
            if (outcome.ok)
              expect([tool, answers.get(tool)!(outcome.result), answers.get(tool)!.errors]).toEqual([tool, true, null]);
            else {
              expect(outcome.error).toMatchObject({ fault: 'agent' });
              expect(state.hash()).toBe(before);
            }
            if (outcome.ok && outcome.canonical.kind === 'row') {
              const { row, table } = outcome.canonical;
              const { col } = program.spec.tables[table]!.key;
              expect(conn.prepare(`SELECT * FROM "${table}" WHERE "${col}" = ?`).get([row[col]!])).toEqual(row);
              expect(JSON.stringify(outcome.result)).toContain(
                JSON.stringify(encodeRow(program.spec, table, row)).slice(0, 20),
              );
            }
          }
          expect(conn.integrity()).toEqual([]);
          state.drop();
        }),
        { numRuns: 120 },
      );
    }
  });
});

type Schema = { properties?: Record<string, Schema>; required?: string[] };
const argsFor = (schema: unknown, pick: unknown[], drop: number): Record<string, unknown> => {
  let at = 0;
  const make = ({ properties = {}, required = [] }: Schema): Record<string, unknown> => {
    const out: Record<string, unknown> = {};
    for (const [name, inner] of Object.entries(properties)) {
      const i = at++ % 8;
      if (!required.includes(name) && (drop >> i) & 1) continue;
      out[name] = inner.properties && !('amount' in inner.properties) ? make(inner) : pick[i];
    }
    return out;
  };
  return make(schema as Schema);
};
