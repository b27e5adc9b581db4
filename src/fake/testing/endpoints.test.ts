/** Webhooks to addresses that callers register through the API itself. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type TestWorld, type WorldOptions } from './testing.js';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const at = (...names: string[]) =>
  names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
const all = (name: string) => ({
  responses: { 200: { description: 'All', ...json({ type: 'array', items: ref(name) }) } },
});
const made = (name: string) => ({
  requestBody: { required: true, ...json(ref(name)) },
  responses: { 201: { description: 'Made', ...json(ref(name)) } },
});
const changed = (name: string) => ({
  requestBody: { required: true, ...json(ref(name)) },
  responses: { 200: { description: 'It', ...json(ref(name)) } },
});
const read = (name: string) => ({
  responses: { 200: { description: 'It', ...json(ref(name)) }, 404: { description: 'No' } },
});
const gone = { responses: { 204: { description: 'Gone' } } };
const taken = { 200: { description: 'Taken' } };
const id = { type: 'string', readOnly: true };
const signedBy = (name: string) => [{ name, in: 'header', schema: { type: 'string' } }];
const tells = (name: string, parameters: object[] = [], operationId?: string) => ({
  post: { parameters, ...(operationId ? { operationId } : {}), requestBody: json(ref(name)), responses: taken },
});

const API = {
  openapi: '3.1.0',
  info: { title: 'Shops', version: '1' },
  paths: {
    '/shops': { get: all('Shop'), post: made('Shop') },
    '/shops/{shopId}': { parameters: at('shopId'), get: read('Shop'), delete: gone },
    '/shops/{shopId}/orders': { parameters: at('shopId'), get: all('Order'), post: made('Order') },
    '/shops/{shopId}/orders/{orderId}': {
      parameters: at('shopId', 'orderId'),
      get: read('Order'),
      patch: changed('Order'),
      delete: gone,
    },
    '/shops/{shopId}/hooks': { parameters: at('shopId'), get: all('Hook'), post: made('Hook') },
    '/shops/{shopId}/hooks/{hookId}': {
      parameters: at('shopId', 'hookId'),
      get: read('Hook'),
      patch: changed('Hook'),
      delete: gone,
    },
    '/webhook_endpoints': { get: all('WebhookEndpoint'), post: made('WebhookEndpoint') },
    '/webhook_endpoints/{id}': {
      parameters: at('id'),
      get: read('WebhookEndpoint'),
      patch: changed('WebhookEndpoint'),
      delete: gone,
    },
    '/listeners/subscriptions': {
      get: all('Subscription'),
      post: {
        ...made('Subscription'),
        callbacks: { orderDeleted: { '{$request.body#/target_url}': tells('Order') } },
      },
    },
    '/listeners/subscriptions/{id}': { parameters: at('id'), get: read('Subscription') },
    // Nothing to call: the word alone makes no address of it.
    '/plans': { get: all('Plan'), post: made('Plan') },
    '/plans/{planId}/subscriptions': {
      parameters: at('planId'),
      get: all('PlanSubscription'),
      post: made('PlanSubscription'),
    },
    '/plans/{planId}/subscriptions/{id}': { parameters: at('planId', 'id'), get: read('PlanSubscription') },
  },
  webhooks: {
    'order.created': tells('Order', signedBy('X-Shop-Signature-256')),
    'order-updated': tells('Order', [], 'orders/updated'),
    'shop.created': tells('Shop'),
  },
  components: {
    schemas: {
      Shop: { type: 'object', required: ['id', 'name'], properties: { id, name: { type: 'string' } } },
      Order: {
        type: 'object',
        required: ['id', 'item'],
        properties: { id, item: { type: 'string' }, amount: { type: 'integer' } },
      },
      Hook: {
        type: 'object',
        required: ['id', 'config'],
        properties: {
          id: { type: 'integer', readOnly: true },
          url: { type: 'string', format: 'uri', readOnly: true },
          active: { type: 'boolean', default: true },
          events: { type: 'array', items: { type: 'string' } },
          config: {
            type: 'object',
            properties: { url: { type: 'string' }, secret: { type: 'string' } },
            additionalProperties: true,
          },
        },
      },
      WebhookEndpoint: {
        type: 'object',
        required: ['id', 'url', 'secret'],
        properties: {
          id,
          url: { type: 'string', format: 'uri' },
          enabled_events: { type: 'array', items: { type: 'string' } },
          disabled: { type: 'boolean' },
          secret: { type: 'string', readOnly: true },
        },
      },
      Subscription: {
        type: 'object',
        required: ['id', 'target_url'],
        properties: { id, target_url: { type: 'string' }, note: { type: 'string' } },
      },
      Plan: { type: 'object', required: ['id', 'name'], properties: { id, name: { type: 'string' } } },
      PlanSubscription: {
        type: 'object',
        required: ['id'],
        properties: { id, invoice_url: { type: 'string', format: 'uri' }, seats: { type: 'integer' } },
      },
    },
  },
};

interface Taken {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
}
const got: Taken[] = [];
const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => {
    got.push({ path: request.url ?? '', headers: request.headers, text });
    response.writeHead(request.url === '/broken' ? 500 : 200).end();
  });
});
let receiver = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const open: TestWorld[] = [];
afterEach(async () => {
  for (const world of open.splice(0)) await world.close();
  got.length = 0;
});
const started = async (webhooks?: WorldOptions['webhooks']): Promise<TestWorld> => {
  const world = await startWorld(API, webhooks === undefined ? {} : { webhooks });
  open.push(world);
  return world;
};
const send = async (world: TestWorld, method: string, path: string, body?: object) => {
  const headers = { 'content-type': 'application/json' };
  const answer = await world.fetch(path, { method, ...(body ? { body: JSON.stringify(body), headers } : {}) });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
};
const make = async (world: TestWorld, path: string, body: object): Promise<Record<string, unknown>> => {
  const { status, body: row } = await send(world, 'POST', path, body);
  expect([path, status]).toEqual([path, 201]);
  return row;
};
const paths = (): string[] => got.map(({ path }) => path).sort();
const mac = (secret: string, text: string): string =>
  `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;

describe('an address that was registered', () => {
  it('receives what it asks for, and shows in the log', async () => {
    const world = await started();
    const shop = await make(world, '/shops', { name: 'One' });
    const everything = await make(world, '/webhook_endpoints', { url: `${receiver}/all`, enabled_events: ['*'] });
    await make(world, '/webhook_endpoints', { url: `${receiver}/created`, enabled_events: ['order.created'] });
    await make(world, '/webhook_endpoints', { url: `${receiver}/shops`, enabled_events: ['shop.*'] });
    await make(world, '/webhook_endpoints', { url: `${receiver}/orders`, enabled_events: ['orders'] });
    await make(world, '/webhook_endpoints', { url: `${receiver}/unsaid` });
    const order = await make(world, `/shops/${shop.id}/orders`, { item: 'Cup' });
    await world.webhooks.settled();
    expect(paths()).toEqual(['/all', '/created', '/orders', '/unsaid']);
    expect(world.webhooks.sent('order.created')).toHaveLength(4);
    expect(world.webhooks.sent('order.created')[0]).toMatchObject({
      kind: 'webhook',
      state: 'sent',
      url: `${receiver}/all`,
      body: { id: order.id, item: 'Cup' },
      endpoint: { table: 'webhook_endpoint', key: everything.id },
    });
    got.length = 0;
    await send(world, 'PATCH', `/shops/${shop.id}/orders/${order.id}`, { item: 'Mug' });
    await make(world, '/shops', { name: 'Two' });
    await world.webhooks.settled();
    expect(paths()).toEqual(['/all', '/all', '/orders', '/shops', '/unsaid', '/unsaid']);
    const { body } = await send(world, 'GET', '/_treadle/webhooks');
    // The first shop had nobody to be told.
    expect(body.webhooks).toHaveLength(11);
  });

  it('receives nothing once it is switched off or deleted, and moves with its row', async () => {
    const world = await started();
    const { id: off } = await make(world, '/webhook_endpoints', { url: `${receiver}/off` });
    const { id: lost } = await make(world, '/webhook_endpoints', { url: `${receiver}/lost` });
    const { id: moved } = await make(world, '/webhook_endpoints', { url: `${receiver}/before` });
    await send(world, 'PATCH', `/webhook_endpoints/${off}`, { url: `${receiver}/off`, disabled: true });
    await send(world, 'DELETE', `/webhook_endpoints/${lost}`);
    await send(world, 'PATCH', `/webhook_endpoints/${moved}`, { url: `${receiver}/after` });
    await make(world, '/shops', { name: 'One' });
    await world.webhooks.settled();
    expect(paths()).toEqual(['/after']);
  });

  it('is signed with its own secret, or the one that its registration showed', async () => {
    const world = await started({ secret: 'everybody’s' });
    const shop = await make(world, '/shops', { name: 'One' });
    const config = { url: `${receiver}/own`, secret: 'mine' };
    await make(world, `/shops/${shop.id}/hooks`, { config, events: ['order.created'], active: true });
    await make(world, `/shops/${shop.id}/hooks`, { config: { url: `${receiver}/none` } });
    const shown = await make(world, '/webhook_endpoints', { url: `${receiver}/shown` });
    await make(world, `/shops/${shop.id}/orders`, { item: 'Cup' });
    await world.webhooks.settled();
    expect(paths()).toEqual(['/none', '/own', '/shown']);
    const by = (path: string): Taken => got.find((one) => one.path === path) as Taken;
    expect(by('/own').headers['x-shop-signature-256']).toBe(mac('mine', by('/own').text));
    expect(by('/shown').headers['x-shop-signature-256']).toBe(mac(String(shown.secret), by('/shown').text));
    expect(by('/none').headers['x-shop-signature-256']).toBeUndefined();
  });

  it('hears of what is under the row that its path named, and of no other', async () => {
    const world = await started();
    const one = await make(world, '/shops', { name: 'One' });
    const two = await make(world, '/shops', { name: 'Two' });
    await make(world, `/shops/${one.id}/hooks`, { config: { url: `${receiver}/one` }, events: ['order'] });
    await make(world, `/shops/${one.id}/hooks`, { config: { url: `${receiver}/off` }, active: false });
    await make(world, `/shops/${two.id}/hooks`, { config: { url: `${receiver}/two` } });
    await make(world, `/shops/${one.id}/orders`, { item: 'Cup' });
    await world.webhooks.settled();
    expect(paths()).toEqual(['/one']);
  });

  it('is one’s own: not a seeded one, not another session’s; a fork has it too', async () => {
    const world = await started();
    expect(world.rows('webhook_endpoint').length).toBeGreaterThan(0);
    await make(world, '/shops', { name: 'One' });
    expect(world.webhooks.sent().map(({ state }) => state)).toEqual(['kept']);
    const other = await world.fork();
    await make(world, '/webhook_endpoints', { url: `${receiver}/mine` });
    const later = await world.fork();
    await make(other, '/shops', { name: 'Two' });
    await make(later, '/shops', { name: 'Three' });
    await other.webhooks.settled();
    await later.webhooks.settled();
    expect(paths()).toEqual(['/mine']);
    await world.reset();
    await make(world, '/shops', { name: 'Four' });
    await world.webhooks.settled();
    expect(world.webhooks.sent().map(({ state }) => state)).toEqual(['kept']);
  });

  it('stands beside the receiver of all', async () => {
    const world = await started({ to: `${receiver}/everything`, secret: 'ours' });
    await make(world, '/webhook_endpoints', { url: `${receiver}/mine`, enabled_events: ['order.created'] });
    const shop = await make(world, '/shops', { name: 'One' });
    await make(world, `/shops/${shop.id}/orders`, { item: 'Cup' });
    await world.webhooks.settled();
    expect(paths()).toEqual(['/everything', '/everything', '/mine']);
    const first = got.find(({ path, headers }) => path === '/everything' && headers['x-shop-signature-256']) as Taken;
    expect(first.headers['x-shop-signature-256']).toBe(mac('ours', first.text));
    const [ours, mine] = world.webhooks.sent('order.created');
    expect(mine?.body).toEqual(ours?.body);
  });

  it('is called on this machine and on hosts that were allowed, and nowhere else', async () => {
    const world = await started({ hosts: ['allowed.invalid'] });
    for (const url of [
      'http://169.254.169.254/latest',
      'http://localhost@evil.example/',
      'https://10.0.0.1/',
      'http://[fe80::1]/',
    ])
      await make(world, '/webhook_endpoints', { url });
    await make(world, '/webhook_endpoints', { url: 'ftp://127.0.0.1/' });
    await make(world, '/shops', { name: 'One' });
    await world.webhooks.settled();
    expect(world.webhooks.sent().map(({ state, attempts }) => [state, attempts])).toEqual(
      [1, 2, 3, 4].map(() => ['refused', []]),
    );
  });

  it('that does not answer holds nobody else up', async () => {
    const world = await started();
    await make(world, '/webhook_endpoints', { url: `${receiver}/broken` });
    await make(world, '/webhook_endpoints', { url: `${receiver}/fine` });
    await make(world, '/shops', { name: 'One' });
    await make(world, '/shops', { name: 'Two' });
    await world.webhooks.settled();
    expect(paths().filter((path) => path === '/fine')).toHaveLength(2);
    expect(got.findLastIndex(({ path }) => path === '/fine')).toBeLessThan(got.length - 1);
    expect(world.webhooks.sent().map(({ state }) => state)).toEqual(['failed', 'sent', 'failed', 'sent']);
  });

  it('may be the fake’s own: nothing goes round in circles', async () => {
    const world = await started();
    await make(world, '/webhook_endpoints', { url: `${world.url}/shops` });
    await make(world, '/shops', { name: 'One' });
    await world.webhooks.settled();
    expect(world.rows('shop', { name: 'One' })).toHaveLength(2);
    expect(world.webhooks.sent('shop.created')).toHaveLength(1);
  });

  it('hears of the callbacks of its registration', async () => {
    const world = await started();
    const shop = await make(world, '/shops', { name: 'One' });
    const order = await make(world, `/shops/${shop.id}/orders`, { item: 'Cup' });
    await make(world, '/listeners/subscriptions', { target_url: `${receiver}/listener` });
    await make(world, '/plans', { name: 'Large' });
    const before = world.webhooks.sent('orderDeleted').length;
    await send(world, 'DELETE', `/shops/${shop.id}/orders/${order.id}`);
    await world.webhooks.settled();
    expect(before).toBe(0);
    expect(world.webhooks.sent('orderDeleted')).toMatchObject([
      { kind: 'callback', state: 'sent', url: `${receiver}/listener`, body: { id: order.id, item: 'Cup' } },
    ]);
  });
});
