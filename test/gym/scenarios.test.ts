/** A scenario through the gyms: what is told stands beside the result or under it, and the reward is by the checks as they are then. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Check } from '../../src/artifacts/check.js';
import type { Task } from '../../src/artifacts/task.js';
import { event } from '../../src/dynamics/event.fixture.js';
import type { Json } from '../../src/kit/hash.js';
import type { GymListening } from '../../src/serve/gym/listen.js';
import { serveNemoGym } from '../../src/serve/gym/nemo/serve.js';
import { serveOpenEnv } from '../../src/serve/gym/openenv/serve.js';
import { CLIENT } from '../../src/train/rl/adapters/client.js';
import { scenarioOf } from '../fixtures/scenario.js';
import { type GymFixture, gymFixture, ZED } from './trainer.fixture.js';
import { openSocket, request } from './wire.fixture.js';

const SCENARIO = 'fixture/make-zed-e1';
const SAID = 'Her name is Zoe Brandt, sorry.';
const FRAMED = `[Message from the user] ${SAID}`;
const search = { query: 'Brandt' };

let gym: GymFixture;
let doors: { openEnv: GymListening; nemo: GymListening };
beforeAll(async () => {
  gym = await gymFixture();
  const { registry } = gym.server;
  const task = registry.read('task', ZED) as unknown as Task;
  const zoe: Check = {
    id: 'c1',
    kind: 'exists',
    footprint: [],
    service: 'billing',
    table: 'customer',
    where: { name: 'Zoe Brandt' },
  };
  const renamed = event('renamed', {
    source: 'requirement',
    when: { after: { tool: 'search_customers', nth: 1 } },
    effect: { say: SAID },
    notify: { to: 'user' },
    checks: { retire: [], replace: [{ id: 'c1', by: zoe }], add: [] },
  });
  const scenario = scenarioOf(task, [renamed], { id: 'make-zed-e1' });
  registry.publish('scenario', SCENARIO, scenario as unknown as Json);
  doors = {
    openEnv: await serveOpenEnv({ trainer: gym.trainer }),
    nemo: await serveNemoGym({ trainer: gym.trainer }),
  };
});
afterAll(async () => {
  await Promise.all([doors.openEnv.close(), doors.nemo.close()]);
  expect(gym.server.size).toBe(0);
  await gym.close();
});

const openEnvEpisode = async (name: string) => {
  const socket = await openSocket(`${doors.openEnv.url}/ws`);
  const step = async (data: object) => (await socket.ask({ type: 'step', data })).data;
  const reset = await socket.ask({ type: 'reset', data: { scenario: SCENARIO } });
  const call = async (tool_name: string, args: object) =>
    (await step({ type: 'call_tool', tool_name, arguments: args })).observation as Record<string, unknown>;
  const tools = (await step({ type: 'list_tools' })).observation as { tools: { name: string }[] };
  const [first, second] = [await call('search_customers', search), await call('search_customers', search)];
  await call('create_customer', { name, email: 'zb@mail.example' });
  const { reward } = await step({ type: 'finish', answer: '4' });
  socket.raw.close();
  return { reset, tools: tools.tools.map((tool) => tool.name), first, second, reward };
};

it('OpenEnv: an observation has its notices beside the result', async () => {
  const { reset, tools, first, second, reward } = await openEnvEpisode('Zoe Brandt');
  expect(first).toMatchObject({ error: null, notices: [{ from: 'user', text: SAID }] });
  expect(JSON.stringify(first.result)).not.toContain(SAID);
  expect(second).not.toHaveProperty('notices');
  expect(tools).toContain('wait');
  // What will happen is not said, not even by a name.
  expect(JSON.stringify(reset)).not.toMatch(/make-zed-e1|renamed/);
  expect(reward).toBe(1);
  expect((await openEnvEpisode('Zed Brandt')).reward).toBe(0);
});

it('OpenEnv: over its MCP they are blocks', async () => {
  const rpc = async (method: string, params: object) =>
    (await request(`${doors.openEnv.url}/mcp`, 'POST', { jsonrpc: '2.0', id: 1, method, params })).body
      .result as Record<string, unknown>;
  const { session_id } = await rpc('openenv/session/create', { scenario: SCENARIO });
  const call = () => rpc('tools/call', { session_id, name: 'search_customers', arguments: search });
  const [first, second] = [await call(), await call()];
  expect((first.content as { text: string }[]).slice(1)).toEqual([{ type: 'text', text: FRAMED }]);
  expect(second.content).toHaveLength(1);
  await rpc('openenv/session/close', { session_id });
});

const hasPython =
  spawnSync('python3', ['-c', 'import sys; print(sys.version_info >= (3, 9))'], { encoding: 'utf8' }).stdout?.trim() ===
  'True';
if (!hasPython) console.error('SKIPPED: the Python client is not run, there is no python3 (3.9 or newer)');

it.skipIf(!hasPython)('the Python client that goes beside rows reads them under the result', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'treadle-python-'));
  writeFileSync(join(dir, 'treadle_client.py'), CLIENT);
  const lines = [
    'from treadle_client import Session',
    `with Session("${doors.openEnv.url}", scenario="${SCENARIO}") as session:`,
    '    first, failed = session.call("search_customers", {"query": "Brandt"})',
    '    second, _ = session.call("search_customers", {"query": "Brandt"})',
    '    print(first.replace(second, "SAME"), failed, "Brandt" in session.brief)',
  ];
  writeFileSync(join(dir, 'probe.py'), lines.join('\n'));
  const { stdout, stderr } = await promisify(execFile)('python3', ['-B', 'probe.py'], { cwd: dir });
  rmSync(dir, { recursive: true });
  expect([stdout, stderr]).toEqual([`SAME\n\n${FRAMED} False True\n`, '']);
});

const nemo = async (metadata: object) => {
  const row = { responses_create_params: { input: [], tools: [] }, verifier_metadata: metadata };
  const seeded = await request(`${doors.nemo.url}/seed_session`, 'POST', row);
  expect([seeded.status, seeded.body]).toMatchObject([200, { mcp: { transport: 'http' } }]);
  const cookie = seeded.headers.get('set-cookie')?.split(';')[0] as string;
  const post = async (path: string, body: object): Promise<[string, string]> => {
    const headers = { cookie, 'content-type': 'application/json' };
    const answer = await fetch(`${doors.nemo.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return [answer.headers.get('content-type') ?? '', await answer.text()];
  };
  const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: '4' }] };
  const verify = async () => JSON.parse((await post('/verify', { ...row, response: { output: [said] } }))[1]);
  return { post, verify, mcp: seeded.body.mcp as { headers: Record<string, string> } };
};

it('NeMo Gym: they are paragraphs under the result, for a model reads the body as it is', async () => {
  const { post, verify } = await nemo({ scenario: SCENARIO });
  const [type, text] = await post('/search_customers', search);
  expect(type).toBe('text/plain; charset=utf-8');
  const [result, ...notices] = text.split('\n\n');
  expect(JSON.parse(result as string)).toHaveProperty('data');
  expect(notices).toEqual([FRAMED]);
  const [again, json] = await post('/search_customers', search);
  expect([again, JSON.parse(json)]).toEqual(['application/json', JSON.parse(result as string)]);
  await post('/create_customer', { name: 'Zoe Brandt', email: 'zb@mail.example' });
  expect(await verify()).toMatchObject({ reward: 1, mask_sample: false });
});

it('NeMo Gym: over its MCP they are blocks', async () => {
  const { mcp, verify } = await nemo({ task: ZED, scenario: SCENARIO });
  const params = { name: 'search_customers', arguments: search };
  const call = async () =>
    (
      await request(
        `${doors.nemo.url}/mcp`,
        'POST',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
        mcp.headers,
      )
    ).body.result as { content: { text: string }[] };
  expect((await call()).content.slice(1)).toEqual([{ type: 'text', text: FRAMED }]);
  expect((await call()).content).toHaveLength(1);
  expect((await verify()).reward).toBe(0);
});

it('an unknown scenario, and one of another task, are refused and cost nothing', async () => {
  const metadata = [{ scenario: 'fixture/none' }, { scenario: SCENARIO, task: 'fixture/ask' }];
  for (const verifier_metadata of metadata) {
    const row = { responses_create_params: { input: [], tools: [] }, verifier_metadata };
    const refused = await request(`${doors.nemo.url}/seed_session`, 'POST', row);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(refused.body)).toMatch(/unknown_record|bad_request/);
  }
});
