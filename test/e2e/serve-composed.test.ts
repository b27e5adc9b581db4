/** A composed task over HTTP: an agent plays it through MCP stage by stage, a trainer judges, forks and lets it rest. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Call, Task } from '../../src/artifacts/task.js';
import type { OpenedSession } from '../../src/serve/api.js';
import { connect, type RemoteTrainer } from '../../src/serve/client/client.js';
import { MAIN, scratch } from './cli.js';
import { warm } from './warm/warm.js';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const dir = scratch();
const corpus = join(dir, 'corpus');
let server: ChildProcess;
let trainer: RemoteTrainer;
let task: Task;
let name: string;

const done = ({ status, stderr }: { status: number; stderr: string }): void => expect(status, stderr).toBe(0);

beforeAll(async () => {
  done(warm(['build', 'a kitchen supplies wholesaler in Leeds', '--tasks', '1', '--out', corpus, '--json']));
  done(warm(['tasks', corpus, '--composed', '1', '--mix', 'simple=1', '--json']));
  server = spawn(process.execPath, [
    ...[MAIN, 'serve', corpus, '--sessions', '0', '--json'],
    // Parked after a second without a request, and never moved further.
    ...['--resting', '1,3600,3600'],
  ]);
  const [text] = (await once(server.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const { adminUrl, adminToken } = JSON.parse(String(text)) as { adminUrl: string; adminToken: string };
  trainer = connect({ url: adminUrl, token: adminToken });
  for (const record of await trainer.records('task')) {
    const read = (await trainer.read('task', record.name)) as unknown as Task;
    if (read.kind === 'composed') [task, name] = [read, record.name];
  }
});
afterAll(async () => {
  trainer.disconnect();
  server.kill('SIGTERM');
  expect((await once(server, 'exit'))[0]).toBe(0);
  rmSync(dir, { recursive: true, force: true });
});

/** The calls of each stage, in order. */
const turns = (): { node: string; calls: Call[]; says: string }[] => {
  const calls = [...task.reference.calls];
  return task.nodes.map(({ id, chain }) => ({
    node: id,
    calls: calls.splice(0, chain.length),
    says: task.milestones.find(({ node }) => node === id)?.says ?? '',
  }));
};

/** One turn of the agent's, through its own door. */
const play = async ({ url, token }: OpenedSession, calls: readonly Call[]): Promise<void> => {
  const headers = { authorization: `Bearer ${token}` };
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  for (const { tool, args } of calls) {
    const { isError } = await client.callTool({ name: tool, arguments: args });
    expect(isError ?? false, tool).toBe(false);
  }
  await client.close();
};

it('passes at every stage and at the end; forks and rests on the way change nothing', async () => {
  const stages = turns();
  const half = stages.length >> 1;
  expect(stages.length).toBeGreaterThanOrEqual(4);
  const session = await trainer.open({ task: name });
  expect((await trainer.state(session.id)).changes).toEqual({});
  const answers: Record<string, string> = {};
  const act = async (on: OpenedSession, from: number, to: number, said: Record<string, string>): Promise<void> => {
    for (const [n, { node, calls, says }] of stages.slice(from, to).entries()) {
      await play(on, calls);
      said[node] = says;
      const { pass, milestones } = await trainer.verify(on.id, { at: node, answers: said });
      expect(pass, node).toBe(true);
      expect(milestones).toHaveLength(from + n + 1);
    }
  };
  await act(session, 0, half, answers);
  const reached = await trainer.state(session.id);
  expect(await trainer.verify(session.id, { answers })).toMatchObject({ pass: false });

  const [one, idle] = (await trainer.fork(session.id, { count: 2 })) as [OpenedSession, OpenedSession];
  await act(one, half, stages.length, { ...answers });
  expect((await trainer.state(idle.id)).hash).toBe(reached.hash);
  expect((await trainer.state(session.id)).hash).toBe(reached.hash);

  await expect.poll(async () => (await trainer.session(session.id)).residence, { timeout: 60_000 }).toBe('parked');
  await act(session, half, stages.length, answers);
  expect(await trainer.state(session.id)).toEqual(await trainer.state(one.id));
  for (const { id } of [session, one]) {
    expect(await trainer.verify(id, { answers })).toMatchObject({ pass: true, fault: 'none' });
    expect(await trainer.verify(id, { answer: task.reference.answer })).toMatchObject({ pass: true });
  }
  const at = stages[half - 1]?.node as string;
  expect(await trainer.verify(idle.id, { at, answers })).toMatchObject({ pass: true });
  expect(await trainer.verify(idle.id, { answer: task.reference.answer })).toMatchObject({ pass: false });

  await trainer.reset(session.id);
  expect((await trainer.state(session.id)).changes).toEqual({});
  for (const { id } of [session, one, idle]) await trainer.close(id);
});
