import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callTool } from '../program/call.js';
import type { ToolOutcome } from '../program/types.js';
import { Engine } from '../state/engine.js';
import { callToolAsync } from './call.js';
import { NOW, openShop, type Shop } from './code.fixture.js';
import { closeCode } from './running.js';

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.start();
});
afterAll(() => {
  closeCode();
  engine.close();
});

const WAYS: [string, (shop: Shop, tool: string, args?: unknown) => ToolOutcome | Promise<ToolOutcome>][] = [
  [
    'now',
    ({ program, conn, state, ctx }, tool, args) => {
      conn.bind(state);
      return callTool(program, tool, conn, args, ctx);
    },
  ],
  ['later', ({ program, conn, state, ctx }, tool, args) => callToolAsync(program, tool, state, conn, args, ctx)],
];

describe.each(WAYS)('code tools called %s', (_, call) => {
  it('insert rows with ids, numbers and times of the service, and show them on its surface', async () => {
    const shop = openShop(engine);
    const { result, ok } = await call(shop, 'accept_parcel', { email: 'a@x.example', grams: 1_500, fragile: true });
    expect({ ok, result }).toMatchObject({
      ok: true,
      result: {
        id: expect.stringMatching(/^par_\w{10}$/) as unknown,
        number: 'P-1001',
        grams: 1500,
        fee: 65,
        fragile: true,
        status: 'stored',
        received_at: NOW,
      },
    });
    expect(result).not.toHaveProperty('secret');
    shop.conn.bind(shop.state);
    expect(shop.conn.prepare('SELECT id FROM locker WHERE parcel_id IS NOT NULL').all()).toEqual([{ id: 'S1' }]);
  });

  it('answer with errors that an agent can act on, and change nothing then', async () => {
    const shop = openShop(engine);
    const before = shop.state.hash();
    expect(await call(shop, 'accept_parcel', { email: 'a@x.example', grams: 50_000 })).toMatchObject({
      ok: false,
      error: { code: 'too_heavy', fault: 'agent', status: 422, field: 'grams' },
      result: { error: { code: 'too_heavy', param: 'grams' } },
    });
    expect(await call(shop, 'accept_parcel', { email: 'a@x.example' })).toMatchObject({
      error: { code: 'missing_argument' },
    });
    expect(await call(shop, 'accept_parcel', { email: 'a@x.example', grams: 'two' })).toMatchObject({
      error: { code: 'invalid_argument' },
    });
    expect(await call(shop, 'accept_parcel', { email: 'e'.repeat(61), grams: 2 })).toMatchObject({
      error: { code: 'invalid_argument', fault: 'agent' },
    });
    expect(shop.state.hash()).toBe(before);
  });

  it('list pages', async () => {
    const shop = openShop(engine);
    for (const grams of [10, 30, 20]) await call(shop, 'accept_parcel', { email: 'a@x.example', grams });
    const page = await call(shop, 'list_parcels', { limit: 2 });
    expect(page.result).toMatchObject({ data: [{ grams: 900 }, { grams: 30 }], has_more: true });
    expect(page.ok && page.canonical).toMatchObject({ kind: 'rows', table: 'parcel', offset: 0, limit: 2 });
    expect((await call(shop, 'list_parcels', { limit: 2, offset: 2 })).result).toMatchObject({ has_more: false });
    expect((await call(shop, 'list_parcels', { status: 'collected' })).result).toMatchObject({
      data: [{ grams: 900 }],
    });
  });

  it('compute values, write files, and draw the same numbers at the same moment', async () => {
    const shop = openShop(engine);
    const first = await call(shop, 'report');
    expect(first.result).toMatchObject({ fee: 120, parcels: 1, by: 'ada@x.example' });
    expect(await call(shop, 'report')).toMatchObject({ result: first.result });
    expect([...shop.ctx.workspace.files()]).toEqual([['reports/2024-06-01.txt', 'collected: 1']]);
    shop.ctx.now += 1;
    const drawn = ({ result }: ToolOutcome) => (result as { drawn: number }).drawn;
    expect(drawn(await call(shop, 'report'))).not.toBe(drawn(first));
  });

  it('keep nothing of one call for the next', async () => {
    const shop = openShop(engine);
    for (let turn = 0; turn < 2; turn++) {
      await call(shop, 'accept_parcel', { email: 'a@x.example', grams: 10 });
      expect((await call(shop, 'return_all')).result).toMatchObject({ count: 1 });
    }
    expect(await call(shop, 'return_all')).toMatchObject({ error: { code: 'nothing_to_return' } });
  });
});
