/** One rollout through every door ends the same: the same state, the same ledger, the same reward (issue 3, "Shown by"). */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LedgerEntry } from '../../src/artifacts/trace.js';
import type { Json } from '../../src/kit/hash.js';
import type { GymListening } from '../../src/serve/gym/listen.js';
import { serveNemoGym } from '../../src/serve/gym/nemo/serve.js';
import { serveOpenEnv } from '../../src/serve/gym/openenv/serve.js';
import { type Serving, serveHttp } from '../../src/serve/http/serve.js';
import { callerOf } from '../../src/serve/sessions/caller.js';
import { Session } from '../../src/serve/sessions/session.js';
import { ACTOR, type GymFixture, gymFixture, ZED } from './trainer.fixture.js';
import { openSocket, request } from './wire.fixture.js';

let gym: GymFixture;
let mcp: Serving;
let openEnv: GymListening;
let nemo: GymListening;
beforeAll(async () => {
  gym = await gymFixture();
  mcp = await serveHttp({ keeper: gym.server, port: 0 });
  openEnv = await serveOpenEnv({ trainer: gym.trainer });
  nemo = await serveNemoGym({ trainer: gym.trainer });
});
afterAll(async () => {
  await Promise.all([mcp.close(), openEnv.close(), nemo.close()]);
  await gym.close();
});

interface Call {
  tool: string;
  args: Record<string, Json>;
}

/** How a rollout ended; `results` are what the agent saw. */
interface End {
  hash: string;
  clock: number;
  entries: LedgerEntry[];
  results: Json[];
  reward?: number;
}

const endOf = async (session: string): Promise<Pick<End, 'hash' | 'clock' | 'entries'>> => {
  const { hash, clock } = await gym.trainer.state(session);
  const { entries } = await gym.trainer.ledger(session);
  return { hash, clock, entries: entries.map(({ ms: _, ...entry }) => entry) };
};

const alone = async (calls: readonly Call[]): Promise<End> => {
  const { pins, id } = await gym.trainer.open({ task: ZED });
  const world = gym.server.worlds.get(pins.world.hash);
  const session = Session.open(world, { id: 'alone', services: ['billing'], me: callerOf(ACTOR) });
  const results = calls.map(({ tool, args }) => session.call(tool, args).result);
  const end = { hash: session.hash(), clock: session.clock, entries: [...session.ledger], results };
  session.drop();
  await gym.trainer.close(id);
  return end;
};

const inProcess = async (calls: readonly Call[], answer: string): Promise<End> => {
  const { id } = await gym.trainer.open({ task: ZED });
  const results: Json[] = [];
  for (const { tool, args } of calls) results.push((await gym.trainer.call(id, { tool, arguments: args })).result);
  const { pass } = await gym.trainer.verify(id, { answer });
  await gym.trainer.close(id, answer);
  return { ...(await endOf(id)), results, reward: pass ? 1 : 0 };
};

const overMcp = async (calls: readonly Call[], answer: string): Promise<End> => {
  const { id, token } = await gym.trainer.open({ task: ZED });
  const results: Json[] = [];
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' };
  for (const [n, { tool, args }] of calls.entries()) {
    const params = { name: tool, arguments: args };
    const { body } = await request(mcp.url, 'POST', { jsonrpc: '2.0', id: n, method: 'tools/call', params }, headers);
    const content = (body.result as { content: { text: string }[] } | undefined)?.content;
    // MCP tells of a tool that does not exist by a protocol error.
    results.push(content ? JSON.parse(content[0]!.text) : null);
  }
  const { pass } = await gym.trainer.verify(id, { answer });
  await gym.trainer.close(id, answer);
  return { ...(await endOf(id)), results, reward: pass ? 1 : 0 };
};

const overOpenEnv = async (calls: readonly Call[], answer: string): Promise<End> => {
  const socket = await openSocket(`${openEnv.url}/ws`);
  const reset = await socket.ask({ type: 'reset', data: { task: ZED } });
  const id = (reset.data.metadata as { treadle_session: string }).treadle_session;
  const results: Json[] = [];
  for (const { tool, args } of calls) {
    const step = { type: 'call_tool', tool_name: tool, arguments: args };
    results.push(((await socket.ask({ type: 'step', data: step })).data.observation as { result: Json }).result);
  }
  const { reward } = (await socket.ask({ type: 'step', data: { type: 'finish', answer } })).data;
  socket.raw.close();
  await socket.closed;
  return { ...(await endOf(id)), results, reward: reward as number };
};

const overNemo = async (calls: readonly Call[], answer: string): Promise<End> => {
  const row = { responses_create_params: { input: [] }, verifier_metadata: { task: ZED } };
  const seed = await request(`${nemo.url}/seed_session`, 'POST', row);
  const id = gym.opened.at(-1)!;
  const cookie = seed.headers.get('set-cookie')!.split(';')[0]!;
  const results: Json[] = [];
  for (const { tool, args } of calls)
    results.push((await request(`${nemo.url}/${tool}`, 'POST', args, { cookie })).body as Json);
  const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: answer }] }];
  const { body } = await request(`${nemo.url}/verify`, 'POST', { ...row, response: { output } }, { cookie });
  return { ...(await endOf(id)), results, reward: body.reward as number };
};

const sameEverywhere = async (calls: readonly Call[], answer: string): Promise<End> => {
  const base = await alone(calls);
  const known = new Set(base.entries.filter(({ service }) => service !== '').map(({ index }) => index));
  const process = await inProcess(calls, answer);
  expect({ ...process, reward: undefined }).toEqual({ ...base, reward: undefined });
  const told = (end: End): End => ({ ...end, results: end.results.filter((_, n) => known.has(n)) });
  expect(told(await overMcp(calls, answer))).toEqual(told(process));
  expect(await overOpenEnv(calls, answer)).toEqual(process);
  expect(await overNemo(calls, answer)).toEqual(process);
  return process;
};

it('the rollout that does what was asked', async () => {
  const end = await sameEverywhere(
    [
      { tool: 'search_customers', args: { query: 'Zed' } },
      { tool: 'create_customer', args: { name: 'Zed' } },
      { tool: 'create_customer', args: { name: 'Zed Brandt', email: 'zed@mail.example', phone: '+49 30 555 7' } },
      { tool: 'no_such_tool', args: {} },
      { tool: 'search_customers', args: { query: 'Zed' } },
    ],
    'It is 4.',
  );
  expect(end.reward).toBe(1);
  expect(end.entries.map(({ ok }) => ok)).toEqual([true, false, true, false, true]);
});

it('any rollout', async () => {
  const name = fc.constantFrom('Zed Brandt', 'Bo Lund', '', 'Ünïcödé 🎉', "x'); DROP TABLE customer;--");
  // As JSON carries it: no negative zero; and no key that every door refuses.
  const json = fc
    .jsonValue({ maxDepth: 2 })
    .filter((value) => !JSON.stringify(value).includes('__proto__'))
    .map((value) => JSON.parse(JSON.stringify(value)) as Json);
  const call: fc.Arbitrary<Call> = fc.oneof(
    fc.record({
      tool: fc.constant('create_customer'),
      args: fc.record({ name, email: fc.constantFrom('zed@mail.example', 'kunde1@mail.example', 'no') }),
    }),
    fc.record({ tool: fc.constant('search_customers'), args: fc.record({ query: name }) }),
    fc.record({ tool: fc.constant('list_invoices'), args: fc.record({ limit: fc.integer({ min: -1, max: 3 }) }) }),
    fc.record({
      tool: fc.constantFrom('void_invoice', 'pay_invoice', 'toString', 'nothing_here'),
      args: fc.dictionary(fc.constantFrom('invoice_id', 'amount', 'deep'), json),
    }),
  );
  const rollout = fc.array(call, { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(rollout, fc.constantFrom('4', 'five', ''), async (calls, answer) => {
      await sameEverywhere(calls, answer);
    }),
    { numRuns: 25 },
  );
});
