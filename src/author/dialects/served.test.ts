/** Every dialect served: the core and a canonical service compile, list, page, read and refuse in each of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Company } from '../../artifacts/world.js';
import type { Json } from '../../kit/hash.js';
import { rng } from '../../kit/rng.js';
import { callTool } from '../../world/program/call.js';
import { compileService } from '../../world/program/compile.js';
import type { ToolOutcome } from '../../world/program/types.js';
import { Engine } from '../../world/state/engine.js';
import { State } from '../../world/state/state.js';
import type { Row } from '../../world/state/types.js';
import { surfacePath } from '../../world/surface/naming.js';
import { encodeValue } from '../../world/surface/values.js';
import { Workspace } from '../../world/workspace/workspace.js';
import { coreServices } from '../core/services.js';
import { billing } from './billing.fixture.js';
import { DIALECTS, dressService } from './dress.js';

const NOW = 1_750_000_000;
const MIDNIGHT = Math.floor(NOW / 86_400) * 86_400;
const company: Company = {
  name: 'Brinkhof Interiors',
  legalName: 'Brinkhof Interiors B.V.',
  domain: 'brinkhof.example',
  about: 'Makes furniture.',
  country: 'NL',
  city: 'Utrecht',
  timezone: 'Europe/Amsterdam',
  currency: 'EUR',
  locale: 'nl',
  industry: { naics: '337122', title: 'Furniture' },
  employees: 30,
  founded: 1988,
};

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.start();
});
afterAll(() => engine.close());

const dressed = (dialect: string, seed: string): ServiceSpec =>
  dressService(billing(), dialect, { currency: 'EUR', rng: rng(seed) });

interface Served {
  spec: ServiceSpec;
  rows: Row[];
  call(id: string, args: Record<string, Json>): ToolOutcome;
}

/** Five invoices of one customer; arguments are given by canonical name and written to where the surface wants them. */
const serve = (dialect: string, seed: string): Served => {
  const spec = dressed(dialect, seed);
  const program = compileService(spec);
  const isNumber = spec.tables.invoice!.cols.id!.type === 'int';
  const idOf = (n: number): string | number => (isNumber ? 100_000 + n : `key-${n}`);
  const rows: Row[] = [1, 2, 3, 4, 5].map((n) => ({
    id: idOf(n),
    number: `INV-${n}`,
    customer_id: idOf(0),
    customer: 'Ada',
    status: n < 3 ? 'open' : 'part_paid',
    due_on: MIDNIGHT + n * 86_400,
    total: n * 1_000,
    secret_note: 'hidden',
  }));
  const base = engine.build(program.ddl, (conn) => {
    conn.prepare('INSERT INTO customer (id, name, created_at) VALUES (?, ?, ?)').run([idOf(0), 'Ada', NOW]);
    for (const row of rows)
      conn
        .prepare(
          'INSERT INTO invoice (id, number, customer_id, customer, status, due_on, total, secret_note) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        )
        .run(Object.values(row));
  });
  const conn = engine.connection(program.ddlKey);
  const state = State.open(base);
  return {
    spec,
    rows,
    call: (id, args) => {
      const [name, tool] = Object.entries(spec.tools).find(([, one]) => one.id === id)!;
      const raw: Record<string, Json> = {};
      for (const [arg, value] of Object.entries(args)) {
        const path = surfacePath(spec.surface.args, arg, tool.args[arg]!.field);
        let at = raw;
        for (const part of path.slice(0, -1)) {
          at[part] ??= {};
          at = at[part] as Record<string, Json>;
        }
        at[path.at(-1)!] = value;
      }
      conn.bind(state);
      return callTool(program, name, conn, raw, {
        now: NOW,
        me: { id: 'u', name: 'Ada', email: 'ada@brinkhof.example' },
        seed: 's',
        workspace: new Workspace(),
      });
    },
  };
};

const surfaces = DIALECTS.flatMap((dialect) => ['a', 'b', 'c', 'd'].map((seed) => [dialect, seed] as const));

describe.each(surfaces)('%s %s', (dialect, seed) => {
  it('compiles the company core', () => {
    for (const canonical of coreServices(company)) {
      const spec = dressService(canonical, dialect, { currency: 'EUR', rng: rng(seed, canonical.id) });
      expect(compileService(spec).tools.size).toBe(Object.keys(canonical.tools).length);
    }
  });

  it('lists by page, narrows by range, reads one and voids it', () => {
    const { spec, rows, call } = serve(dialect, seed);
    const listed = Object.values(spec.tools).find((tool) => tool.id === 'invoice.list')!;
    const all = call('invoice.list', { limit: 50 });
    expect(all, JSON.stringify(all)).toMatchObject({ ok: true });
    expect(all.ok && all.canonical.kind === 'rows' && all.canonical.rows).toHaveLength(5);
    expect(JSON.stringify(all.result)).not.toContain('hidden');

    const cols = spec.tables.invoice!.cols;
    const late = call('invoice.list', { due_on_from: encodeValue(spec, cols.due_on!, MIDNIGHT + 4 * 86_400) });
    expect(late.ok && late.canonical.kind === 'rows' && late.canonical.rows.map((row) => row.number)).toEqual(
      expect.arrayContaining(['INV-4', 'INV-5']),
    );
    expect(late.ok && late.canonical.kind === 'rows' && late.canonical.rows).toHaveLength(2);

    const open = call('invoice.list', { status: [encodeValue(spec, cols.status!, 'open') as string] });
    expect(open.ok && open.canonical.kind === 'rows' && open.canonical.rows).toHaveLength(2);

    const first = call('invoice.list', { limit: 2 });
    expect(first.ok && first.canonical.kind === 'rows' && first.canonical.rows).toHaveLength(2);
    const at = Object.entries(listed.args).find(([, arg]) => ['offset', 'page'].includes(arg.role));
    if (at) {
      const next = call('invoice.list', { limit: 2, [at[0]]: at[1].role === 'offset' ? 2 : (at[1].min ?? 0) + 1 });
      expect(next.ok && next.canonical.kind === 'rows' && next.canonical.offset).toBe(2);
    }
    const cursor = Object.entries(listed.args).find(([, arg]) => arg.role === 'cursor');
    const token = /(?:cursor|next|after|Skip|Token)"+:"?([^"{},]+)/i.exec(JSON.stringify(first.result))?.[1];
    if (cursor && token && token !== 'null') {
      const next = call('invoice.list', { limit: 2, [cursor[0]]: token });
      expect(next.ok && next.canonical.kind === 'rows' && next.canonical.offset).toBe(2);
    }
    const key = rows[0]!.id as string;
    expect(call('invoice.get', { invoice_id: key })).toMatchObject({
      ok: true,
      canonical: { row: { number: 'INV-1' } },
    });
    expect(call('invoice.void', { invoice_id: key })).toMatchObject({
      ok: true,
      canonical: { row: { status: 'void' } },
    });
  });

  it('refuses in its own error body', () => {
    const { spec, call } = serve(dialect, seed);
    const missing = call('invoice.get', { invoice_id: spec.tables.invoice!.cols.id!.type === 'int' ? 999 : 'nobody' });
    expect(missing).toMatchObject({ ok: false, error: { code: 'not_found', status: 404 } });
    expect(Object.keys(missing.result as object).length).toBeGreaterThan(0);
    expect(call('invoice.list', { limit: 100_000 })).toMatchObject({ ok: false, error: { fault: 'agent' } });
  });
});
