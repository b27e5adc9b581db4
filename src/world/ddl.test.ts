import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceData, serviceFixture, stateWith } from '../../test/fixtures/services.js';
import { ServiceSpec } from '../artifacts/service.js';
import { ddlKeyOf, ddlOf } from './ddl.js';
import type { Connection } from './state/connection.js';
import { Engine } from './state/engine.js';

const spec = serviceFixture('billing');
const tickets = serviceFixture('tickets');

describe('ddlOf', () => {
  it('writes strict tables, keys, defaults, checks, references and indexes', () => {
    const ddl = ddlOf(spec);
    const payment = ddl.find((text) => text.startsWith('CREATE TABLE "payment"'));
    expect(payment?.split('\n').map((line) => line.trim())).toEqual([
      'CREATE TABLE "payment" (',
      '"id" TEXT PRIMARY KEY NOT NULL,',
      '"invoice_id" TEXT NOT NULL REFERENCES "invoice" ("id"),',
      '"amount" INTEGER NOT NULL CHECK ("amount" >= 1),',
      '"refunded" INTEGER NOT NULL DEFAULT 0,',
      `"status" TEXT NOT NULL DEFAULT 'captured' CHECK ("status" IN ('captured', 'partially_refunded', 'refunded')),`,
      '"paid_at" INTEGER NOT NULL,',
      'CHECK (refunded <= amount)',
      ') STRICT',
    ]);
    expect(ddl).toContain('CREATE INDEX "payment.invoice_id" ON "payment" ("invoice_id")');
    expect(ddl.at(-1)).toContain('"_treadle_counter"');
    expect(ddlOf(tickets).find((text) => text.includes('"agent"'))).toContain('"id" INTEGER PRIMARY KEY NOT NULL');
  });

  it('has one key for equal tables, whatever the tools and the surface', () => {
    const data = serviceData('billing') as {
      tools: unknown;
      surface: { money: string };
      tables: { refund: { cols: { reason: { maxLength: number } } } };
    };
    data.tools = {};
    data.surface.money = 'text';
    expect(ddlKeyOf(ServiceSpec.parse(data))).toBe(ddlKeyOf(spec));
    data.tables.refund.cols.reason.maxLength = 5;
    expect(ddlKeyOf(ServiceSpec.parse(data))).not.toBe(ddlKeyOf(spec));
  });

  it('quotes words of SQL and texts with quotes', () => {
    const table = {
      noun: 'order',
      key: { col: 'select' },
      cols: {
        select: { type: 'text' },
        group: { type: 'text', enum: ["it's", '"'], default: "it's" },
        flag: { type: 'bool', default: true },
      },
    };
    const odd = ServiceSpec.parse({ ...serviceData('billing'), tables: { order: table }, tools: {} });
    expect(ddlOf(odd)[0]).toContain(`"group" TEXT DEFAULT 'it''s' CHECK ("group" IN ('it''s', '"'))`);
    expect(ddlOf(odd)[0]).toContain('"flag" INTEGER DEFAULT 1 CHECK ("flag" IN (0, 1))');
  });
});

describe('the tables as built', () => {
  let engine: Engine;
  let conn: Connection;
  beforeAll(async () => {
    engine = await Engine.start();
    conn = engine.connection(ddlKeyOf(tickets));
    conn.bind(stateWith(engine, tickets, { agent: [{ id: 1, name: 'A', is_active: 1 }] }));
  });
  afterAll(() => engine.close());

  const insert = (over: Record<string, string | number | null>) => () => {
    const row = { id: 't', subject: 's', state: 'new', priority: 3, requester_email: 'e', updated_at: 1, ...over };
    const cols = Object.keys(row);
    conn
      .prepare(`INSERT INTO ticket (${cols.join(', ')}) VALUES (${cols.map(() => '?').join(', ')})`)
      .run(Object.values(row));
  };
  it.each([
    [{ state: 'gone' }],
    [{ priority: 6 }],
    [{ priority: 0 }],
    [{ subject: 'x'.repeat(201) }],
    [{ subject: null }],
    [{ agent_id: 9 }],
    [{ assigned_at: 'today' }],
    [{ priority: 1.5 }],
  ])('refuse %j', (over) => expect(insert(over)).toThrow(expect.objectContaining({ code: 'constraint' })));
  it('take what fits', () => {
    insert({ agent_id: 1 })();
    expect(conn.prepare('SELECT tags, score FROM ticket').get()).toEqual({ tags: '[]', score: null });
    expect(insert({ agent_id: 1 })).toThrow(/UNIQUE/);
  });
});
