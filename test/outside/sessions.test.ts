/** Outside servers and a sandbox as parts of a session: called, forked, brought back and closed with it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../src/kit/hash.js';
import { addressOf } from '../../src/kit/hash.js';
import type { OpenedSession } from '../../src/serve/api.js';
import { inProcess } from '../../src/serve/sessions/server/in-process.js';
import type { Trainer } from '../../src/serve/trainer.js';
import { Engine } from '../../src/world/state/engine.js';
import { type FixtureServer, fixtureServer, newCustomer } from '../fixtures/server.js';
import { oddSpec } from './hosting.js';

const { resolve } = createRequire(import.meta.url);
const FILESYSTEM = join(
  dirname(dirname(resolve('@modelcontextprotocol/client'))),
  '..',
  'server-filesystem',
  'dist',
  'index.js',
);

let engine: Engine;
let fixture: FixtureServer;
let trainer: Trainer;
beforeAll(async () => {
  engine = await Engine.start();
});
beforeEach(() => {
  fixture = fixtureServer(engine);
  trainer = inProcess(fixture.server);
  const files = {
    treadle: 'server/1',
    id: 'files',
    title: 'Files',
    transport: { stdio: { command: process.execPath, args: [FILESYSTEM, '{workspace}'] } },
    keeps: 'workspace',
  };
  fixture.registry.publish('server', 'files', files);
  fixture.registry.publish('server', 'odd', oddSpec('plain') as unknown as Json);
});
afterEach(() => fixture.server.shutDown());
afterAll(() => engine.close());

const open = (servers: string[], more = {}): Promise<OpenedSession> =>
  trainer.open({ task: 'fixture/new-customer-1', servers, ...more });
const write = (id: string, content: string) =>
  trainer.call(id, { tool: 'write_file', arguments: { path: '/workspace/a.txt', content } });
const read = async (id: string): Promise<Json> =>
  (await trainer.call(id, { tool: 'read_text_file', arguments: { path: '/workspace/a.txt' } })).result;

it('its tools stand beside the world’s, its calls are in the ledger, and all of it is judged as one', async () => {
  const session = await open(['files']);
  const names = (await trainer.tools(session.id)).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['create_customer', 'write_file']));
  expect(session.pins.servers.files).toMatchObject({ version: 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  await write(session.id, 'one');
  await trainer.call(session.id, { tool: 'create_customer', arguments: newCustomer });
  const { entries } = await trainer.ledger(session.id);
  expect(entries.map(({ index, service, tool, ok }) => [index, service, tool, ok])).toEqual([
    [0, 'files', 'write_file', true],
    [1, 'billing', 'create_customer', true],
  ]);
  expect(entries[1]?.at).toBe((entries[0]?.at ?? 0) + 5);
  expect(await trainer.verify(session.id)).toMatchObject({ pass: true });
  expect((await trainer.statistics({ service: 'files' })).map(({ calls }) => calls)).toEqual([1]);
  const text = JSON.stringify([await trainer.tools(session.id), entries]);
  expect(text).not.toContain(fixture.server.folder);
});

it('is forked, brought back and reset with the session', async () => {
  const session = await open(['files']);
  await write(session.id, 'one');
  const { snapshot } = await trainer.snapshot(session.id);
  const branches = await trainer.fork(session.id, { count: 2 });
  await write(branches[0]?.id as string, 'two');
  await write(session.id, 'three');
  const contents = await Promise.all([session, ...branches].map(({ id }) => read(id)));
  expect(contents).toEqual([{ content: 'three' }, { content: 'two' }, { content: 'one' }]);
  await trainer.restore(session.id, snapshot);
  expect(await read(session.id)).toEqual({ content: 'one' });
  await trainer.reset(session.id);
  expect((await trainer.call(session.id, { tool: 'read_text_file', arguments: { path: '/workspace/a.txt' } })).ok).toBe(
    false,
  );
});

it('what cannot be copied is marked, and refused without a trace', async () => {
  const session = await open(['odd', 'files']);
  expect(session.unforkable).toEqual(['odd']);
  const before = fixture.server.size;
  await expect(trainer.fork(session.id, { count: 3 })).rejects.toMatchObject({ code: 'not_forkable', value: ['odd'] });
  await expect(trainer.snapshot(session.id)).rejects.toMatchObject({ code: 'not_forkable' });
  expect(fixture.server.size).toBe(before);
  expect((await trainer.session(session.id)).snapshots).toEqual([]);
  expect((await write(session.id, 'still here')).ok).toBe(true);
});

it('a paused session’s servers stand still and go on', async () => {
  const session = await open(['files']);
  await trainer.pause(session.id);
  await expect(write(session.id, 'x')).rejects.toMatchObject({ code: 'session_paused' });
  await trainer.resume(session.id);
  expect((await write(session.id, 'x')).ok).toBe(true);
});

it('calls of one session run one after another, whoever answers them', async () => {
  const session = await open(['files']);
  const calls = Array.from({ length: 12 }, (_, n) =>
    n % 3 === 0
      ? write(session.id, `n${n}`)
      : trainer.call(session.id, {
          tool: 'create_customer',
          arguments: { name: `N ${n}`, email: `n${n}@mail.example` },
        }),
  );
  const outcomes = await Promise.all(calls);
  expect(outcomes.map(({ entry }) => entry.index)).toEqual([...calls.keys()]);
});

it('rests with its processes running, and nothing is lost', async () => {
  const session = await open(['files']);
  await write(session.id, 'one');
  await trainer.call(session.id, { tool: 'create_customer', arguments: newCustomer });
  const live = fixture.server.live(session.id);
  expect(live.park()).toBe(true);
  await live.leaveMemory();
  expect(await read(session.id)).toEqual({ content: 'one' });
  expect(await trainer.verify(session.id)).toMatchObject({ pass: true });
});

it('closing ends processes and removes folders', async () => {
  const session = await open(['files'], { sandbox: true });
  await write(session.id, 'one');
  const folder = join(fixture.server.folder, session.id);
  expect(existsSync(folder)).toBe(true);
  await trainer.close(session.id);
  expect(existsSync(folder)).toBe(false);
  expect((await trainer.ledger(session.id)).entries).toHaveLength(1);
});

describe('a sandbox', () => {
  it('is a folder of the agent’s own that goes where the session goes', async () => {
    const session = await open([], { sandbox: true });
    const folder = session.sandbox as string;
    writeFileSync(join(folder, 'work.txt'), 'one');
    const { snapshot } = await trainer.snapshot(session.id);
    const [branch] = await trainer.fork(session.id);
    expect(readFileSync(join(branch?.sandbox as string, 'work.txt'), 'utf8')).toBe('one');
    expect(branch?.sandbox).not.toBe(folder);
    writeFileSync(join(folder, 'work.txt'), 'two');
    mkdirSync(join(folder, 'more'));
    await trainer.restore(session.id, snapshot);
    expect(readdirSync(folder)).toEqual(['work.txt']);
    expect(readFileSync(join(folder, 'work.txt'), 'utf8')).toBe('one');
  });
});

describe('what is wrong with a server is said when the session is opened, and nothing is left', () => {
  it.each([
    [
      'ends at once',
      { transport: { stdio: { command: process.execPath, args: ['-e', 'process.exit(3)'] } } },
      /server_start_failed/,
    ],
    ['no-such-program', { transport: { stdio: { command: '/no/such/program', args: [] } } }, /cannot_start/],
  ])('%s', async (mode, more, expected) => {
    fixture.registry.publish('server', 'bad', oddSpec(mode, more) as unknown as Json);
    await expect(open(['files', 'bad'])).rejects.toMatchObject({ code: expect.stringMatching(expected) });
    expect(fixture.server.size).toBe(0);
    expect(readdirSync(fixture.server.folder).filter((name) => name !== 'ledgers')).toEqual([]);
  });

  it('a tool of the same name as one of the world’s', async () => {
    const spec = fixture.registry.read('server', 'files') as object;
    const tools = { ...spec, prefix: 'x' };
    fixture.registry.publish('server', 'twice', { ...tools, prefix: undefined, id: 'twice' } as unknown as Json);
    await expect(open(['files', 'twice'])).rejects.toMatchObject({ code: 'tool_clash' });
    expect(addressOf(spec)).toMatch(/^[0-9a-f]{64}$/);
    await expect(open(['nowhere'])).rejects.toMatchObject({ code: 'unknown_record' });
  });
});
