/** Faults by rule, over the network and in process: which requests they strike, what they look like, and what the log says. */
import { afterEach, expect, it } from 'vitest';
import { startWorld, type TestWorld, type WorldOptions } from './testing.js';
import { TILL } from './till.fixture.js';

const open: TestWorld[] = [];
afterEach(async () => {
  for (const world of open.splice(0)) await world.close();
});
const started = async (faults: readonly string[], options: WorldOptions = {}): Promise<TestWorld> => {
  const world = await startWorld(TILL, { faults, ...options });
  open.push(world);
  return world;
};
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
};
const statuses = async (world: TestWorld, times: number, path = '/customers'): Promise<number[]> => {
  const out: number[] = [];
  for (let n = 0; n < times; n++) out.push((await world.fetch(path)).status);
  return out;
};

it('answers in the document’s own error form, with when to come again', async () => {
  const world = await started(['GET /customers=429', 'payInvoice=503']);
  const answer = await fetch(`${world.url}/customers`);
  expect(answer.status).toBe(429);
  expect(answer.headers.get('retry-after')).toBe('1');
  const paid = await fetch(`${world.url}/invoices/x/pay`, { method: 'POST' });
  expect([paid.status, await paid.json()]).toEqual([
    503,
    { error: { code: expect.any(String), message: expect.any(String) } },
  ]);
  expect(world.calls()).toMatchObject([
    { operation: 'GET /customers', status: 429, fault: 'GET /customers=429' },
    { operation: 'POST /invoices/{id}/pay', status: 503, fault: 'payInvoice=503' },
  ]);
  await world.fetch('/customers?unknown=1');
  await world.fetch('/invoices/7/pay', { method: 'POST' });
  expect(world.calls().at(-1)).toMatchObject({ params: { id: '7' }, fault: 'payInvoice=503' });
  expect(world.ledger()).toEqual([]);
});

it('strikes so often and then no more; a fork goes on counting, a reset begins anew', async () => {
  const world = await started(['GET /customers=503x2']);
  expect(await statuses(world, 1)).toEqual([503]);
  const fork = await world.fork();
  expect(await statuses(fork, 3)).toEqual([503, 200, 200]);
  expect(await statuses(world, 3)).toEqual([503, 200, 200]);
  await world.reset();
  expect(await statuses(world, 3)).toEqual([503, 503, 200]);
});

it('draws the same for the same seed and the same requests', async () => {
  const rule = ['GET /customers=500@40%'];
  const [one, same, other] = [await started(rule), await started(rule), await started(rule, { seed: 2 })];
  const drawn = await statuses(one, 24);
  expect(await statuses(same, 24)).toEqual(drawn);
  expect(await statuses(other, 24)).not.toEqual(drawn);
  expect(new Set(drawn)).toEqual(new Set([200, 500]));
  // Requests that no rule means do not move the draws.
  const fork = await (await started(rule)).fork();
  await fork.fetch('/invoices');
  expect(await statuses(fork, 24)).toEqual(drawn);
});

it('holds a request that times out until its client gives up', async () => {
  const world = await started(['GET /customers=timeout']);
  for (const [n, ask] of [fetch, world.fetch.bind(world)].entries()) {
    const client = new AbortController();
    const asked = ask(`${world.url}/customers`, { signal: client.signal });
    const failed = expect(asked).rejects.toMatchObject({ name: 'AbortError' });
    await until(() => world.calls().length > n);
    client.abort();
    await failed;
  }
  expect(world.calls()).toMatchObject([{ status: 0 }, { status: 0 }]);
});

it('cuts a request that times out at its limit, and one that is reset at once', async () => {
  const world = await started(['GET /customers=timeout:20ms', 'GET /invoices=reset']);
  for (const path of ['/customers', '/invoices'])
    for (const ask of [fetch, world.fetch.bind(world)])
      await expect(ask(world.url + path)).rejects.toBeInstanceOf(TypeError);
});

it('cuts what it holds when it is closed', async () => {
  const world = await started(['GET /customers=timeout']);
  const held = fetch(`${world.url}/customers`);
  const failed = expect(held).rejects.toBeInstanceOf(TypeError);
  await until(() => world.calls().length > 0);
  await world.close();
  await failed;
});

it('lets the operation run after its latency, with an error on top where another rule says so', async () => {
  const world = await started(['*=latency:20ms-30ms', 'GET /invoices=500']);
  expect(await statuses(world, 1)).toEqual([200]);
  expect(await statuses(world, 1, '/invoices')).toEqual([500]);
  expect(world.calls().map(({ fault }) => fault)).toEqual([
    '*=latency:20ms-30ms',
    '*=latency:20ms-30ms, GET /invoices=500',
  ]);
});

it('strikes one row where the rule names it', async () => {
  const world = await started(['GET /customers/cus_1=500'], {
    data: { customer: [{ id: 'cus_1', name: 'A', email: 'a@b.example' }] },
  });
  const [other] = world.rows('customer').filter(({ id }) => id !== 'cus_1');
  expect(await statuses(world, 1, '/customers/cus_1')).toEqual([500]);
  expect(await statuses(world, 1, `/customers/${other?.id}`)).toEqual([200]);
});

it('refuses rules that mean nothing before anything is served', async () => {
  await expect(startWorld(TILL, { faults: ['GET /custmers=500'] })).rejects.toMatchObject({
    code: 'unknown_operation',
    next: expect.stringContaining('GET /customers'),
  });
  await expect(startWorld(TILL, { faults: ['GET /customers=fast'] })).rejects.toMatchObject({ code: 'bad_fault_rule' });
});
