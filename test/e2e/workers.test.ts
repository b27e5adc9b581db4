/** A supervisor, a front and two workers as real processes; the official MCP client and the trainer's client over HTTP; kill -9. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { OpenedSession } from '../../src/serve/api.js';
import { runs } from '../../src/serve/blobs/process.js';
import { connect, type RemoteTrainer } from '../../src/serve/client/client.js';
import { type Supervised, supervise } from '../../src/serve/workers/supervisor/supervisor.js';
import { scratch, treadle } from './cli.js';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
const dir = scratch();
const corpus = join(dir, 'corpus');
const child = fileURLToPath(new URL('./front-child.mjs', import.meta.url));

beforeAll(() => {
  const document = fileURLToPath(new URL('../fixtures/documents/billing.yaml', import.meta.url));
  const built = treadle(['build', document, '--tasks', '1', '--out', corpus, '--json'], { timeoutMs: 280_000 });
  expect(built.status, built.stderr).toBe(0);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Address {
  agents: number;
  trainers: number;
  token: string;
  pid: number;
  world: string;
}

const seen = new Set<number>();
let supervised: Supervised | undefined;
let trainer: RemoteTrainer | undefined;
const clients: Client[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close().catch(() => undefined);
  trainer?.disconnect();
  await supervised?.stop();
  // Workers of a front that was killed end by themselves, once they have written what they have.
  await vi.waitFor(() => expect([...seen].filter(runs)).toEqual([]), { timeout: 60_000, interval: 50 });
  seen.clear();
});

/** Direct children of a process. */
const childrenOf = (pid: number): number[] =>
  readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] === String(pid) ? [Number(name)] : [];
    } catch {
      // It ended while we looked.
      return [];
    }
  });

const workersOf = (pid: number): number[] => {
  const workers = childrenOf(pid);
  for (const one of [pid, ...workers]) seen.add(one);
  return workers;
};

/** Where the front is that came after the one of this process id. */
const addressAfter = async (folder: string, before: number | undefined): Promise<Address> => {
  const file = join(folder, 'address.json');
  const read = (): Address | undefined => {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Address;
    } catch {
      return undefined;
    }
  };
  await vi.waitFor(() => expect(read()?.pid ?? before).not.toBe(before), { timeout: 200_000, interval: 100 });
  return read() as Address;
};

const start = async (name: string, isKept: boolean): Promise<{ folder: string; address: Address }> => {
  const folder = join(dir, name);
  mkdirSync(folder);
  supervised = supervise({
    command: process.execPath,
    args: [child, corpus, ...(isKept ? [join(folder, 'data')] : [])],
    env: { ADDRESS: join(folder, 'address.json') },
    onDefect: () => {},
  });
  const address = await addressAfter(folder, undefined);
  expect(workersOf(address.pid)).toHaveLength(2);
  trainer = connect({ url: `http://127.0.0.1:${address.trainers}`, token: address.token });
  return { folder, address };
};

const open = async (world: string, count: number): Promise<OpenedSession[]> => {
  const opened: OpenedSession[] = [];
  for (let i = 0; i < count; i++) opened.push(await (trainer as RemoteTrainer).open({ world }));
  return opened;
};

const agentOf = async ({ url, token }: OpenedSession): Promise<Client> => {
  const client = new Client({ name: 'probe', version: '1' });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  clients.push(client);
  return client;
};

const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? '';

const create = async (client: Client, name: string): Promise<string> => {
  const args = { name, email: `${name}@example.com` };
  const made = await client.callTool({ name: 'createCustomer', arguments: args });
  expect(made.isError, textOf(made)).toBeFalsy();
  return JSON.parse(textOf(made)).id as string;
};

const has = async (client: Client, id: string): Promise<boolean> => {
  const found = await client.callTool({ name: 'getCustomer', arguments: { customer_id: id } });
  return found.isError !== true && textOf(found).includes(id);
};

it('keeps nothing without a data folder: sessions of a killed worker say so, all others and new ones go on', async () => {
  const { address } = await start('plain', false);
  const opened = await open(address.world, 4);
  const agents = await Promise.all(opened.map(agentOf));
  const made = await Promise.all(agents.map((agent, i) => create(agent, `customer${i}`)));
  const { sessions } = await (trainer as RemoteTrainer).info();
  expect(sessions).toEqual({ open: 4 });
  process.kill(workersOf(address.pid)[0] as number, 'SIGKILL');
  const answers = await Promise.allSettled(agents.map((agent, i) => has(agent, made[i] as string)));
  expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
  for (const [i, answer] of answers.entries()) {
    const { id } = opened[i] as OpenedSession;
    if (answer.status === 'fulfilled') expect([id, answer.value]).toEqual([id, true]);
    else {
      expect(String(answer.reason)).toMatch(/lost/);
      await expect((trainer as RemoteTrainer).session(id)).rejects.toMatchObject({ code: 'session_lost' });
    }
  }
  const [another] = (await open(address.world, 1)) as [OpenedSession];
  expect(await has(await agentOf(another), 'nobody')).toBe(false);
  await vi.waitFor(() => expect(workersOf(address.pid)).toHaveLength(2), { timeout: 60_000, interval: 100 });
});

it('keeps all of it with one: sessions go on after their worker, and after their front, was killed', async () => {
  const { folder, address } = await start('kept', true);
  const opened = await open(address.world, 4);
  const agents = await Promise.all(opened.map(agentOf));
  const first = await Promise.all(agents.map((agent, i) => create(agent, `customer${i}`)));
  const { id } = opened[0] as OpenedSession;
  const { seq } = await (trainer as RemoteTrainer).session(id);
  const list = (ifSeq: number) => (trainer as RemoteTrainer).call(id, { tool: 'listCustomers', arguments: {}, ifSeq });
  await expect(list(seq + 5)).rejects.toMatchObject({ code: 'wrong_seq', value: { session: id, seq } });
  expect((await list(seq)).ok).toBe(true);
  process.kill(workersOf(address.pid)[0] as number, 'SIGKILL');
  const second = await Promise.all(agents.map((agent, i) => create(agent, `second${i}`)));
  for (const [i, agent] of agents.entries())
    expect([i, await has(agent, first[i] as string), await has(agent, second[i] as string)]).toEqual([i, true, true]);
  await vi.waitFor(() => expect(workersOf(address.pid)).toHaveLength(2), { timeout: 60_000, interval: 100 });
  process.kill(address.pid, 'SIGKILL');
  const after = await addressAfter(folder, address.pid);
  expect(workersOf(after.pid)).toHaveLength(2);
  expect({ ...after, pid: 0 }).toEqual({ ...address, pid: 0 });
  for (const [i, agent] of agents.entries())
    expect([i, await has(agent, first[i] as string), await has(agent, second[i] as string)]).toEqual([i, true, true]);
  const listed = await (trainer as RemoteTrainer).sessions();
  // In the order in which the store heard of them, which for sessions of two workers may not be that of their opening.
  expect(listed.map(({ id }) => id).sort()).toEqual(opened.map(({ id }) => id).sort());
  expect(existsSync(join(folder, 'data'))).toBe(true);
});
