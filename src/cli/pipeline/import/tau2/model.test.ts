/** Drawn calls on the service and on the model of its tools: the same refused, the same records after each. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../../../kit/hash.js';
import { type Rng, rng } from '../../../../kit/rng.js';
import { MODEL, Refused } from './model.fixture.js';
import { KINDS, textOfRecord } from './records.js';
import { Db } from './shapes.js';
import { openShop, type Shop } from './shop.fixture.js';
import { smallDb } from './tau2.fixture.js';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop(mkdtempSync(join(tmpdir(), 'tau2-')));
});
afterAll(() => shop.close());

const ROUNDS = 60;
const CALLS = 12;

const some = (random: Rng, from: readonly string[], most: number): string[] =>
  Array.from({ length: random.int(0, most) }, () => random.pick(from));

const ITEMS = ['L1', 'L2', 'L3', 'L4', 'M1', 'M2'];

/** Mostly what makes sense, so that calls get through; mistakes often enough. */
const argsFor = (random: Rng, db: Db, tool: string): Record<string, string | string[]> => {
  const order_id = random.pick(['#W1', '#W2', '#W2', '#W3', '#W4', '#W5', '#W9']);
  const payment_method_id = random.pick(['card_1', 'card_1', 'gift_1', 'gift_1', 'pal_2']);
  const address = {
    address1: `${random.int(1, 99)} Oak Way`,
    address2: '',
    city: 'Salem',
    country: 'USA',
    state: 'MA',
    zip: '01970',
  };
  const own = random.shuffle(db.orders[order_id]?.items.map(({ item_id }) => item_id) ?? []);
  const item_ids = random.chance(0.15) ? some(random, ITEMS, 3) : own.slice(0, random.int(0, own.length));
  const next: Record<string, string[]> = { L: ['L1', 'L2', 'L2', 'L4', 'L4', 'L3'], M: ['M1', 'M2'] };
  const new_item_ids = random.chance(0.1)
    ? some(random, ITEMS, 3)
    : item_ids.map((id) => random.pick(next[id[0] ?? ''] ?? ITEMS));
  switch (tool) {
    case 'cancel_pending_order':
      return { order_id, reason: random.pick(['no longer needed', 'ordered by mistake', 'bored']) };
    case 'modify_pending_order_address':
      return { order_id, ...address };
    case 'modify_user_address':
      return { user_id: random.pick(['ana_lee_1', 'bo_kim_2', 'nobody']), ...address };
    case 'modify_pending_order_payment':
      return { order_id, payment_method_id };
    case 'return_delivered_order_items':
      return { order_id, item_ids, payment_method_id };
    default:
      return { order_id, item_ids, new_item_ids, payment_method_id };
  }
};

it('agrees with the model call by call', () => {
  const got = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const random = rng('model', String(round));
    const session = shop.open();
    let db = Db.parse(smallDb());
    for (let n = 0; n < CALLS; n++) {
      const tool = random.pick(Object.keys(MODEL));
      const args = argsFor(random, db, tool);
      const after = structuredClone(db);
      let refused = false;
      try {
        MODEL[tool]?.(after, args);
      } catch (thrown) {
        if (!(thrown instanceof Refused)) throw thrown;
        refused = true;
      }
      const { ok, result } = session.call(tool, args);
      const what = `round ${round}, call ${n}: ${tool} ${JSON.stringify(args)} -> ${JSON.stringify(result)}`;
      expect(ok, what).toBe(!refused);
      if (ok) {
        db = after;
        got.set(tool, (got.get(tool) ?? 0) + 1);
      }
      for (const kind of KINDS)
        for (const [id, record] of Object.entries(db[kind]))
          expect(textOfRecord(shop.record(session, kind, id)), what).toBe(textOfRecord(record as Json));
    }
    session.drop();
  }
  for (const tool of Object.keys(MODEL)) expect(got.get(tool) ?? 0, `${tool} got through`).toBeGreaterThan(4);
});
