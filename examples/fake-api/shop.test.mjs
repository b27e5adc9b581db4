// Its tests: all at once against one server, each on a fork of its own.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
// Installed: from 'treadle/testing'.
import {
  assertCalled,
  assertNotCalled,
  assertRow,
  assertRows,
  assertSent,
  startWorld,
} from '../../dist/fake/testing/testing.js';
import { makeShop } from './shop.mjs';

const API = new URL('orders-api.yaml', import.meta.url);
const SECRET = 'not a secret';
const data = { product: [{ id: 'bell', name: 'Bell', price: 1_250 }] };
const ANA = { name: 'Ana', email: 'ana@mail.example' };

describe('the shop', { concurrency: true }, () => {
  let world;
  before(async () => {
    world = await startWorld(API, { data });
  });
  after(() => world.close());
  /** A shop that talks to a fork. */
  const fork = async () => {
    const own = await world.fork();
    return { world: own, shop: makeShop({ api: own.url, key: 'any', secret: SECRET }) };
  };

  it('orders and pays', async () => {
    const { world, shop } = await fork();
    const bought = await shop.buy(ANA, 'bell', 2);
    assert.deepEqual([bought.status, bought.total], ['paid', 2_500]);
    assertRow(world, 'order', { id: bought.id, product_id: 'bell', quantity: 2, status: 'paid' });
    assertSent(world, 'order.paid', { body: { data: { id: bought.id } }, times: 1 });
  });

  it('makes a buyer known once', async () => {
    const { world, shop } = await fork();
    await shop.buy(ANA, 'bell', 1);
    await shop.buy(ANA, 'bell', 1);
    assertRows(world, 'customer', { email: ANA.email }, 1);
    assertCalled(world, 'POST /customers', { body: ANA, times: 1 });
  });

  it('sees nothing of the other tests', async () => {
    const { world } = await fork();
    assertRows(world, 'customer', { email: ANA.email }, 0);
    assert.deepEqual(world.diff(), {});
  });

  it('orders nothing where there is no such product', async () => {
    const { world, shop } = await fork();
    await assert.rejects(shop.buy(ANA, 'whistle', 1), /404/);
    assertNotCalled(world, 'createOrder');
  });

  it('passes on what the API refuses', async () => {
    const { world, shop } = await fork();
    await assert.rejects(shop.buy(ANA, 'bell', 1_000), /422.*quantity/);
    assertNotCalled(world, 'payOrder');
  });
});

describe('the shop, when the API has a bad day', { concurrency: true }, () => {
  const withFaults = async (faults, work) => {
    const world = await startWorld(API, { data, faults });
    try {
      await work(world, makeShop({ api: world.url, key: 'any', secret: SECRET }));
    } finally {
      await world.close();
    }
  };

  it('pays again after a failure, once', () =>
    withFaults(['payOrder=503x2'], async (world, shop) => {
      const { status } = await shop.buy(ANA, 'bell', 1);
      assert.equal(status, 'paid');
      assertCalled(world, 'payOrder', { times: 3 });
      assertCalled(world, 'payOrder', { status: 200, times: 1 });
    }));

  it('gives up in the end', () =>
    withFaults(['POST /orders/*/pay=503'], async (world, shop) => {
      await assert.rejects(shop.buy(ANA, 'bell', 1), /503/);
      assertRow(world, 'order', { product_id: 'bell', status: 'open' });
    }));
});

it('the shop believes signed webhooks only', async () => {
  const [shipped, believed] = [[], []];
  const shop = makeShop({ api: '', key: '', secret: SECRET });
  const receiver = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      believed.push(shop.takeWebhook({ headers: request.headers, text }, shipped));
      response.writeHead(204).end();
    });
  });
  await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const to = `http://127.0.0.1:${receiver.address().port}/hooks`;
  const world = await startWorld(API, { data, webhooks: { to, secret: SECRET } });
  try {
    const { id } = await makeShop({ api: world.url, key: 'any' }).buy(ANA, 'bell', 1);
    await world.webhooks.settled();
    assert.deepEqual([shipped, believed], [[id], [true]]);
    const [{ headers, body }] = world.webhooks.sent('order.paid');
    const forged = { ...headers, 'webhook-signature': 'v1,forged' };
    assert.equal(shop.takeWebhook({ headers: forged, text: JSON.stringify(body) }, shipped), false);
  } finally {
    await world.close();
    receiver.close();
  }
});
