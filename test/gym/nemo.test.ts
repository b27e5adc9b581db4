/** NeMo Gym's wire, by an agent server written from serving.md: cookies of the last answer alone, raw bodies as tool output. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GymListening } from '../../src/serve/gym/listen.js';
import { gymRow } from '../../src/serve/gym/nemo/rows.js';
import { serveNemoGym } from '../../src/serve/gym/nemo/serve.js';
import { type GymFixture, gymFixture, ZED } from './trainer.fixture.js';
import { type Answer, deepJson, request } from './wire.fixture.js';

let gym: GymFixture;
let door: GymListening;
beforeAll(async () => {
  gym = await gymFixture();
});
beforeEach(async () => {
  gym.seen.length = 0;
  gym.opened.length = 0;
  door = await serveNemoGym({ trainer: gym.trainer });
});
afterEach(async () => {
  await door.close();
  expect(gym.server.size).toBe(0);
});
afterAll(() => gym.close());

const rowFor = (task: string): Record<string, unknown> => ({
  responses_create_params: { input: [{ role: 'user', content: 'Do it.' }], tools: [] },
  verifier_metadata: { task, colour: 'any' },
  agent_ref: { type: 'responses_api_agents', name: 'treadle_simple_agent' },
  _ng_task_index: 3,
});
const ROW = rowFor(ZED);
const said = (text: string): object => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const responseOf = (...output: unknown[]): object => ({
  id: 'r',
  object: 'response',
  output,
  usage: { total_tokens: 9 },
});
const add = { name: 'Zed Brandt', email: 'zed@mail.example' };

const cookieOf = ({ headers }: Answer): string => {
  const cookie = headers.get('set-cookie')?.split(';')[0];
  if (cookie === undefined) throw new Error('no cookie was set');
  return cookie;
};

/** Keeps the cookie of the last answer, as Gym's agents do. */
const agentServer = (url: string) => {
  let cookie: string | undefined;
  return {
    get cookie() {
      return cookie;
    },
    post: async (path: string, body: unknown): Promise<Answer> => {
      const answer = await request(`${url}${path}`, 'POST', body, cookie === undefined ? {} : { cookie });
      cookie = cookieOf(answer);
      return answer;
    },
  };
};
const seeded = async (row: unknown = ROW): Promise<ReturnType<typeof agentServer>> => {
  const agent = agentServer(door.url);
  expect((await agent.post('/seed_session', row)).status).toBe(200);
  return agent;
};

it('plays a rollout: seed, tools, verify', async () => {
  const agent = agentServer(door.url);
  const seed = await agent.post('/seed_session', ROW);
  expect(seed.body.mcp).toEqual({
    server_name: 'treadle',
    url_path: '/mcp',
    transport: 'http',
    headers: { 'X-NeMo-Gym-Session-Token': expect.stringMatching(/^\S{22,}$/) },
  });
  expect(seed.headers.get('set-cookie')).toMatch(/HttpOnly/);
  const made = await agent.post('/create_customer', add);
  expect([made.status, made.body]).toMatchObject([200, { name: 'Zed Brandt' }]);
  const wrong = await agent.post('/create_customer', { name: 7 });
  expect([wrong.status, wrong.body]).toMatchObject([200, { error: { code: 'missing_argument' } }]);
  const none = await agent.post('/no_such_tool', {});
  expect([none.status, none.body]).toMatchObject([200, { error: { code: 'unknown_tool' } }]);
  expect((await agent.post('/search_customers', [1])).status).toBe(200);
  const response = responseOf({ type: 'function_call' }, { type: 'function_call_output' }, said('It is 4.'));
  const verdict = await agent.post('/verify', { ...ROW, response });
  expect(verdict.status).toBe(200);
  expect(verdict.body).toMatchObject({ ...ROW, response, reward: 1, milestones: 1, mask_sample: false });
  expect(JSON.stringify(verdict.body)).not.toMatch(/evidence/);
  const { entries } = await gym.trainer.ledger(gym.opened[0]!);
  expect(entries.map(({ tool }) => tool)).toEqual([
    'create_customer',
    'create_customer',
    'no_such_tool',
    'search_customers',
  ]);
  expect((await gym.trainer.session(gym.opened[0]!)).status).toBe('closed');
});

it('verified twice: the first answer counts, the verifier runs once', async () => {
  const agent = await seeded();
  await agent.post('/create_customer', add);
  const bodies = ['4', '5'].map((text) => ({ ...ROW, response: responseOf(said(text)) }));
  const both = await Promise.all(bodies.map((body) => agent.post('/verify', body)));
  const later = await agent.post('/verify', bodies[1]);
  expect([...both, later].map(({ body }) => body.reward)).toEqual([1, 1, 1]);
  expect(gym.seen.filter((name) => name === 'verify')).toHaveLength(1);
  const after = await agent.post('/create_customer', { name: 'Late', email: 'late@mail.example' });
  expect([after.status, (after.body.error as { code: string }).code]).toEqual([409, 'session_closed']);
});

describe('the answer', () => {
  const rewardFor = async (...output: unknown[]): Promise<unknown> => {
    const agent = await seeded(rowFor('fixture/ask'));
    return (await agent.post('/verify', { ...ROW, response: responseOf(...output) })).body.reward;
  };
  it('is the last assistant text, and nothing else', async () => {
    expect(await rewardFor(said('5'), said('4'))).toBe(1);
    expect(await rewardFor(said('4'), said('5'))).toBe(0);
    expect(await rewardFor(said('4'), said(''))).toBe(1);
    expect(await rewardFor({ role: 'assistant', content: '4' })).toBe(1);
    expect(
      await rewardFor({
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'It is ' },
          { type: 'output_text', text: '4' },
        ],
      }),
    ).toBe(1);
    expect(await rewardFor(said('4'), { type: 'message', role: 'user', content: '5' })).toBe(1);
  });
  it('missing is no answer, whatever lies where it should be', async () => {
    expect(await rewardFor()).toBe(0);
    expect(
      await rewardFor(
        null,
        7,
        'text',
        [],
        {},
        { role: 'assistant' },
        { type: 'message', role: 'assistant', content: [null, 4] },
      ),
    ).toBe(0);
    expect(await rewardFor({ type: 'reasoning', summary: [{ text: '4' }] })).toBe(0);
  });
  it('is not what was said before a further tool call', async () => {
    expect(await rewardFor(said('4'), { type: 'function_call', name: 'search_customers' })).toBe(0);
  });
  it('of 3 MB is judged, not refused', async () => {
    expect(await rewardFor(said(`no ${'9'.repeat(3_000_000)}`))).toBe(0);
  });
});

it('a broken verifier masks the sample', async () => {
  const agent = await seeded(rowFor('fixture/broken'));
  expect((await agent.post('/verify', { ...ROW, response: responseOf() })).body).toMatchObject({
    reward: 0,
    mask_sample: true,
    failure_kind: 'treadle:verifier',
  });
});

it('what a row says of itself does not become its reward', async () => {
  const agent = await seeded();
  const body = { ...ROW, reward: 1, mask_sample: true, milestones: 1, response: responseOf() };
  expect((await agent.post('/verify', body)).body).toMatchObject({ reward: 0, milestones: 0, mask_sample: false });
});

describe('rows', () => {
  const status = async (row: unknown): Promise<unknown> =>
    (await request(`${door.url}/seed_session`, 'POST', row)).status;
  it('name their task', async () => {
    expect(await status({ verifier_metadata: { task_id: ZED } })).toBe(200);
    expect(await status({ verifier_metadata: { task: ZED, labels: { run: 'r', step: 1 } } })).toBe(200);
    expect((await gym.trainer.session(gym.opened[1]!)).labels).toEqual({ run: 'r', step: 1 });
    expect(await status({ verifier_metadata: { task: 'fixture/none' } })).toBe(404);
    for (const row of [
      {},
      [],
      '"text"',
      7,
      { verifier_metadata: 7 },
      { verifier_metadata: { task: 7 } },
      { verifier_metadata: { task: ZED, labels: { evil: 1 } } },
    ])
      expect(await status(row)).toBe(422);
    expect(await status('{"verifier_metadata":{"__proto__":{"task":"x"}}}')).toBe(400);
    expect(await status(deepJson(10_000))).toBe(400);
  });
  it('are made for a task from its tools, and seed it', async () => {
    const { id } = await gym.trainer.open({ task: ZED });
    const tools = await gym.trainer.tools(id);
    await gym.trainer.close(id);
    const row = gymRow({ id: 'make-zed', worldId: 'fixture', brief: 'Add Zed.' }, tools, {
      system: 'You are a clerk.',
    });
    expect(row.responses_create_params.input).toEqual([
      { role: 'system', content: 'You are a clerk.' },
      { role: 'user', content: 'Add Zed.' },
    ]);
    expect(row.responses_create_params.tools).toHaveLength(tools.length);
    expect(row.responses_create_params.tools.find(({ name }) => name === 'create_customer')).toMatchObject({
      type: 'function',
      strict: false,
      parameters: { type: 'object', required: ['name', 'email'] },
    });
    expect(row).toMatchObject({ verifier_metadata: { task: ZED }, agent_ref: { type: 'responses_api_agents' } });
    expect(await status(JSON.parse(JSON.stringify(row)))).toBe(200);
  });
});

describe('MCP', () => {
  const rpc = (token: string | undefined, method: string, params: object = {}): Promise<Answer> =>
    request(
      `${door.url}/mcp`,
      'POST',
      { jsonrpc: '2.0', id: 1, method, params },
      {
        accept: 'application/json, text/event-stream',
        ...(token === undefined ? {} : { 'x-nemo-gym-session-token': token }),
      },
    );
  const tokenOf = ({ body }: Answer): string =>
    (body.mcp as { headers: Record<string, string> }).headers['X-NeMo-Gym-Session-Token']!;

  it('reaches the seeded session, and ends with its verification', async () => {
    const agent = agentServer(door.url);
    const token = tokenOf(await agent.post('/seed_session', ROW));
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    expect((await rpc(token, 'initialize', hello)).body.result).toMatchObject({ protocolVersion: '2025-11-25' });
    const { tools } = (await rpc(token, 'tools/list')).body.result as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toContain('create_customer');
    expect(tools.map(({ name }) => name)).not.toContain('verify');
    const made = await rpc(token, 'tools/call', { name: 'create_customer', arguments: add });
    const { content } = made.body.result as { content: { text: string }[] };
    expect(JSON.parse(content[0]!.text)).toMatchObject({ name: 'Zed Brandt' });
    expect((await agent.post('/verify', { ...ROW, response: responseOf(said('4')) })).body.reward).toBe(1);
    expect((await rpc(token, 'tools/list')).status).toBe(404);
  });

  it('takes only session tokens, and those open nothing else', async () => {
    const agent = agentServer(door.url);
    const token = tokenOf(await agent.post('/seed_session', ROW));
    expect((await rpc(undefined, 'tools/list')).status).toBe(401);
    expect((await rpc('trd_guess', 'tools/list')).status).toBe(401);
    expect((await rpc(agent.cookie!.split('=')[1], 'tools/list')).status).toBe(401);
    const asCookie = { cookie: `treadle_session=${token}` };
    const body = { ...ROW, response: responseOf(said('4')) };
    expect((await request(`${door.url}/verify`, 'POST', body, asCookie)).status).toBe(401);
    expect((await request(`${door.url}/create_customer`, 'POST', add, asCookie)).status).toBe(401);
    expect((await request(`${door.url}/mcp`, 'GET', undefined, { 'x-nemo-gym-session-token': token })).status).toBe(
      405,
    );
  });

  it('answers a client that reads only event streams', async () => {
    const agent = agentServer(door.url);
    const token = tokenOf(await agent.post('/seed_session', ROW));
    const response = await fetch(`${door.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-nemo-gym-session-token': token },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(response.headers.get('content-type')).toMatch(/event-stream/);
    expect(await response.text()).toMatch(/^event: message\ndata: \{/);
  });
});

describe('metrics', () => {
  it('aggregates by task and over all, without masked samples', async () => {
    const rollout = (task: number, reward: number, more: object = {}): object => ({
      _ng_task_index: task,
      _ng_rollout_index: 0,
      reward,
      ok: reward === 1,
      name: 'x',
      response: { usage: { total_tokens: 10 * reward } },
      ...more,
    });
    const verify_responses = [rollout(0, 1), rollout(0, 0), rollout(1, 1), rollout(1, 0, { mask_sample: true })];
    const { status, body } = await request(`${door.url}/aggregate_metrics`, 'POST', { verify_responses });
    expect(status).toBe(200);
    expect(body.group_level_metrics).toMatchObject([
      {
        _ng_task_index: 0,
        'mean/reward': 0.5,
        'max/reward': 1,
        'min/reward': 0,
        'median/reward': 0.5,
        'std/reward': Math.SQRT1_2,
      },
      { _ng_task_index: 1, 'mean/reward': 1, 'std/reward': 0 },
    ]);
    expect(body.agent_metrics).toMatchObject({ 'mean/reward': 2 / 3, 'mean/ok': 2 / 3, 'max/total_tokens': 10 });
    expect(Object.keys(body.key_metrics as object).sort()).toEqual(['mean/ok', 'mean/reward', 'mean/total_tokens']);
    expect((body.key_metrics as Record<string, number>)['mean/reward']).toBeCloseTo(2 / 3);
  });
  it('of nothing are nothing, and of nonsense are refused', async () => {
    const post = (body: unknown): Promise<Answer> => request(`${door.url}/aggregate_metrics`, 'POST', body);
    expect((await post({ verify_responses: [] })).body).toEqual({
      group_level_metrics: [],
      agent_metrics: {},
      key_metrics: {},
    });
    for (const body of [{}, [], { verify_responses: 7 }, { verify_responses: [7] }])
      expect((await post(body)).status).toBe(422);
  });
  it('stored rollouts cannot be judged again', async () => {
    expect((await request(`${door.url}/reverify_mode`, 'GET')).body).toBe('unsupported');
  });
});

describe('hostile', () => {
  it('no cookie, a strange one, one that has ended', async () => {
    const post = (path: string, cookie?: string): Promise<Answer> =>
      request(`${door.url}${path}`, 'POST', {}, cookie === undefined ? {} : { cookie });
    for (const path of ['/search_customers', '/verify']) {
      expect((await post(path)).body).toMatchObject({ error: { code: 'no_session' } });
      const strange = await post(path, 'treadle_session=trd_strange');
      expect([strange.status, strange.headers.get('set-cookie')]).toEqual([401, null]);
      expect((await post(path, 'session=somebody-elses; other=1')).status).toBe(400);
    }
    const agent = await seeded();
    const old = agent.cookie!;
    await agent.post('/seed_session', ROW);
    expect(agent.cookie).not.toBe(old);
    expect((await post('/search_customers', old)).status).toBe(404);
    expect((await post('/search_customers', `other=1; ${agent.cookie}; last=2`)).status).toBe(200);
    expect(gym.server.size).toBe(1);
  });

  it('two sessions do not see one another', async () => {
    const [one, two] = [await seeded(), await seeded()];
    await one.post('/create_customer', add);
    const found = async (agent: typeof one): Promise<number> =>
      ((await agent.post('/search_customers', { query: 'Zed' })).body.data as unknown[]).length;
    expect([await found(one), await found(two)]).toEqual([1, 0]);
  });

  it('a seed that names no task of ours costs the session nothing', async () => {
    const agent = await seeded();
    const refused = await request(`${door.url}/seed_session`, 'POST', rowFor('fixture/none'), {
      cookie: agent.cookie!,
    });
    expect(refused.status).toBe(404);
    expect((await agent.post('/search_customers', {})).status).toBe(200);
  });

  it('a verification waits for the call before it', async () => {
    const agent = await seeded();
    const cookie = agent.cookie!;
    const release = gym.hold();
    const call = request(`${door.url}/create_customer`, 'POST', add, { cookie });
    await expect.poll(() => gym.seen.includes('call create_customer')).toBe(true);
    const verify = request(`${door.url}/verify`, 'POST', { ...ROW, response: responseOf(said('4')) }, { cookie });
    for (let n = 0; n < 5; n++) await request(`${door.url}/health`, 'GET');
    expect(gym.seen).not.toContain('verify');
    release();
    expect((await call).body).toMatchObject({ name: 'Zed Brandt' });
    expect((await verify).body.reward).toBe(1);
    expect(gym.seen.indexOf('verify')).toBeGreaterThan(gym.seen.indexOf('called create_customer'));
  });

  it('bodies: too large, no JSON, too deep, not said to be JSON; the cookie comes back all the same', async () => {
    const agent = await seeded();
    const post = (body: string, type = 'application/json'): Promise<Answer> =>
      request(`${door.url}/create_customer`, 'POST', body, { cookie: agent.cookie!, 'content-type': type });
    const cases = [
      [await post('{"name"'), 400],
      [await post(deepJson(10_000)), 400],
      [await post('{"name":1e999}'), 400],
      [await post('{}', 'text/plain'), 415],
    ] as const;
    for (const [answer, status] of cases) {
      expect(answer.status).toBe(status);
      expect(cookieOf(answer)).toBe(agent.cookie);
    }
    const large = await post(`"${'x'.repeat(20_000_000)}"`).catch(() => ({ status: 413 }));
    expect(large.status).toBe(413);
    expect((await agent.post('/search_customers', {})).status).toBe(200);
    expect((await gym.trainer.ledger(gym.opened[0]!)).entries.map(({ tool }) => tool)).toEqual(['search_customers']);
  });

  it('rollouts that are none', async () => {
    const agent = await seeded();
    for (const body of [
      {},
      ROW,
      { ...ROW, response: 7 },
      { ...ROW, response: {} },
      { response: responseOf() },
      { ...ROW, response: { output: {} } },
      [],
    ])
      expect((await agent.post('/verify', body)).status).toBe(422);
    expect((await agent.post('/verify', { ...ROW, response: responseOf() })).body.reward).toBe(0);
  });

  it('a retried call with its key runs once', async () => {
    const agent = await seeded();
    const headers = { cookie: agent.cookie!, 'idempotency-key': 'k1' };
    const [first, again] = await Promise.all(
      [1, 2].map(() => request(`${door.url}/create_customer`, 'POST', add, headers)),
    );
    expect(again!.body).toEqual(first!.body);
    expect((await gym.trainer.ledger(gym.opened[0]!)).entries).toHaveLength(1);
  });

  it('a session that the server let go of is 409 once, then 404', async () => {
    const agent = await seeded();
    await gym.trainer.close(gym.opened[0]!);
    expect((await agent.post('/search_customers', {})).status).toBe(409);
    expect((await request(`${door.url}/search_customers`, 'POST', {}, { cookie: agent.cookie! })).status).toBe(404);
  });

  it('paths that are no tools', async () => {
    const agent = await seeded();
    for (const path of ['/', '/a/b', '/%2e%2e', `/${'x'.repeat(65)}`, '/create customer'])
      expect((await request(`${door.url}${path}`, 'POST', {}, { cookie: agent.cookie! })).status).toBe(404);
    expect((await request(`${door.url}/create_customer`, 'GET', undefined, { cookie: agent.cookie! })).status).toBe(
      404,
    );
  });
});

describe('room', () => {
  it('a full door is 503 with Retry-After, and verified sessions take no room', async () => {
    const small = await serveNemoGym({ trainer: gym.trainer, limits: { sessions: 2 } });
    const agents = [agentServer(small.url), agentServer(small.url)];
    for (const agent of agents) await agent.post('/seed_session', ROW);
    const full = await request(`${small.url}/seed_session`, 'POST', ROW);
    expect([full.status, full.headers.get('retry-after')]).toEqual([503, '5']);
    // Seeding again takes the room that one has.
    expect((await agents[0]!.post('/seed_session', ROW)).status).toBe(200);
    await agents[1]!.post('/verify', { ...ROW, response: responseOf() });
    expect((await request(`${small.url}/seed_session`, 'POST', ROW)).status).toBe(200);
    await small.close();
  });

  it('failed seeds take no room', async () => {
    const small = await serveNemoGym({ trainer: gym.trainer, limits: { sessions: 1 } });
    for (let n = 0; n < 5; n++)
      expect((await request(`${small.url}/seed_session`, 'POST', rowFor('fixture/none'))).status).toBe(404);
    expect((await request(`${small.url}/seed_session`, 'POST', ROW)).status).toBe(200);
    await small.close();
  });

  it('sessions left alone are closed', async () => {
    const { nemoGymDoor } = await import('../../src/serve/gym/nemo/door.js');
    const { listenDoor } = await import('../../src/serve/gym/listen.js');
    const { DEFAULT_GYM_LIMITS } = await import('../../src/serve/gym/limits.js');
    const { guardOf } = await import('../../src/serve/http/guard.js');
    let now = 1_000;
    const limits = { ...DEFAULT_GYM_LIMITS, reapMs: 20, idleSeconds: 60 };
    const idle = await listenDoor(
      () => nemoGymDoor({ trainer: gym.trainer, guard: guardOf({}), limits, now: () => now }),
      { host: '127.0.0.1', port: 0, token: undefined, limits },
    );
    const [left, used] = [agentServer(idle.url), agentServer(idle.url)];
    await left.post('/seed_session', ROW);
    await used.post('/seed_session', ROW);
    now += 40;
    await used.post('/search_customers', {});
    now += 40;
    await expect.poll(() => gym.server.size).toBe(1);
    expect((await request(`${idle.url}/search_customers`, 'POST', {}, { cookie: left.cookie! })).status).toBe(404);
    expect((await used.post('/search_customers', {})).status).toBe(200);
    await idle.close();
  });
});

it('the door’s token guards all but the agents’ own endpoint', async () => {
  const token = 'y'.repeat(32);
  const locked = await serveNemoGym({ trainer: gym.trainer, token });
  const bearer = { authorization: `Bearer ${token}` };
  for (const [method, path] of [
    ['POST', '/seed_session'],
    ['POST', '/verify'],
    ['POST', '/create_customer'],
    ['POST', '/aggregate_metrics'],
    ['GET', '/reverify_mode'],
    ['GET', '/health'],
  ] as const)
    expect((await request(`${locked.url}${path}`, method, method === 'POST' ? ROW : undefined)).status).toBe(401);
  const seed = await request(`${locked.url}/seed_session`, 'POST', ROW, bearer);
  const { headers } = seed.body.mcp as { headers: Record<string, string> };
  expect(JSON.stringify(seed.body)).not.toContain(token);
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  expect((await request(`${locked.url}/mcp`, 'POST', list, headers)).status).toBe(200);
  expect((await request(`${locked.url}/mcp`, 'POST', list, bearer)).status).toBe(401);
  expect(
    (await request(`${locked.url}/mcp`, 'POST', list, { ...headers, origin: 'https://evil.example' })).status,
  ).toBe(403);
  expect((await request(`${locked.url}/create_customer`, 'POST', add, { cookie: cookieOf(seed) })).status).toBe(401);
  await locked.close();
  const code = await serveNemoGym({ trainer: gym.trainer, host: '0.0.0.0' }).catch(
    (thrown: { code: string }) => thrown.code,
  );
  expect(code).toBe('token_needed');
});
