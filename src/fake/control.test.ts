/** The control requests of a fake: a caller's own session is reset, forked, compared, and moved in time; MCP sees the same state. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DESK_TEXT } from './desk.fixture.js';
import { type Fake, openFake } from './fake.js';

let fake: Fake;
beforeAll(async () => {
  fake = await openFake({ documents: [{ name: 'desk', text: DESK_TEXT }], seed: '1' });
});
afterAll(() => fake.close());

const ask = async (
  session: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> => {
  const answer = await fake.fetch(
    new Request(`http://desk.test${path}`, {
      method,
      headers: { 'x-treadle-session': session, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }),
  );
  const text = await answer.text();
  return { status: answer.status, body: text ? JSON.parse(text) : {} };
};
const create = (session: string, name: string) =>
  ask(session, 'POST', '/customers', { name, email: `${name.toLowerCase()}@mail.example` });
const changes = async (session: string): Promise<number> =>
  Object.values((await ask(session, 'GET', '/_treadle/diff')).body.changes as Record<string, unknown[]>).flat().length;

it('resets a session to the seeded rows', async () => {
  await create('r1', 'Ana');
  expect(await changes('r1')).toBe(1);
  expect((await ask('r1', 'POST', '/_treadle/reset')).body).toMatchObject({ name: 'r1', calls: 0 });
  expect(await changes('r1')).toBe(0);
});

it('forks a session by name; both go on apart', async () => {
  await create('f1', 'Ana');
  expect((await ask('f1', 'POST', '/_treadle/fork', { name: 'f2' })).status).toBe(201);
  await create('f2', 'Bo');
  expect([await changes('f1'), await changes('f2')]).toEqual([1, 2]);
  expect((await ask('f1', 'POST', '/_treadle/fork', { name: 'f2' })).status).toBe(409);
  expect((await ask('f1', 'POST', '/_treadle/fork', { name: 'no spaces' })).status).toBe(400);
});

it('lists the requests of a session, refused ones too', async () => {
  await create('c1', 'Ana');
  await ask('c1', 'POST', '/customers', { name: 1 });
  const { calls } = (await ask('c1', 'GET', '/_treadle/calls')).body;
  expect(calls).toMatchObject([
    { n: 1, operation: 'POST /customers', operationId: 'createCustomer', status: 201, body: { name: 'Ana' } },
    { n: 2, operation: 'POST /customers', status: 422 },
  ]);
});

it('moves the clock', async () => {
  const before = (await ask('t1', 'GET', '/_treadle/session')).body.clock as number;
  expect((await ask('t1', 'POST', '/_treadle/clock', { advance: 86_400 })).body).toEqual({ clock: before + 86_400 });
  const made = (await create('t1', 'Ana')).body as { created_at: string };
  expect(Date.parse(made.created_at) / 1_000).toBe(before + 86_400);
  for (const advance of [-1, 1.5, '1h', 1e18])
    expect((await ask('t1', 'POST', '/_treadle/clock', { advance })).status).toBe(400);
});

it('speaks MCP on the same state, and the ledger has both', async () => {
  const { id } = (await create('m1', 'Ana')).body as { id: string };
  const call = {
    name: fake.face.bindings.find(({ operation }) => operation === 'GET /customers/{customerId}')?.tool,
    arguments: { customerId: id },
  };
  const said = await ask('m1', 'POST', '/_treadle/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
  expect(JSON.stringify(said.body)).toContain('ana@mail.example');
  const { session } = (await ask('m1', 'GET', '/_treadle/session')).body as { session: string };
  expect(
    fake.server
      .live(session)
      .record()
      .entries.map(({ ok }) => ok),
  ).toEqual([true, true]);
});

it('ends a session; its name begins anew', async () => {
  await create('d1', 'Ana');
  expect((await ask('d1', 'DELETE', '/_treadle/session')).status).toBe(204);
  expect(await changes('d1')).toBe(0);
});

it('refuses names and requests that are none', async () => {
  expect((await ask('bad name', 'GET', '/_treadle/session')).status).toBe(400);
  expect((await ask('x1', 'GET', '/_treadle/nothing')).status).toBe(404);
  expect((await ask('x1', 'POST', '/_treadle/clock', '[1]')).status).toBe(400);
  expect((await ask('x1', 'POST', '/_treadle/mcp', '{')).status).toBe(400);
  expect((await ask('x'.repeat(200), 'GET', '/customers')).status).toBe(400);
});
