/** Webhooks and callbacks of a document: which arise, what they hold, where they go, and what the log says of it. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startWorld, type TestWorld, type WorldOptions } from './testing.js';
import { TILL } from './till.fixture.js';

interface Taken {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
}

/** A receiver of webhooks; answers with the statuses of `says` in turn, then with 200. */
const taken: Taken[] = [];
let says: number[] = [];
const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => {
    taken.push({ path: request.url ?? '', headers: request.headers, text });
    response.writeHead(says.shift() ?? 200, { location: 'http://127.0.0.1:1/' }).end();
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
  taken.length = 0;
  says = [];
});
const started = async (webhooks?: WorldOptions['webhooks']): Promise<TestWorld> => {
  const world = await startWorld(TILL, webhooks === undefined ? {} : { webhooks });
  open.push(world);
  return world;
};
const send = async (world: TestWorld, method: string, path: string, body?: object) => {
  const answer = await world.fetch(path, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  });
  return {
    status: answer.status,
    body: answer.status === 204 ? {} : ((await answer.json()) as Record<string, string>),
  };
};
const ANA = { name: 'Ana', email: 'ana@mail.example' };

it('tells of what was created, changed and deleted, in the document’s own schema', async () => {
  const world = await started();
  const { body: ana } = await send(world, 'POST', '/customers', ANA);
  const { body: bo } = await send(world, 'PATCH', `/customers/${ana.id}`, { name: 'Bo' });
  await send(world, 'DELETE', `/customers/${ana.id}`);
  await send(world, 'GET', '/customers');
  expect(world.webhooks.sent()).toMatchObject([
    { event: 'customer.created', state: 'kept', body: { type: 'customer.created', data: { object: ana } } },
    { event: 'customer.updated', body: { type: 'customer.updated', data: bo } },
    { event: 'customer.deleted', body: { data: { id: ana.id, name: 'Bo', email: ANA.email } } },
  ]);
  const [first] = world.webhooks.sent('customer.created');
  expect(first?.body).toMatchObject({ created: first?.at, id: expect.any(String) });
  expect(first).not.toMatchObject({ body: { id: ana.id } });
});

it('tells of a status that was reached, and of nothing that was refused', async () => {
  const world = await started();
  const [customer] = world.rows('customer');
  const { body: invoice } = await send(world, 'POST', '/invoices', { customer_id: customer?.id, amount: 5 });
  expect(world.webhooks.sent()).toEqual([]);
  const { body: paid } = await send(world, 'POST', `/invoices/${invoice.id}/pay`);
  expect((await send(world, 'POST', `/invoices/${invoice.id}/pay`)).status).toBe(409);
  await send(world, 'POST', '/customers', { name: '' });
  expect(world.webhooks.sent()).toMatchObject([{ event: 'invoice_paid', body: paid }]);
});

it('is sent in order and signed, without holding the answer up', async () => {
  const world = await started({ to: `${receiver}/hooks`, secret: 'whsec_c2VjcmV0' });
  const [customer] = world.rows('customer');
  await send(world, 'POST', '/customers', ANA);
  const { body: invoice } = await send(world, 'POST', '/invoices', { customer_id: customer?.id, amount: 5 });
  await send(world, 'POST', `/invoices/${invoice.id}/pay`);
  await world.webhooks.settled();
  expect(world.webhooks.sent().map(({ state }) => state)).toEqual(['sent', 'sent']);
  const [created, paid] = taken as [Taken, Taken];
  const [, at = '', v1] = /^t=(\d+),v1=(\w+)$/.exec(String(created.headers['stripe-signature'])) ?? [];
  expect(v1).toBe(createHmac('sha256', 'whsec_c2VjcmV0').update(`${at}.${created.text}`).digest('hex'));
  const { 'webhook-id': id, 'webhook-timestamp': moment, 'webhook-signature': signature } = paid.headers;
  const mac = createHmac('sha256', Buffer.from('secret')).update(`${id}.${moment}.${paid.text}`);
  expect(signature).toBe(`v1,${mac.digest('base64')}`);
  expect(JSON.parse(paid.text)).toMatchObject({ id: invoice.id, status: 'paid' });
});

it('is tried again with a pause, a redirect is no success, and given up in the end', async () => {
  const world = await started(receiver);
  says = [500, 302, 200, 500, 500, 500];
  await send(world, 'POST', '/customers', ANA);
  await send(world, 'POST', '/customers', ANA);
  await world.webhooks.settled();
  expect(world.webhooks.sent()).toMatchObject([
    { state: 'sent', attempts: [{ status: 500 }, { status: 302 }, { status: 200 }] },
    { state: 'failed', attempts: [{ status: 500 }, { status: 500 }, { status: 500 }] },
  ]);
});

it('may be received by a function, whose failure is in the log', async () => {
  const got: string[] = [];
  const world = await started(({ event }) => {
    got.push(event);
    if (got.length > 1) throw new Error('no more');
  });
  await send(world, 'POST', '/customers', ANA);
  await send(world, 'POST', '/customers', ANA);
  await world.webhooks.settled();
  expect(got).toEqual(['customer.created', 'customer.created']);
  expect(world.webhooks.sent()).toMatchObject([
    { state: 'sent' },
    { state: 'failed', attempts: [{ error: 'no more' }] },
  ]);
});

it('calls back when what the callback names happens to the row, in forks too', async () => {
  const world = await started();
  const [customer] = world.rows('customer');
  const { body: invoice } = await send(world, 'POST', '/invoices', {
    customer_id: customer?.id,
    amount: 5,
    notify_url: `${receiver}/paid?x=1`,
  });
  const fork = await world.fork();
  await send(fork, 'POST', `/invoices/${invoice.id}/pay`);
  await fork.webhooks.settled();
  expect(taken).toMatchObject([{ path: '/paid?x=1' }]);
  expect(fork.webhooks.sent('invoicePaid')).toMatchObject([
    { kind: 'callback', state: 'sent', body: { id: invoice.id } },
  ]);
  expect(world.webhooks.sent()).toEqual([]);
});

it('logs callbacks to hosts that nobody allowed, and does not call them', async () => {
  const world = await started();
  const [customer] = world.rows('customer');
  for (const notify_url of ['http://169.254.169.254/latest', 'http://localhost@evil.example/', 'file:///etc/passwd']) {
    const { body: invoice } = await send(world, 'POST', '/invoices', {
      customer_id: customer?.id,
      amount: 5,
      notify_url,
    });
    await send(world, 'POST', `/invoices/${invoice.id}/pay`);
  }
  await world.webhooks.settled();
  expect(world.webhooks.sent('invoicePaid').map(({ state, attempts }) => [state, attempts])).toEqual(
    [1, 2, 3].map(() => ['refused', []]),
  );
});

it('arises no second time for a request that is repeated under its idempotency key', async () => {
  const world = await started();
  for (let n = 0; n < 2; n++)
    await world.fetch('/customers', {
      method: 'POST',
      body: JSON.stringify(ANA),
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k1' },
    });
  expect(world.rows('customer', ANA)).toHaveLength(1);
  expect(world.webhooks.sent()).toHaveLength(1);
});

it('arises from what agents do, too', async () => {
  const world = await started();
  const { body } = await send(world, 'POST', '/customers', ANA);
  const remove = 'deleteCustomer';
  const params = { name: remove, arguments: { id: body.id } };
  await world.fetch('/_treadle/mcp', {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    headers: { 'content-type': 'application/json' },
  });
  expect(world.webhooks.sent('customer.deleted')).toMatchObject([{ body: { data: { id: body.id, name: 'Ana' } } }]);
});
