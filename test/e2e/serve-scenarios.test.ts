/** The official MCP client in a scenario that the command line serves, over stdio and over HTTP, in both eras. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Trace } from '../../src/artifacts/trace.js';
import { connect, type RemoteTrainer } from '../../src/serve/client/client.js';
import { type DynamicCorpus, PHONE, SAYS, writeDynamic } from '../fixtures/dynamic-corpus.js';
import { MAIN, scratch, treadle } from './cli.js';
import { warm } from './warm/warm.js';

type Mode = 'legacy' | { pin: string };
const MODES: { label: string; mode: Mode }[] = [
  { label: 'the handshake era', mode: 'legacy' },
  { label: 'the modern era', mode: { pin: '2026-07-28' } },
];

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const dir = scratch();
const corpus = join(dir, 'corpus');
let made: DynamicCorpus;
let customer: string;

interface Result {
  content: { type: string; text: string }[];
  structuredContent?: unknown;
  isError?: boolean;
}

/** A client that hears log messages, where it has asked for them. */
class Probe {
  readonly heard: unknown[] = [];
  readonly client: Client;

  constructor(readonly mode: Mode) {
    this.client = new Client({ name: 'probe', version: '1' }, { versionNegotiation: { mode } });
    this.client.setNotificationHandler('notifications/message', ({ params }) => {
      this.heard.push(params);
    });
  }

  async call(name: string, args: Record<string, unknown> = {}, level?: string): Promise<Result> {
    const _meta = level === undefined ? {} : { _meta: { 'io.modelcontextprotocol/logLevel': level } };
    return (await this.client.callTool({ name, arguments: args, ..._meta })) as Result;
  }

  /** From now on; the modern era says so in each request instead. */
  async listen(): Promise<string | undefined> {
    if (this.mode !== 'legacy') return 'info';
    await this.client.setLoggingLevel('info');
    return undefined;
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}

const onStdio = async (mode: Mode, ...args: string[]): Promise<Probe> => {
  const probe = new Probe(mode);
  const options = { command: process.execPath, args: [MAIN, 'serve', corpus, '--stdio', ...args] };
  await probe.client.connect(new StdioClientTransport({ ...options, stderr: 'pipe' }));
  return probe;
};

const onHttp = async (mode: Mode, { url, token }: { url: string; token: string }): Promise<Probe> => {
  const probe = new Probe(mode);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await probe.client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return probe;
};

interface Served {
  url: string;
  adminUrl: string;
  adminToken: string;
  openEnvUrl: string;
  gymUrl: string;
  scenarios: number;
  sessions: { id: string; token: string; url: string }[];
}

const servers: ChildProcess[] = [];
const trainers: RemoteTrainer[] = [];
afterEach(() => {
  for (const trainer of trainers.splice(0)) trainer.disconnect();
  for (const child of servers.splice(0)) child.kill('SIGKILL');
});

const serve = async (...args: string[]): Promise<Served> => {
  const child = spawn(process.execPath, [MAIN, 'serve', corpus, '--json', ...args], { stdio: 'pipe' });
  servers.push(child);
  let text = '';
  for await (const data of child.stdout) {
    text += data;
    try {
      return JSON.parse(text) as Served;
    } catch {
      // More of the value is to come.
    }
  }
  throw new Error(`the server said nothing: ${text}`);
};

const trainerOf = ({ adminUrl, adminToken }: Served): RemoteTrainer => {
  const trainer = connect({ url: adminUrl, token: adminToken });
  trainers.push(trainer);
  return trainer;
};

const blocks = ({ content }: Result): string[] => content.map(({ text }) => text);
/** What came beside the result itself. */
const told = (result: Result): string[] => blocks(result).slice(1);

beforeAll(async () => {
  const document = fileURLToPath(new URL('../fixtures/documents/billing.yaml', import.meta.url));
  const built = warm(['build', document, '--tasks', '2', '--out', corpus, '--json']);
  expect(built.status, built.stderr).toBe(0);
  const probe = await onStdio('legacy');
  const listed = JSON.parse(blocks(await probe.call('listCustomers'))[0] as string);
  await probe.close();
  customer = ((Object.values(listed).find(Array.isArray) ?? listed) as { id: string }[])[0]?.id as string;
  made = writeDynamic(corpus, customer);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Meets every event; returns what was told beside each result. */
const drive = async (probe: Probe): Promise<string[][]> => {
  const { tools } = await probe.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['listCustomers', 'wait']));
  const level = await probe.listen();
  const results = [
    await probe.call('listCustomers', {}, level),
    await probe.call('listCustomers', {}, level),
    await probe.call('getCustomer', { customer_id: customer }, level),
    await probe.call('getCustomer', { customer_id: customer }, level),
    await probe.call('wait', { seconds: 60 }, level),
    await probe.call('listCustomers', {}, level),
    await probe.call('listCustomers', {}, level),
  ];
  const [first, second, failed, read, waited] = results as [Result, Result, Result, Result, Result];
  // A requirement: after an action, by the user, as the last block and nowhere in the result.
  expect(told(first)).toContain(`[Message from the user] ${SAYS.changed_mind}`);
  expect(blocks(first)[0]).not.toContain(SAYS.changed_mind);
  expect(JSON.stringify(first.structuredContent ?? null)).not.toContain(SAYS.changed_mind);
  // A state: eight seconds after the start, by the environment; and it is so.
  expect(told(second)).toContain(`[Notification] ${SAYS.phone_changed}`);
  expect(blocks(read)[0]).toContain(PHONE);
  // A fault: once, and nobody says so.
  expect([failed.isError === true, read.isError === true]).toEqual([true, false]);
  expect(blocks(failed).join()).not.toMatch(/inject|P1/);
  expect(JSON.parse(blocks(waited)[0] as string)).toEqual({ waited_seconds: 60 });
  // Information: by chance, sooner or later.
  const all = results.map(told);
  expect(all.flat().filter((text) => text === `[Notification] ${SAYS.imported}`)).toHaveLength(1);
  expect(all.flat()).toHaveLength(3);
  expect(probe.heard).toHaveLength(3);
  expect(probe.heard).toContainEqual({
    level: 'notice',
    logger: 'notices',
    data: { from: 'user', text: SAYS.changed_mind },
  });
  return all;
};

describe.each(MODES)('in $label', ({ mode }) => {
  it('every event reaches the agent as the page on serving says, over stdio and over HTTP alike', async () => {
    const overStdio = await onStdio(mode, '--scenario', made.scenario.id);
    const first = await drive(overStdio);
    await overStdio.close();

    const served = await serve('--scenario', made.scenario.id);
    expect(served.scenarios).toBe(1);
    const [session] = served.sessions;
    const overHttp = await onHttp(mode, session as Served['sessions'][number]);
    expect(await drive(overHttp)).toEqual(first);
    await overHttp.close();
    const trainer = trainerOf(served);
    const { log, notices } = await trainer.events(session?.id as string);
    expect(log.map(({ event, fate }) => `${event} ${fate}`).sort()).toEqual(
      ['changed_mind', 'imported', 'outage', 'phone_changed'].map((id) => `${id} fired`),
    );
    expect(notices.every(({ delivered }) => delivered !== undefined)).toBe(true);
    const { revisions } = await trainer.verify(session?.id as string);
    expect(revisions).toContainEqual(expect.objectContaining({ event: 'changed_mind', retired: [made.check] }));
  });

  it('a client that asks for no log hears none, and reads the same blocks', async () => {
    const probe = await onStdio(mode, '--scenario', made.scenario.id);
    expect(told(await probe.call('listCustomers'))).toContain(`[Message from the user] ${SAYS.changed_mind}`);
    expect(probe.heard).toEqual([]);
    await probe.close();
  });
});

describe('the trainer', () => {
  it('is told beside the result, never inside it, and lists what happened', async () => {
    const trainer = trainerOf(await serve('--sessions', '0'));
    const session = await trainer.open({ scenario: made.scenario.id });
    const outcome = await trainer.call(session.id, { tool: 'listCustomers', operation: 'a' });
    expect(outcome.notices).toContainEqual(
      expect.objectContaining({ event: 'changed_mind', to: 'user', delivered: 1 }),
    );
    expect(JSON.stringify(outcome.result)).not.toContain(SAYS.changed_mind);
    expect(await trainer.call(session.id, { tool: 'listCustomers', operation: 'a' })).toEqual(outcome);
    const [record] = await trainer.records('scenario');
    expect(record?.name).toBe(session.pins.scenario?.name);
    expect(await trainer.read('scenario', record?.hash as string)).toEqual(made.scenario);
  });

  it('may keep what is told from the results, and pass it on itself', async () => {
    const trainer = trainerOf(await serve('--sessions', '0'));
    const session = await trainer.open({ scenario: made.scenario.id, notices: 'control' });
    const probe = await onHttp('legacy', session);
    await probe.listen();
    expect(told(await probe.call('listCustomers'))).toEqual([]);
    const { notices } = await trainer.takeNotices(session.id);
    expect(notices).toContainEqual(expect.objectContaining({ event: 'changed_mind', text: SAYS.changed_mind }));
    expect((await trainer.takeNotices(session.id)).notices).toEqual([]);
    expect(probe.heard).toEqual([]);
    await probe.close();
  });
});

/** Calls a tool twice over the MCP that it is given, and answers with what it was told beside the results. */
const AGENT = `
const { TREADLE_MCP_URL: url, TREADLE_MCP_TOKEN: token } = process.env;
const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json' };
const params = { name: 'listCustomers', arguments: {} };
const said = [];
for (const id of [1, 2]) {
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
  const { result } = await (await fetch(url, { method: 'POST', headers, body })).json();
  said.push(...result.content.slice(1).map(({ text }) => text));
}
console.log(said.filter((text) => !text.includes('imported')).join(' | '));
`;

it('a harness that rolls out in a scenario is told over its MCP, and the trace says so', () => {
  const agent = join(dir, 'agent.mjs');
  writeFileSync(agent, AGENT);
  const { id } = made.scenario;
  const command = ['--policy', 'harness', '--harness-command', `${process.execPath} ${agent}`, '--harness-read', agent];
  const rolled = warm(['rollout', corpus, '--scenarios', id, ...command, '--json']);
  expect(rolled.status, rolled.stderr).toBeLessThanOrEqual(1);
  const traces = readdirSync(join(corpus, 'traces')).filter((name) => name.endsWith('.jsonl'));
  const lines = traces.flatMap((name) =>
    readFileSync(join(corpus, 'traces', name), 'utf8')
      .trim()
      .split('\n'),
  );
  const trace = lines
    .map((line) => JSON.parse(line) as { trace: Trace })
    .map((line) => line.trace)
    .find(({ producer }) => producer.policy === 'harness');
  expect(trace?.answer).toBe(`[Message from the user] ${SAYS.changed_mind} | [Notification] ${SAYS.phone_changed}`);
  expect(trace?.scenario?.id).toBe(id);
  expect(trace?.events).toContainEqual(
    expect.objectContaining({ kind: 'notice', event: 'changed_mind', to: 'user', calls: 1 }),
  );
  expect(trace?.events).toContainEqual(expect.objectContaining({ kind: 'fate', event: 'outage', fate: 'fired' }));
});

it('two hundred sessions of one scenario at once have one log, and branches of one in the middle too', async () => {
  const trainer = trainerOf(await serve('--sessions', '0'));
  const play = async (id: string, from: number): Promise<void> => {
    for (let n = from; n < 6; n++) {
      const [tool, args] = n % 3 === 2 ? ['getCustomer', { customer_id: customer }] : ['listCustomers', {}];
      await trainer.call(id, { tool, arguments: args });
    }
  };
  const logOf = async (id: string): Promise<string> => {
    const [{ log, notices }, { hash }] = await Promise.all([trainer.events(id), trainer.state(id)]);
    return JSON.stringify({ log, notices, hash });
  };
  const opened = await Promise.all(Array.from({ length: 200 }, () => trainer.open({ scenario: made.scenario.id })));
  await Promise.all(opened.map(({ id }) => play(id, 0)));
  const logs = new Set(await Promise.all(opened.map(({ id }) => logOf(id))));
  expect(logs.size).toBe(1);
  const parent = await trainer.open({ scenario: made.scenario.id });
  await trainer.call(parent.id, { tool: 'listCustomers' });
  const branches = await trainer.fork(parent.id, { count: 4 });
  await Promise.all([parent, ...branches].map(({ id }) => play(id, 1)));
  for (const { id } of [parent, ...branches]) expect(logs.has(await logOf(id))).toBe(true);
});

describe('hostile', () => {
  it('a session’s token reads no events and opens no scenario', async () => {
    const { url, adminUrl, sessions } = await serve('--scenario', made.scenario.id);
    const [{ id, token }] = sessions as [Served['sessions'][number]];
    const asked = async (at: string, method = 'GET'): Promise<number> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = await fetch(at, { method, headers, ...(method === 'POST' ? { body: '{}' } : {}) });
      expect(await answer.text()).not.toMatch(/changed_mind|changed his mind/);
      return answer.status;
    };
    expect(await asked(`${adminUrl}/v1/sessions/${id}/events`)).toBe(401);
    expect(await asked(`${adminUrl}/v1/sessions/${id}/notices`, 'POST')).toBe(401);
    expect(await asked(`${adminUrl}/v1/registry/scenario/content?reference=${made.scenario.id}`)).toBe(401);
    const agents = new URL(url).origin;
    expect(await asked(`${agents}/v1/sessions/${id}/events`)).toBe(404);
    expect(await asked(`${agents}/s/${id}/events`)).toBe(404);
  });

  it.each([
    [{ scenario: 'nothing-like-it' }, 'unknown_record'],
    [{ scenario: '../../etc/passwd' }, 'unknown_record'],
    [{ scenario: 'SCENARIO', faults: { rules: ['listCustomers=P1'] } }, 'two_engines'],
    [{ scenario: ['SCENARIO', 'SCENARIO'] }, 'two_engines'],
    [{ scenario: [] }, 'bad_request'],
    [{ scenario: 7 }, 'bad_request'],
    [{ scenario: 'SCENARIO', notices: 'nowhere' }, 'bad_request'],
    [{ notices: 'control' }, 'bad_request'],
  ])('%j is refused', async (request, code) => {
    const text = JSON.stringify(request).replaceAll('SCENARIO', made.scenario.id);
    const trainer = trainerOf(await serve('--sessions', '0', '--no-warm'));
    await expect(trainer.open(JSON.parse(text))).rejects.toMatchObject({ code, next: expect.any(String) });
    expect((await trainer.info()).sessions.open ?? 0).toBe(0);
  });

  it('an unknown scenario is one line on the command line', () => {
    const { status, stderr } = treadle(['serve', corpus, '--scenario', 'nothing-like-it', '--json']);
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/unknown_record/);
  });
});
