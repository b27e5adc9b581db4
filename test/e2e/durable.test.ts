/** Servers of the command line on one data folder: killed, stopped, beside one another; and what treadle sessions says of it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { OpenedSession } from '../../src/serve/api.js';
import { connect, type RemoteTrainer } from '../../src/serve/client/client.js';
import { errorLine, MAIN, scratch, treadle } from './cli.js';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const dir = scratch();
const corpus = join(dir, 'corpus');
const data = join(dir, 'data');

beforeAll(() => {
  const document = fileURLToPath(new URL('../fixtures/documents/billing.yaml', import.meta.url));
  const built = treadle(['build', document, '--tasks', '1', '--out', corpus, '--json'], { timeoutMs: 230_000 });
  expect(built.status, built.stderr).toBe(0);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Served {
  child: ChildProcess;
  said: {
    url: string;
    adminUrl: string;
    adminToken: string;
    sessions: OpenedSession[];
    recovered?: Record<string, number>;
  };
  trainer: RemoteTrainer;
}

const running = new Set<Served>();
afterEach(() => {
  for (const { child, trainer } of running) {
    trainer.disconnect();
    child.kill('SIGKILL');
  }
  running.clear();
  rmSync(data, { recursive: true, force: true });
});

const serve = async (...more: string[]): Promise<Served> => {
  const args = [MAIN, 'serve', corpus, '--data', data, '--sessions', '0', '--no-warm', '--json', ...more];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  await expect.poll(() => text.endsWith('}\n'), { timeout: 120_000 }).toBe(true);
  const said = JSON.parse(text) as Served['said'];
  const served = { child, said, trainer: connect({ url: said.adminUrl, token: said.adminToken }) };
  running.add(served);
  return served;
};

const end = async (served: Served, signal: NodeJS.Signals): Promise<void> => {
  served.trainer.disconnect();
  running.delete(served);
  served.child.kill(signal);
  await once(served.child, 'exit');
};

const create = async ({ trainer }: Served, { id }: { id: string }, n: number) =>
  trainer.call(id, { tool: 'createCustomer', arguments: { name: `New ${n}`, email: `new${n}@co.example` } });

const world = (trainer: RemoteTrainer): Promise<string> =>
  trainer.records('world').then(([first]) => first?.name ?? '');

it('goes on after kill -9 with every call that was answered, and after a stop too', async () => {
  const first = await serve('--durable', 'call');
  const session = await first.trainer.open({ world: await world(first.trainer) });
  for (let n = 0; n < 3; n++) expect((await create(first, session, n)).ok).toBe(true);
  const [state, info] = [await first.trainer.state(session.id), await first.trainer.session(session.id)];
  await end(first, 'SIGKILL');

  const listed = JSON.parse(treadle(['sessions', '--data', data, '--json']).stdout);
  expect(listed.sessions).toMatchObject([{ session: session.id, status: 'open', calls: 3, seq: 3, lost: 0 }]);
  const shown = treadle(['sessions', 'inspect', session.id, '--data', data]);
  expect(shown.stdout).toContain(session.id);

  const second = await serve('--durable', 'call');
  expect(second.said.recovered).toMatchObject({ recovered: 1, rolled_back: 0, lost: 0 });
  expect(await second.trainer.state(session.id)).toEqual(state);
  expect(await second.trainer.session(session.id)).toEqual(info);
  const agent = await fetch(`${new URL(second.said.url).origin}${new URL(session.url).pathname}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${session.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  expect(agent.status).toBe(200);
  expect((await create(second, session, 9)).ok).toBe(true);
  await end(second, 'SIGTERM');

  const third = await serve();
  expect((await third.trainer.session(session.id)).calls).toBe(4);
  const { keeping } = await third.trainer.info();
  expect(keeping).toMatchObject({ durability: 'none', kept: 1, recoveries: { recovered: 1, lost: 0 } });
  await end(third, 'SIGTERM');
  const removed = JSON.parse(treadle(['sessions', 'reap', '--data', data, '--all', '--json']).stdout);
  expect(removed.removed).toEqual([session.id]);
  expect(readdirSync(join(data, 'logs'))).toEqual([]);
});

it('tells once what a kill took where savepoints alone are promised', async () => {
  const first = await serve();
  const session = await first.trainer.open({ world: await world(first.trainer) });
  for (let n = 0; n < 3; n++) await create(first, session, n);
  await end(first, 'SIGKILL');
  const second = await serve();
  const { seq, lost } = await second.trainer.session(session.id);
  expect(lost).toBe(3);
  expect(seq).toBeLessThan(3);
  await expect(create(second, session, 4)).rejects.toMatchObject({ code: 'rolled_back', value: { seq, lost: 3 } });
  expect((await create(second, session, 4)).ok).toBe(true);
});

it('lets nobody else into the folder, and says what is wrong with a request for it', async () => {
  await serve();
  const beside = treadle(['serve', corpus, '--data', data, '--sessions', '0', '--json']);
  expect(beside.status).toBe(2);
  expect(errorLine(beside)).toMatch(/^error folder_in_use: /);
  expect(errorLine(treadle(['sessions', '--data', data]))).toMatch(/^error folder_in_use: /);
  for (const [args, code] of [
    [['serve', corpus, '--durable', 'call'], 'no_data_folder'],
    [['serve', corpus, '--blobs', join(dir, 'blobs')], 'no_data_folder'],
    [['serve', corpus, '--stdio', '--workers', '2'], 'stdio_alone'],
    [['serve', corpus, '--data', data, '--durable', 'never'], 'bad_usage'],
    [['serve', corpus, '--data', join(dir, 'other'), '--blobs', 's3://user:secret@bucket/x'], 'bad_blob_store'],
    [['sessions', '--data', join(dir, 'nowhere')], 'no_data_folder'],
    [['sessions'], 'no_place'],
  ] as const) {
    const ran = treadle(args);
    expect(ran.status, args.join(' ')).toBe(2);
    expect(errorLine(ran)).toMatch(new RegExp(`^error ${code}: `));
    expect(ran.stderr).not.toContain('secret');
  }
  expect(existsSync(join(dir, 'nowhere'))).toBe(false);
});

it('has its folder looked at by the doctor, which leaves nothing behind', async () => {
  const served = await serve();
  const inUse = treadle(['doctor', '--data', data, '--json']);
  expect(inUse.status).toBe(1);
  const of = (ran: { stdout: string }, what: string) =>
    (JSON.parse(ran.stdout).data as { what: string; ok: boolean; value: string }[]).find((one) => one.what === what);
  expect(of(inUse, 'store')).toMatchObject({ ok: false, value: expect.stringContaining('process') });
  await served.trainer.open({ world: await world(served.trainer) });
  await end(served, 'SIGTERM');
  const free = treadle(['doctor', '--data', data, '--json']);
  expect(of(free, 'sessions')).toMatchObject({ ok: true, value: '1 kept' });
  expect(of(free, 'sync')?.value).toMatch(/ms/);
  expect(readdirSync(data).filter((name) => name.startsWith('doctor'))).toEqual([]);
  const none = treadle(['doctor', '--data', join(corpus, 'treadle.json', 'x'), '--json']);
  expect(none.status).toBe(1);
  expect(of(none, 'folder')).toMatchObject({ ok: false });
});

it('refuses what the disk’s reserve does not leave room for, and goes on where nothing is asked of it', async () => {
  const served = await serve('--disk-reserve', '1048576');
  await expect(served.trainer.open({ world: await world(served.trainer) })).rejects.toMatchObject({ code: 'disk_low' });
  expect((await served.trainer.info()).version).toBeTruthy();
});
