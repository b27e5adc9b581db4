/** treadle/testing as a test uses it: rows, forks, clocks, clients of a plain base URL, MCP on the same state. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWorld, type TestWorld } from './testing.js';
import { TILL } from './till.fixture.js';

let world: TestWorld;
beforeAll(async () => {
  world = await startWorld(TILL);
});
afterAll(() => world.close());

const ANA = { name: 'Ana', email: 'ana@mail.example' };

/** A client that knows nothing but a base URL, and sends a key of its own. */
const client = (url: string) => async (method: string, path: string, body?: unknown) => {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: 'Bearer sk_test', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text ? JSON.parse(text) : undefined };
};

it('gives each fork a base URL of its own; neither sees the other', async () => {
  const [one, two] = await Promise.all([world.fork(), world.fork('two')]);
  const made = await client(one.url)('POST', '/customers', ANA);
  expect(made.status).toBe(201);
  const { id } = made.body;
  expect(made.headers.get('location')).toBe(`${one.url}/customers/${id}`);
  expect((await client(one.url)('GET', `/v2/customers/${id}`)).status).toBe(200);
  expect((await client(two.url)('GET', `/customers/${id}`)).status).toBe(404);
  expect(one.rows('customer', { email: ANA.email })).toMatchObject([{ id, ...ANA, is_vip: false }]);
  expect(two.rows('customer', { email: ANA.email })).toEqual([]);
  expect([Object.keys(one.diff()), Object.keys(two.diff())]).toEqual([['document'], []]);
});

it('goes on from where it was forked', async () => {
  const parent = await world.fork();
  await parent.fetch('/customers', {
    method: 'POST',
    body: JSON.stringify(ANA),
    headers: { 'content-type': 'application/json' },
  });
  const child = await parent.fork();
  expect(child.name).toBe(`${parent.name}.1`);
  expect(child.rows('customer', ANA)).toHaveLength(1);
  expect(child.calls()).toEqual([]);
  await child.reset();
  expect(child.rows('customer', ANA)).toEqual([]);
  expect(parent.rows('customer', ANA)).toHaveLength(1);
  await expect(parent.fork(child.name)).rejects.toMatchObject({ code: 'session_exists' });
  await child.close();
  expect(() => child.rows('customer')).toThrow(expect.objectContaining({ code: 'session_closed' }) as Error);
});

it('is reached by header too, and by a URL that names it', async () => {
  const one = await world.fork();
  const { origin } = new URL(one.url);
  const plain = await fetch(`${origin}/customers`, { headers: one.headers });
  expect(plain.status).toBe(200);
  const keys = [`Bearer ${one.key}`, one.key, `Basic ${Buffer.from(`${one.key}:x`).toString('base64')}`];
  for (const authorization of keys) await fetch(`${origin}/customers`, { headers: { authorization } });
  for (const authorization of [`Bearer x${one.key}`, 'Basic !', 'treadle_session_'])
    await fetch(`${origin}/customers`, { headers: { authorization } });
  expect(one.calls()).toHaveLength(4);
  await one.fetch(`${one.url}/customers`);
  await one.fetch(new Request(`${one.url}/v2/customers`));
  expect(
    one
      .calls()
      .slice(3)
      .map(({ method, path }) => `${method} ${path}`),
  ).toEqual(['GET /customers', 'GET /customers', 'GET /v2/customers']);
});

it('moves the clock; what is created then says so', async () => {
  const one = await world.fork();
  const before = one.clock.now().getTime();
  const then = await one.clock.advance('1h30m');
  expect(then.getTime() - before).toBe(5_400_000);
  await one.clock.advance(60);
  const { body } = await client(one.url)('POST', '/customers', ANA);
  expect(Date.parse(body.created_at) - before).toBe(5_460_000);
  for (const by of [-1, '', 'tomorrow', '999999w', Number.NaN])
    await expect(one.clock.advance(by)).rejects.toMatchObject({ code: 'bad_duration' });
});

it('shows agents the same state over MCP', async () => {
  const one = await world.fork();
  const { body } = await client(one.url)('POST', '/customers', ANA);
  const agent = new Client({ name: 'test', version: '1' });
  await agent.connect(
    new StreamableHTTPClientTransport(new URL(one.mcp.url), { requestInit: { headers: one.mcp.headers } }),
  );
  const { tools } = await agent.listTools();
  const get = tools.find(({ name }) => /^get_?customer$/i.test(name));
  const said = await agent.callTool({ name: get?.name ?? '', arguments: { id: body.id } });
  expect(JSON.stringify(said)).toContain(ANA.email);
  await agent.close();
  expect(one.ledger().map(({ ok }) => ok)).toEqual([true, true]);
});

it('answers queries, and refuses writing and mistakes', async () => {
  const one = await world.fork();
  expect(one.sql('select count(*) as n from customer')).toEqual([{ n: one.rows('customers').length }]);
  for (const query of ['delete from customer', 'select * from nothing', 'drop table customer', 'select', ''])
    expect(() => one.sql(query)).toThrow(expect.objectContaining({ code: 'bad_sql' }) as Error);
  expect(() => one.rows('costumer')).toThrow(expect.objectContaining({ code: 'unknown_table' }) as Error);
  expect(() => one.rows('customer', { emial: '' })).toThrow(
    expect.objectContaining({ code: 'unknown_field' }) as Error,
  );
  expect(one.rows('customer', { address: { city: 'Nowhere at all' } })).toEqual([]);
});

it('takes rows of the test’s own, and corrections only from a file that is there', async () => {
  const own = await startWorld(JSON.stringify(TILL), { data: { customer: [{ id: 'cus_1', ...ANA }] } });
  try {
    expect(own.rows('customer', { id: 'cus_1' })).toMatchObject([ANA]);
  } finally {
    await own.close();
  }
  await expect(startWorld(TILL, { data: { customer: [{ id: 'c', nonsense: 1 }] } })).rejects.toMatchObject({
    code: 'data_does_not_fit',
  });
  await expect(startWorld(TILL, { overrides: '/no/such.yaml' })).rejects.toMatchObject({ code: 'missing_file' });
});

it('says what is wrong with what it was given', async () => {
  const cases: [unknown, string][] = [
    [undefined, 'no_document'],
    [null, 'no_document'],
    [[], 'no_document'],
    ['/no/such/api.yaml', 'no_file'],
    [{ openapi: '9' }, 'not_openapi'],
    ['{"openapi": "3.0.0"', 'truncated'],
  ];
  for (const [given, code] of cases) await expect(startWorld(given as string)).rejects.toMatchObject({ code });
});

it('closes once, however often it is told to', async () => {
  const other = await startWorld(TILL);
  const fork = await other.fork();
  await Promise.all([other.close(), other.close()]);
  await fork.close();
  await expect(fetch(`${other.url}/customers`)).rejects.toThrow();
});
