/**
 * What the interpreter adds: compiled get, list, create and a four-statement action against the same statements run directly
 * on the same connection, both between begin and commit. `call_*` is a whole call: arguments checked, decoded, answer encoded.
 */

import { elapsedMs } from '../src/kit/clock.js';
import { idOf } from '../src/world/ids.js';
import { callTool } from '../src/world/program/call.js';
import { compileService } from '../src/world/program/compile.js';
import type { Run } from '../src/world/program/run.js';
import type { Runnable } from '../src/world/program/runnable.js';
import type { CallContext } from '../src/world/program/types.js';
import type { Connection } from '../src/world/state/connection.js';
import { Engine } from '../src/world/state/engine.js';
import type { Row, SqlValue } from '../src/world/state/types.js';
import { Workspace } from '../src/world/workspace/workspace.js';
import { serviceFixture, stateWith } from '../test/fixtures/services.js';

const NOW = 1_717_200_000;
const ROWS = 500;

const rows = (n: number, make: (i: number) => Row): Row[] => Array.from({ length: n }, (_, i) => make(i));
const data = {
  customer: rows(ROWS, (i) => ({ id: `cus_${i}`, name: `Customer ${i}`, email: `c${i}@x.example`, created_at: NOW })),
  invoice: rows(ROWS, (i) => ({
    id: `inv_${i}`,
    number: `N-${i}`,
    customer_id: `cus_${i % 50}`,
    status: 'open',
    total: 1_000_000_000,
    amount_paid: 0,
    currency: 'EUR',
    due_on: 1_717_200_000,
    created_by: 'a@x.example',
    created_at: NOW - i,
    updated_at: NOW,
  })),
  payment: rows(ROWS, (i) => ({
    id: `pay_${i}`,
    invoice_id: `inv_${i}`,
    amount: 1_000_000_000,
    refunded: 0,
    status: 'captured',
    paid_at: NOW,
  })),
  refund: [],
};

type Work = (i: number) => void;
let at = 0;

/** Lower-quartile microseconds over short batches that take turns: what else the machine does falls on all alike, and mostly out. */
const compare = (works: Record<string, Work>, batches: number, size: number): Record<string, number> => {
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(works).map((name) => [name, []]));
  for (let batch = 0; batch < batches; batch++) {
    for (const [name, work] of Object.entries(works)) {
      const start = elapsedMs();
      for (let i = 0; i < size; i++) work(at++);
      times[name]?.push(((elapsedMs() - start) * 1000) / size);
    }
  }
  return Object.fromEntries(
    Object.entries(times).map(([name, list]) => [name, list.sort((a, b) => a - b)[list.length >> 2] as number]),
  );
};

const round = (value: number): number => Math.round(value * 100) / 100;

/** `npm run bench -- tools [batches | --small]` */
export const main = async (args: string[]): Promise<Record<string, number>> => {
  const batches = args.includes('--small') ? 20 : Number(args[0] ?? 300);
  if (!Number.isInteger(batches) || batches < 1) throw new Error(`batches must be a whole number, not ${args[0]}`);
  const spec = serviceFixture('billing');
  const program = compileService(spec);
  const engine = await Engine.start();
  const conn = engine.connection(program.ddlKey);
  const ctx: CallContext = {
    now: NOW,
    me: { id: 'e', name: 'Ada', email: 'ada@x.example' },
    seed: 's',
    workspace: new Workspace(),
  };
  const pristine = stateWith(engine, spec, data);
  const run = (tool: string, given: Run['args']): void => {
    const { run: work, slots } = program.tools.get(tool) as Runnable;
    conn.begin();
    work({ conn, ctx, args: given, slots: new Array(slots), turns: 1 });
    conn.commit();
  };
  const direct = (work: (c: Connection) => void): void => {
    conn.begin();
    work(conn);
    conn.commit();
  };
  const one = (sql: string, params: SqlValue[]): Row | undefined => conn.prepare(sql).get(params);
  const change = (sql: string, params: SqlValue[]): void => {
    conn.prepare(sql).run(params);
  };
  const count =
    'INSERT INTO "_treadle_counter" ("name", "n") VALUES (?, 1) ON CONFLICT ("name") DO UPDATE SET "n" = "n" + 1 RETURNING "n"';
  const style = { style: 'base62', prefix: 'x_', length: 14 } as const;
  const fresh = (table: string): string => idOf(style, `direct/${table}`, Number(one(count, [table])?.n)) as string;
  const works: Record<string, [Work, Work, Work]> = {
    get: [
      (i) => run('get_invoice', { invoice_id: `inv_${i % ROWS}` }),
      (i) => direct(() => one('SELECT * FROM "invoice" WHERE "id" = ?', [`inv_${i % ROWS}`])),
      (i) => callTool(program, 'get_invoice', conn, { invoice_id: `inv_${i % ROWS}` }, ctx),
    ],
    list: [
      (i) => run('list_invoices', { customer_id: `cus_${i % 50}`, limit: 10 }),
      (i) =>
        direct(() => {
          conn
            .prepare(
              'SELECT * FROM "invoice" WHERE "customer_id" = ? ORDER BY "created_at" DESC, "id" LIMIT ? OFFSET ?',
            )
            .all([`cus_${i % 50}`, 11, 0]);
        }),
      (i) => callTool(program, 'list_invoices', conn, { customer_id: `cus_${i % 50}`, limit: 10 }, ctx),
    ],
    create: [
      (i) => run('create_customer', { name: 'Name', email: `a${i}@x.example` }),
      (i) =>
        direct(() =>
          change('INSERT INTO "customer" ("id", "name", "email", "phone", "created_at") VALUES (?, ?, ?, ?, ?)', [
            fresh('customer'),
            'Name',
            `b${i}@x.example`,
            null,
            NOW,
          ]),
        ),
      (i) => callTool(program, 'create_customer', conn, { name: 'Name', email: `c${i}@y.example` }, ctx),
    ],
    action: [
      (i) => run('refund_payment', { payment_id: `pay_${i % ROWS}`, amount: 5, reason: 'r' }),
      (i) =>
        direct(() => {
          const row = one('SELECT * FROM "payment" WHERE "id" = ?', [`pay_${i % ROWS}`]) as Row;
          change('INSERT INTO "refund" ("id", "payment_id", "amount", "reason", "created_at") VALUES (?, ?, ?, ?, ?)', [
            fresh('refund'),
            row.id as string,
            5,
            'r',
            NOW,
          ]);
          change('UPDATE "payment" SET "refunded" = ?, "status" = ? WHERE "id" = ?', [
            (row.refunded as number) + 5,
            'partially_refunded',
            row.id as string,
          ]);
        }),
      (i) => callTool(program, 'refund_payment', conn, { payment_id: `pay_${i % ROWS}`, amount: 5, reason: 'r' }, ctx),
    ],
  };
  const out: Record<string, number> = {};
  for (const [name, [interpreted, bare, call]] of Object.entries(works)) {
    const state = pristine.fork();
    conn.bind(state);
    compare({ interpreted, bare, call }, 20, 20);
    const times = compare({ interpreted, bare, call }, batches, 20);
    out[`${name}_us`] = round(times.interpreted as number);
    out[`${name}_direct_us`] = round(times.bare as number);
    out[`call_${name}_us`] = round(times.call as number);
    out[`ratio_${name}`] = round((times.interpreted as number) / (times.bare as number));
    state.drop();
  }
  pristine.drop();
  engine.close();
  return out;
};
