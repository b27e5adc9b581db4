/** The official MCP client drives a world that the command line built, over stdio and over HTTP, in both eras. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { MAIN, scratch, treadle } from './cli.js';
import { warm } from './warm/warm.js';

type Mode = 'legacy' | 'auto' | { pin: string };
const MODES: { label: string; mode: Mode; version: string }[] = [
  { label: 'the handshake era', mode: 'legacy', version: '2025-11-25' },
  { label: 'the modern era', mode: { pin: '2026-07-28' }, version: '2026-07-28' },
];

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const dir = scratch();
const corpus = join(dir, 'corpus');
const clientIn = (mode: Mode): Client => new Client({ name: 'probe', version: '1' }, { versionNegotiation: { mode } });

let task: { id: string; services: string[]; reference: { calls: { tool: string; args: Record<string, unknown> }[] } };

beforeAll(() => {
  const document = fileURLToPath(new URL('../fixtures/documents/billing.yaml', import.meta.url));
  const built = warm(['build', document, '--tasks', '2', '--out', corpus, '--json']);
  expect(built.status, built.stderr).toBe(0);
  const shown = JSON.parse(warm(['show', corpus, '--json']).stdout);
  const { tasks } = JSON.parse(warm(['show', corpus, shown.worlds[0].id, '--json']).stdout);
  task = JSON.parse(warm(['show', corpus, tasks[0].id, '--json']).stdout).task;
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? '';

/** Lists, reads, writes, and is told off for a bad call; returns the id of what it made. */
const drive = async (client: Client): Promise<string> => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['listCustomers', 'createCustomer']));
  for (const { description, inputSchema } of tools) {
    expect(description).toBeTruthy();
    expect(inputSchema.type).toBe('object');
  }
  const listed = await client.callTool({ name: 'listCustomers', arguments: {} });
  expect(listed.isError).toBeFalsy();
  expect(textOf(listed).length).toBeGreaterThan(20);
  const made = await client.callTool({
    name: 'createCustomer',
    arguments: { name: 'Grüße & Co', email: 'gruesse@co.example' },
  });
  expect(made.isError, textOf(made)).toBeFalsy();
  const refused = await client.callTool({ name: 'createCustomer', arguments: { name: 5 } });
  expect(refused.isError).toBe(true);
  return JSON.parse(textOf(made)).id;
};

const sees = async (client: Client, id: string): Promise<boolean> => {
  const found = await client.callTool({ name: 'getCustomer', arguments: { customer_id: id } });
  return textOf(found).includes('gruesse@co.example');
};

describe.each(MODES)('over stdio, in $label', ({ mode, version }) => {
  it('lists and calls tools', async () => {
    const client = clientIn(mode);
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'serve', corpus, '--stdio'],
      stderr: 'pipe',
    });
    await client.connect(transport);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    await drive(client);
    await client.close();
  });
});

describe('with faults', () => {
  it('a tool fails once, another lies for good, and nothing tells the agent', async () => {
    const client = clientIn('legacy');
    const faults = ['--fault', 'list*=P1', '--fault', 'getCustomer=P4', '--fault-seed', 'e2e'];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [MAIN, 'serve', corpus, '--stdio', ...faults] }),
    );
    const list = () => client.callTool({ name: 'listCustomers', arguments: {} });
    const [failed, listed] = [await list(), await list()];
    expect(failed.isError).toBe(true);
    expect(listed.isError).toBeFalsy();
    const told = JSON.parse(textOf(listed));
    const first = (Object.values(told).find(Array.isArray) ?? told)[0] as { id: string };
    const read = async () => {
      const answer = await client.callTool({ name: 'getCustomer', arguments: { customer_id: first.id } });
      return textOf(answer);
    };
    const [lie, again] = [await read(), await read()];
    expect(again).toBe(lie);
    expect(JSON.parse(lie)).not.toEqual(first);
    expect(`${textOf(failed)}${lie}`).not.toMatch(/inject|fault|P[14]/);
    await client.close();
  });

  it.each([
    ['listCustomers=P7', 'bad_fault', /TOOL=P1/],
    ['no_such_tool=P1', 'unknown_tool', /no_such_tool=P1/],
    ['createCustomer=P4', 'bad_fault', /Take P1 or P2/],
  ])('%s is refused before anything is served', (rule, code, says) => {
    const { status, stdout, stderr } = treadle(['serve', corpus, '--fault', rule, '--json']);
    expect(status).not.toBe(0);
    expect(`${stdout}${stderr}`).toContain(code);
    expect(`${stdout}${stderr}`).toMatch(says);
  });
});

interface Served {
  child: ChildProcess;
  url: string;
  adminUrl: string;
  adminToken: string;
  sessions: { id: string; token: string }[];
}

const servers: ChildProcess[] = [];
afterEach(() => {
  for (const child of servers.splice(0)) child.kill('SIGKILL');
});

const serve = async (...args: string[]): Promise<Served> => {
  const child = spawn(process.execPath, [MAIN, 'serve', corpus, '--json', ...args], { stdio: 'pipe' });
  servers.push(child);
  let text = '';
  for await (const data of child.stdout) {
    text += data;
    try {
      return { child, ...(JSON.parse(text) as Omit<Served, 'child'>) };
    } catch {
      // More of the value is to come.
    }
  }
  throw new Error(`the server said nothing: ${text}`);
};

const over = (url: string, token: string): StreamableHTTPClientTransport =>
  new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } });

const connected = async (mode: Mode, url: string, token: string): Promise<Client> => {
  const client = clientIn(mode);
  await client.connect(over(url, token));
  return client;
};

const ended = async (child: ChildProcess): Promise<unknown> => {
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  return (await gone)[0];
};

describe('over HTTP', () => {
  it.each(MODES)('lists and calls tools, isolated by token, in $label', async ({ mode, version }) => {
    const { child, url, sessions } = await serve('--sessions', '2');
    expect(sessions).toHaveLength(2);
    const [one, two] = await Promise.all(sessions.map(({ token }) => connected(mode, url, token)));
    expect(one?.getNegotiatedProtocolVersion()).toBe(version);
    const id = await drive(one as Client);
    expect(await sees(one as Client, id)).toBe(true);
    expect(await sees(two as Client, id)).toBe(false);
    await one?.close();
    await two?.close();
    expect(await ended(child)).toBe(0);
  });

  it('a wrong token is refused', async () => {
    const { url, adminUrl, sessions } = await serve();
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    const ask = (at: string, token: string): Promise<Response> =>
      fetch(at, {
        method: 'POST',
        body,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      });
    expect((await ask(url, 'trd_wrong')).status).toBe(401);
    expect((await ask(url, sessions[0]?.token as string)).status).toBe(200);
    // An agent's token opens nothing at the admin door.
    expect((await ask(`${adminUrl}/v1/sessions`, sessions[0]?.token as string)).status).toBe(401);
  });

  it('the admin door opens a session for a task: its tools, and the reference works over MCP', async () => {
    const { adminUrl, adminToken, url } = await serve();
    const opened = await fetch(`${adminUrl}/v1/sessions`, {
      method: 'POST',
      body: JSON.stringify({ task: task.id }),
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    });
    expect(opened.status).toBeLessThan(300);
    const { token } = (await opened.json()) as { token: string };
    const client = await connected('auto', url, token);
    const { tools } = await client.listTools();
    const names = new Set(tools.map(({ name }) => name));
    for (const call of task.reference.calls) {
      expect(names.has(call.tool)).toBe(true);
      const result = await client.callTool({ name: call.tool, arguments: call.args });
      expect(result.isError, textOf(result)).toBeFalsy();
    }
    if (!task.services.includes('mail')) expect([...names].some((name) => /mail|message/.test(name))).toBe(false);
    await client.close();

    const unknown = await fetch(`${adminUrl}/v1/sessions`, {
      method: 'POST',
      body: JSON.stringify({ task: '../../etc/passwd' }),
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    });
    expect(unknown.status).toBeGreaterThanOrEqual(400);
    expect(await unknown.text()).toMatch(/unknown_record/);
  });

  it('ends on SIGINT too, with a client connected', async () => {
    const { child, url, sessions } = await serve();
    const client = await connected('legacy', url, sessions[0]?.token as string);
    const gone = once(child, 'exit');
    child.kill('SIGINT');
    expect((await gone)[0]).toBe(0);
    await client.close().catch(() => undefined);
  });

  it('says how to connect', async () => {
    const child = spawn(process.execPath, [MAIN, 'serve', corpus], { stdio: 'pipe' });
    servers.push(child);
    let text = '';
    for await (const data of child.stdout) {
      text += data;
      if (text.includes('Ctrl-C')) break;
    }
    expect(text).toMatch(/agents {5}http:\/\/127\.0\.0\.1:\d+\/mcp\n/);
    const config = JSON.parse(text.split('\n').find((line) => line.startsWith('  {')) as string);
    const [entry] = Object.values(
      config.mcpServers as Record<string, { url: string; headers: Record<string, string> }>,
    );
    const client = await connected('auto', entry?.url as string, entry?.headers.Authorization?.slice(7) as string);
    expect((await client.listTools()).tools.length).toBeGreaterThan(10);
    await client.close();
    expect(await ended(child)).toBe(0);
  });

  it('a port that is taken is one clear line', async () => {
    const { url } = await serve();
    const second = treadle(['serve', corpus, '--port', new URL(url).port]);
    expect(second.status).toBe(2);
    expect(second.stderr).toMatch(/^error cannot_listen: /);
  });
});
