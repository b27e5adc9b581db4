/** OpenEnv's wire, by a client written from serving.md. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { GymListening } from '../../src/serve/gym/listen.js';
import { serveOpenEnv } from '../../src/serve/gym/openenv/serve.js';
import { ASK, type GymFixture, gymFixture, ZED } from './trainer.fixture.js';
import { type GymSocket, openSocket, request } from './wire.fixture.js';

let gym: GymFixture;
let door: GymListening;
beforeAll(async () => {
  gym = await gymFixture();
});
beforeEach(async () => {
  gym.seen.length = 0;
  gym.opened.length = 0;
  door = await serveOpenEnv({ trainer: gym.trainer, defaults: { tasks: [ASK, ZED] } });
});
afterEach(() => door.close());
afterAll(() => gym.close());

const call = (tool_name: string, args: object): object => ({
  type: 'step',
  data: { type: 'call_tool', tool_name, arguments: args },
});
const finish = (answer: unknown): object => ({ type: 'step', data: { type: 'finish', answer } });
const add = call('create_customer', { name: 'Zed Brandt', email: 'zed@mail.example' });
const ws = (path = '/ws'): Promise<GymSocket> => openSocket(`${door.url}${path}`);

const rpc = async (method: string, params: object = {}): Promise<Record<string, unknown>> => {
  const { status, body } = await request(`${door.url}/mcp`, 'POST', { jsonrpc: '2.0', id: 7, method, params });
  expect([status, body.jsonrpc, body.id]).toEqual([200, '2.0', 7]);
  return body;
};

it('tells what it is without a session', async () => {
  expect((await request(`${door.url}/health`, 'GET')).body).toEqual({ status: 'healthy' });
  expect((await request(`${door.url}/metadata`, 'GET')).body).toMatchObject({ name: 'treadle' });
  expect(Object.keys((await request(`${door.url}/schema`, 'GET')).body)).toEqual(['action', 'observation', 'state']);
  expect((await request(`${door.url}/state`, 'GET')).body).toEqual({ episode_id: null, step_count: 0 });
  expect((await request(`${door.url}/nothing`, 'GET')).status).toBe(404);
  expect((await request(`${door.url}/reset`, 'DELETE')).status).toBe(405);
  expect(gym.seen).toEqual([]);
});

it('plays an episode: reset, list, call, finish; the reward comes with the end alone', async () => {
  const socket = await ws();
  const reset = await socket.ask({
    type: 'reset',
    data: { task: ZED, episode_id: 'e-1', seed: 3, unknown_field: [1] },
  });
  expect(reset).toMatchObject({ type: 'observation', data: { reward: null, done: false } });
  expect(reset.data.observation).toMatchObject({ brief: expect.stringMatching(/Zed Brandt/), task: `${ZED}@1` });
  expect(reset.data.metadata).toMatchObject({ brief: expect.stringMatching(/Zed Brandt/), episode_id: 'e-1' });
  expect((reset.data.observation as { metadata: object }).metadata).toEqual(reset.data.metadata);
  const list = await socket.ask({ type: 'step', data: { type: 'list_tools' } });
  const { tools } = list.data.observation as { tools: { name: string; input_schema: { type: string } }[] };
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['create_customer', 'finish']));
  expect(tools.every((tool) => tool.input_schema.type === 'object')).toBe(true);
  expect(list.data).toMatchObject({ reward: null, done: false });
  const added = await socket.ask(add);
  expect(added.data).toMatchObject({
    reward: null,
    done: false,
    observation: { tool_name: 'create_customer', error: null },
  });
  expect(added.data.observation).toMatchObject({ result: { name: 'Zed Brandt' } });
  expect((await socket.ask({ type: 'state' })).data).toMatchObject({ episode_id: 'e-1', step_count: 1, done: false });
  const end = await socket.ask(finish('It is 4.'));
  expect(end.data).toMatchObject({
    reward: 1,
    done: true,
    metadata: { milestones: 1, reached: { added: true, told: true } },
  });
  expect(JSON.stringify(end)).not.toMatch(/evidence|check/);
  expect((await socket.ask({ type: 'state' })).data).toMatchObject({ step_count: 2, done: true });
  socket.send({ type: 'close' });
  expect(await socket.closed).toBe(1000);
  expect((await gym.trainer.session(gym.opened[0]!)).status).toBe('closed');
});

it('half of the milestones is no reward, and is told', async () => {
  const socket = await ws();
  await socket.ask({ type: 'reset', data: { task: ZED } });
  expect((await socket.ask(finish(4))).data).toMatchObject({ reward: 0, done: true, metadata: { milestones: 0.5 } });
  socket.raw.close();
});

it('says when the verifier itself broke', async () => {
  const socket = await ws();
  await socket.ask({ type: 'reset', data: { task: 'fixture/broken' } });
  expect((await socket.ask(finish(''))).data).toMatchObject({ reward: 0, metadata: { invalid: expect.any(String) } });
  socket.raw.close();
});

it('lists tools before a reset, from the default', async () => {
  const socket = await ws();
  const { data } = await socket.ask({ type: 'step', data: { type: 'list_tools' } });
  expect((data.observation as { tools: unknown[] }).tools.length).toBeGreaterThan(5);
  expect((await socket.ask({ type: 'state' })).data).toMatchObject({ task: `${ASK}@1`, step_count: 0 });
  socket.raw.close();
});

it('the seed picks among the defaults', async () => {
  const socket = await ws();
  for (const [seed, task] of [
    [0, ASK],
    [1, ZED],
    [2, ASK],
    [undefined, ASK],
  ] as const)
    expect((await socket.ask({ type: 'reset', data: { seed } })).data.observation).toMatchObject({ task: `${task}@1` });
  socket.raw.close();
});

it('takes actions as JSON text, wrapped, and by a tool named finish', async () => {
  const socket = await ws();
  await socket.ask({ type: 'reset', data: { task: ZED } });
  const text = JSON.stringify({ type: 'call_tool', tool_name: 'search_customers', arguments: {} });
  for (const data of [text, { action: text }, { action: JSON.parse(text) }, { tool_name: 'search_customers' }])
    expect((await socket.ask({ type: 'step', data })).data).toMatchObject({ observation: { error: null } });
  expect((await socket.ask(call('finish', { answer: '4' }))).data).toMatchObject({ reward: 0, done: true });
  socket.raw.close();
});

it('an agent’s mistakes are observations, and cost nothing but a step', async () => {
  const socket = await ws();
  await socket.ask({ type: 'reset', data: { task: ZED } });
  const unknown = await socket.ask(call('no_such_tool', {}));
  expect(unknown.data.observation).toMatchObject({ error: { error_type: 'tool_not_found' } });
  const unfit = await socket.ask(call('create_customer', { name: 7 }));
  expect(unfit.data.observation).toMatchObject({ error: { error_type: 'invalid_args', message: expect.any(String) } });
  expect((unfit.data.observation as { result: object }).result).toHaveProperty('error');
  const list = await socket.ask({
    type: 'step',
    data: { type: 'call_tool', tool_name: 'create_customer', arguments: [1] },
  });
  expect(list.data.observation).toMatchObject({ error: { error_type: 'invalid_args' } });
  expect(unfit.data).toMatchObject({ reward: null, done: false });
  socket.raw.close();
});

it('a step after the end is an error, and a reset begins anew with a ledger of its own', async () => {
  const socket = await ws();
  await socket.ask({ type: 'reset', data: { task: ZED } });
  await socket.ask(add);
  await socket.ask(finish('4'));
  for (const step of [add, finish('5')])
    expect(await socket.ask(step)).toMatchObject({
      type: 'error',
      data: { code: 'EXECUTION_ERROR', reason: 'episode_done' },
    });
  await socket.ask({ type: 'reset', data: { task: ZED } });
  expect((await socket.ask(finish('4'))).data).toMatchObject({ reward: 0 });
  expect(gym.opened).toHaveLength(2);
  const ledgers = await Promise.all(gym.opened.map((id) => gym.trainer.ledger(id)));
  expect(ledgers.map(({ entries }) => entries.map(({ tool }) => tool))).toEqual([['create_customer'], []]);
  socket.raw.close();
});

it('labels of a reset reach the session', async () => {
  const socket = await ws();
  await socket.ask({ type: 'reset', data: { task: ZED, labels: { run: 'r1', step: 3 } } });
  expect((await gym.trainer.session(gym.opened[0]!)).labels).toEqual({ run: 'r1', step: 3 });
  socket.raw.close();
});

it('without a default a step before the reset is told so, and a world needs no task', async () => {
  const bare = await serveOpenEnv({ trainer: gym.trainer });
  const socket = await openSocket(`${bare.url}/ws`);
  for (const step of [add, finish('4'), { type: 'step', data: { type: 'list_tools' } }, { type: 'reset', data: {} }])
    expect(await socket.ask(step)).toMatchObject({
      type: 'error',
      data: { code: 'EXECUTION_ERROR', reason: 'not_reset' },
    });
  expect((await socket.ask({ type: 'state' })).data).toMatchObject({ step_count: 0, done: false });
  expect((await socket.ask({ type: 'reset', data: { world: 'fixture' } })).type).toBe('observation');
  expect((await socket.ask(add)).data).toMatchObject({ observation: { error: null } });
  expect(await socket.ask(finish('4'))).toMatchObject({ type: 'error', data: { reason: 'no_task' } });
  expect((await socket.ask(add)).type).toBe('observation');
  socket.raw.close();
  await bare.close();
});

it('pseudo-MCP: create over HTTP, act there and on /ws?session_id=, in one session', async () => {
  const { session_id } = (await rpc('openenv/session/create', { task: ZED })).result as { session_id: string };
  const { tools } = (await rpc('tools/list', { session_id })).result as {
    tools: { name: string; inputSchema: object }[];
  };
  expect(tools.find(({ name }) => name === 'create_customer')?.inputSchema).toMatchObject({ type: 'object' });
  const made = await rpc('tools/call', {
    session_id,
    name: 'create_customer',
    arguments: { name: 'Zed Brandt', email: 'zed@mail.example' },
  });
  expect(made.result).toMatchObject({
    isError: false,
    data: { name: 'Zed Brandt' },
    structuredContent: { name: 'Zed Brandt' },
  });
  expect((await request(`${door.url}/state?session_id=${session_id}`, 'GET')).body).toMatchObject({ step_count: 1 });
  const socket = await ws(`/ws?session_id=${session_id}`);
  expect((await socket.ask({ type: 'state' })).data).toMatchObject({ step_count: 1 });
  expect((await socket.ask(finish('4'))).data).toMatchObject({ reward: 1 });
  socket.send({ type: 'close' });
  await socket.closed;
  expect((await request(`${door.url}/state?session_id=${session_id}`, 'GET')).body).toMatchObject({ done: true });
  expect((await rpc('openenv/session/close', { session_id })).result).toEqual({ session_id, closed: true });
  expect((await rpc('openenv/session/close', { session_id })).error).toMatchObject({ code: -32602 });
  expect((await request(`${door.url}/state?session_id=${session_id}`, 'GET')).status).toBe(404);
  expect(gym.opened).toHaveLength(1);
});

it('pseudo-MCP: every refusal is a JSON-RPC error', async () => {
  const code = async (method: string, params?: object): Promise<unknown> =>
    ((await rpc(method, params)).error as { code: number } | undefined)?.code;
  expect(await code('initialize')).toBe(-32601);
  expect(await code('tools/call', { name: 'search_customers' })).toBe(-32602);
  expect(await code('tools/call', { session_id: 'nobody', name: 'search_customers' })).toBe(-32602);
  expect(await code('tools/call', { session_id: 7, name: 'x' })).toBe(-32602);
  expect(await code('openenv/session/close', {})).toBe(-32602);
  expect(await code('openenv/session/create', { task: 'fixture/none' })).toBe(-32602);
  expect(await code('openenv/session/create', { seed: -1 })).toBe(-32602);
  const raw = async (body: unknown): Promise<unknown> => (await request(`${door.url}/mcp`, 'POST', body)).body.error;
  expect(await raw([])).toMatchObject({ code: -32600 });
  expect(await raw({ jsonrpc: '1.0', method: 'tools/list', id: 1 })).toMatchObject({ code: -32600 });
  expect(await raw({ jsonrpc: '2.0', method: 'tools/list', id: {} })).toMatchObject({ code: -32600 });
  expect(await raw({ jsonrpc: '2.0', method: 'tools/list', params: [], id: 1 })).toMatchObject({ code: -32602 });
  expect((await rpc('tools/list')).result).toHaveProperty('tools');
  expect(gym.server.size).toBe(0);
});

it('WebSocket /mcp has a session of its own, which goes with it', async () => {
  const socket = await ws('/mcp');
  const ask = async (method: string, params: object = {}): Promise<Record<string, unknown>> =>
    (await socket.ask({ jsonrpc: '2.0', id: 1, method, params })) as unknown as Record<string, unknown>;
  const { session_id } = (await ask('openenv/session/create')).result as { session_id: string };
  expect((await ask('tools/call', { name: 'search_customers' })).result).toMatchObject({ isError: false });
  expect((await ask('openenv/session/close', { session_id })).error).toMatchObject({ code: -32600 });
  socket.send('{');
  expect(await socket.next()).toMatchObject({ error: { code: -32700 } });
  socket.raw.close();
  await socket.closed;
  await expect.poll(() => gym.server.size).toBe(0);
});

it('the mcp message of /ws reaches the socket’s own session', async () => {
  const socket = await ws();
  await socket.ask({ type: 'reset', data: { task: ZED } });
  const params = { name: 'create_customer', arguments: { name: 'Zed Brandt', email: 'zed@mail.example' } };
  const answer = await socket.ask({ type: 'mcp', data: { jsonrpc: '2.0', id: 'a', method: 'tools/call', params } });
  expect(answer).toMatchObject({ type: 'mcp', data: { id: 'a', result: { isError: false } } });
  expect((await socket.ask(finish('4'))).data.reward).toBe(1);
  socket.raw.close();
});

it('plain HTTP: reset and step by session_id or by cookie, and a retried request runs once', async () => {
  const reset = await request(`${door.url}/reset`, 'POST', { task: ZED });
  const { session_id } = reset.body.metadata as { session_id: string };
  const cookie = (reset.headers.get('set-cookie') ?? '').split(';')[0]!;
  const action = {
    type: 'call_tool',
    tool_name: 'create_customer',
    arguments: { name: 'Zed Brandt', email: 'zed@mail.example' },
  };
  const body = { session_id, action, request_id: 'call-1', timeout_s: 3 };
  const [first, again] = [
    await request(`${door.url}/step`, 'POST', body),
    await request(`${door.url}/step`, 'POST', body),
  ];
  expect(again.body).toEqual(first.body);
  expect((await gym.trainer.ledger(gym.opened[0]!)).entries).toHaveLength(1);
  const end = { action: { type: 'finish', answer: '4' }, request_id: 'end' };
  for (let n = 0; n < 2; n++)
    expect((await request(`${door.url}/step`, 'POST', end, { cookie })).body).toMatchObject({ reward: 1, done: true });
  expect((await request(`${door.url}/step`, 'POST', { session_id, action })).status).toBe(409);
  expect((await request(`${door.url}/reset`, 'POST', { session_id: 'nobody' })).status).toBe(404);
  const stale = await request(`${door.url}/reset`, 'POST', {}, { cookie: 'openenv_session=long-gone' });
  expect([stale.status, gym.opened.length]).toEqual([200, 2]);
  expect((await request(`${door.url}/step`, 'POST', { action }, { cookie: 'openenv_session=long-gone' })).status).toBe(
    404,
  );
  expect((await request(`${door.url}/reset`, 'POST', { task: 'fixture/none' })).status).toBe(404);
  expect((await request(`${door.url}/step`, 'POST', { action: 'dance' })).status).toBe(422);
  expect((await request(`${door.url}/step`, 'POST', '[]')).status).toBe(422);
});
