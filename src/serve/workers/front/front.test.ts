import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TreadleError } from '../../../errors.js';
import type { OpenedSession } from '../../api.js';
import { runs } from '../../blobs/process.js';
import { processClock } from '../../durable/clock.js';
import { memoryOwnership } from '../../durable/ownership/memory.js';
import { openRegistry } from '../../registry/registry.js';
import { serveWithWorkers, type WithWorkers, type WithWorkersOptions } from '../serve.js';
import { type FakeMode, fakeWorker } from './fake-worker.fixture.js';
import type { FrontLimits } from './limits.js';

let folder: string;
let served: WithWorkers | undefined;
let said: TreadleError[];
const pids = new Set<number>();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'treadle-front-'));
  said = [];
  mode('well');
});
afterEach(async () => {
  await served?.close();
  served = undefined;
  expect([...pids].filter(runs)).toEqual([]);
  pids.clear();
  rmSync(folder, { recursive: true, force: true });
});

const mode = (to: FakeMode): void => writeFileSync(join(folder, 'mode'), to);

const LIMITS: Partial<FrontLimits> = {
  healthMs: 20,
  graceMs: 500,
  waitMs: 60_000,
  stableMs: 600_000,
  again: { firstMs: 1, mostMs: 20 },
};

const start = async (
  more: Partial<WithWorkersOptions> = {},
  limits: Partial<FrontLimits> = {},
): Promise<WithWorkers> => {
  served = await serveWithWorkers({
    workers: 2,
    command: fakeWorker(folder),
    house: null,
    registry: openRegistry(),
    doors: {},
    limits: { ...LIMITS, ...limits },
    onDefect: (error) => said.push(error),
    onFatal: (error) => said.push(error),
    ...more,
  });
  note();
  return served;
};

const note = (): void => {
  for (const { pid } of served?.fleet.workers ?? []) pids.add(pid as number);
};

const noted = <T>(look: () => T): T => {
  note();
  return look();
};

const open = (count: number): Promise<OpenedSession[]> =>
  Promise.all(Array.from({ length: count }, () => (served as WithWorkers).trainer.open({ world: 'any' })));

/** A request of an agent, as plain as they come. */
const visit = async ({ id, token }: OpenedSession, body: string): Promise<{ status: number; text: string }> => {
  const { origin } = new URL((served as WithWorkers).url);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${origin}/s/${id}/mcp`, { method: 'POST', headers, body });
  return { status: answer.status, text: await answer.text() };
};

const ownerOf = ({ id }: OpenedSession) => (served as WithWorkers).router.ownerOf(id);
const stateOf = ({ id }: OpenedSession): { n: number } =>
  JSON.parse(readFileSync(join(folder, `${id}.session`), 'utf8'));
const call = ({ id }: OpenedSession, tool: string): Promise<unknown> =>
  (served as WithWorkers).trainer.call(id, { tool });

it('places sessions where there are fewest, and lists them in the order of opening', async () => {
  const { trainer, fleet } = await start();
  const sessions = [];
  for (let i = 0; i < 6; i++) sessions.push(...(await open(1)));
  expect([...fleet.workers].map((worker) => worker.sessions.size)).toEqual([3, 3]);
  const ids = sessions.map(({ id }) => id);
  const listed = async (filter = {}) => (await trainer.sessions(filter)).map(({ id }) => id);
  expect(await listed()).toEqual(ids);
  expect(await listed({ after: ids[1], limit: 3 })).toEqual(ids.slice(2, 5));
  await expect(trainer.sessions({ after: 'nobody' })).rejects.toMatchObject({ code: 'unknown_session' });
  await expect(trainer.session('nobody')).rejects.toMatchObject({ code: 'unknown_session' });
  expect(await visit(sessions[0] as OpenedSession, '{}')).toMatchObject({
    status: 200,
    text: expect.stringMatching(/^w\d 1$/),
  });
});

it('refuses sessions beyond its capacity, over all workers', async () => {
  await start({}, { capacity: 3 });
  for (let i = 0; i < 3; i++) await open(1);
  await expect(open(1)).rejects.toMatchObject({ code: 'at_capacity', isRetryable: true });
});

it('sends what a dead worker had not answered to the next owner, under its number, and it is not done twice', async () => {
  await start();
  const [session, other] = (await open(2)) as [OpenedSession, OpenedSession];
  const victim = ownerOf(session);
  expect(ownerOf(other)).not.toBe(victim);
  const [died, beside] = await Promise.all([visit(session, 'die'), visit(other, '{}')]);
  expect(beside.status).toBe(200);
  // Done by the one that died, told by the other.
  expect(died).toEqual({ status: 200, text: `${victim?.name} 1` });
  expect(stateOf(session).n).toBe(1);
  expect(ownerOf(session)).not.toBe(victim);
  expect((await visit(session, '{}')).text).toBe(`${ownerOf(session)?.name} 2`);
  const third = (await open(1))[0] as OpenedSession;
  const trainers = ownerOf(third);
  expect(await call(third, 'die')).toBe(`${trainers?.name} 1`);
  expect(stateOf(third).n).toBe(1);
  await expect.poll(() => said.map(({ message }) => message)).toEqual(Array(2).fill(expect.stringMatching(/SIGKILL/)));
  await expect.poll(() => [...(served?.fleet.workers ?? [])].filter(({ state }) => state === 'ready').length).toBe(2);
  note();
});

const born = (dies?: 'before' | 'after') =>
  (served as WithWorkers).trainer.open({ world: 'any', ...(dies ? { dies } : {}) } as object);
const died = (): string => readFileSync(join(folder, 'died'), 'utf8');

it('answers with the session that a worker opened right before it ended', async () => {
  const { trainer, router } = await start();
  const session = await born('after');
  expect(session.id).toBe(died());
  expect([...router.all()].map(({ id }) => id)).toEqual([session.id]);
  expect((await visit(session, '{}')).text).toMatch(/^w\d 1$/);
  expect(await trainer.sessions()).toHaveLength(1);
});

it('opens another where the worker ended before it opened one, and nobody is left with the first', async () => {
  const { router } = await start();
  const session = await born('before');
  expect(session.id).not.toBe(died());
  expect([...router.all()].map(({ id }) => id)).toEqual([session.id]);
});

it('finds what was opened under a key before its own life', async () => {
  const secret = new Uint8Array(32).fill(7);
  const ownership = memoryOwnership(processClock, {});
  const before = await start({ secret, ownership });
  const first = await before.trainer.open({ world: 'any' }, { key: 'k-1' });
  await ownership.claim((await ownership.register('w0', 60_000)).incarnation, [first.id]);
  await before.close();
  const { trainer } = await start({ secret, ownership });
  expect(await trainer.open({ world: 'any' }, { key: 'k-1' })).toEqual(first);
  expect((await trainer.open({ world: 'any' }, { key: 'k-2' })).id).not.toBe(first.id);
  expect(await trainer.sessions()).toHaveLength(2);
  note();
});

it('says of a session that nobody could take over that it is lost, to everybody, and lives on', async () => {
  await start();
  const [session, other] = (await open(2)) as [OpenedSession, OpenedSession];
  rmSync(join(folder, `${session.id}.session`));
  ownerOf(session)?.kill();
  const answers = await Promise.all([visit(session, '{}'), visit(session, '{}'), visit(other, '{}')]);
  expect(answers.map(({ status }) => status)).toEqual([410, 410, 200]);
  expect(answers[0]?.text).toContain('nothing of it is there');
  await expect(call(session, 'x')).rejects.toMatchObject({ code: 'session_lost', fault: 'infrastructure' });
  expect((await open(1)).length).toBe(1);
});

it('waits for an owner only so long', async () => {
  await start({ workers: 1 }, { waitMs: 100, again: { firstMs: 60_000, mostMs: 60_000 } });
  const [session] = (await open(1)) as [OpenedSession];
  ownerOf(session)?.kill();
  const { status, text } = await visit(session, '{}');
  expect([status, text]).toEqual([503, expect.stringContaining('on its way')]);
  await expect(call(session, 'x')).rejects.toMatchObject({ code: 'session_moving', isRetryable: true });
  await expect(open(1)).rejects.toMatchObject({
    code: 'no_worker',
    message: expect.stringMatching(/w1 is being started again/),
  });
});

it('rolls: sessions move live while they are called, and every process is another one', async () => {
  const { fleet, rollWorkers } = await start();
  const sessions = await open(6);
  const before = [...fleet.workers].map(({ pid }) => pid);
  let isOver = false;
  const calls: number[] = [];
  const caller = async (session: OpenedSession): Promise<void> => {
    for (let n = 1; !isOver || n < 3; n++) {
      const { status, text } = await visit(session, '{}');
      expect([status, text]).toEqual([200, expect.stringMatching(new RegExp(`^w\\d ${n}$`))]);
      calls.push(n);
    }
  };
  const callers = sessions.map(caller);
  await rollWorkers();
  isOver = true;
  await Promise.all(callers);
  note();
  const after = [...fleet.workers].map(({ pid }) => pid);
  expect(after).toHaveLength(2);
  expect(after.filter((pid) => before.includes(pid))).toEqual([]);
  expect(sessions.reduce((sum, session) => sum + stateOf(session).n, 0)).toBe(calls.length);
  expect(said).toEqual([]);
});

it('rolls nothing where sessions cannot move, says why, and serves on', async () => {
  mode('keeps');
  const { fleet, rollWorkers } = await start();
  const [session] = (await open(1)) as [OpenedSession];
  const owner = ownerOf(session);
  await expect(rollWorkers()).rejects.toMatchObject({ code: 'cannot_move' });
  expect(ownerOf(session)).toBe(owner);
  expect((await visit(session, '{}')).text).toBe(`${owner?.name} 1`);
  await expect.poll(() => fleet.workers.size).toBe(2);
  expect(owner?.state).toBe('ready');
});

it('takes sessions off a worker that uses too much memory', async () => {
  mode('heavy');
  // As its processes start again they are heavy again, so it stays one that is given nothing.
  const { fleet } = await start({}, { memoryBytes: 1e9, healthMs: 200 });
  const w2 = [...fleet.workers].find(({ name }) => name === 'w2');
  const sessions = await open(4);
  await expect.poll(() => w2?.sessions.size).toBe(4);
  note();
  for (const session of sessions) expect((await visit(session, '{}')).text).toMatch(/^w2 /);
  await expect.poll(() => noted(() => fleet.reasons()[0])).toMatch(/memory|start/);
});

it('gives a worker up that says nothing any more, and its sessions to others', async () => {
  await start({}, { lateMs: 150, lostMs: 600 });
  const [session] = (await open(1)) as [OpenedSession];
  const victim = ownerOf(session);
  process.kill(victim?.pid as number, 'SIGSTOP');
  expect(await visit(session, '{}')).toMatchObject({ status: 200 });
  expect(ownerOf(session)).not.toBe(victim);
  expect(said.map(({ code }) => code)).toContain('worker_silent');
  note();
});

it('buries a worker in the store before others take its sessions, and knows them all after a restart', async () => {
  const ownership = memoryOwnership(processClock, {});
  const deeds: string[] = [];
  const told = new Proxy(ownership, {
    get: (target, method: keyof typeof ownership) => {
      if (method !== 'reap') deeds.push(method);
      return target[method].bind(target);
    },
  });
  const { incarnation } = await ownership.register('w0', 60_000);
  const ids = ['BEFOREBEFORE0001', 'BEFOREBEFORE0002'];
  await ownership.claim(incarnation, ids);
  writeFileSync(join(folder, `${ids[0]}.session`), JSON.stringify({ n: 5, done: {} }));
  const { router, trainer } = await start({ ownership: told });
  expect(deeds).toEqual(['workers', 'bury', 'sessions']);
  expect([...router.all()].map(({ id }) => id)).toEqual(ids);
  expect(await trainer.call(ids[0] as string, { tool: 'x' })).toMatch(/^w\d 6$/);
  await expect(trainer.call(ids[1] as string, { tool: 'x' })).rejects.toMatchObject({ code: 'session_lost' });
  router.ownerOf(ids[0] as string)?.kill();
  expect(await trainer.call(ids[0] as string, { tool: 'x' })).toMatch(/^w\d 7$/);
  expect(deeds).toEqual(['workers', 'bury', 'sessions', 'bury']);
  note();
});

it('goes on when a client hangs up while its request is under way', async () => {
  await start();
  const [session] = (await open(1)) as [OpenedSession];
  const { port } = new URL((served as WithWorkers).url);
  const head = `POST /s/${session.id}/mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${session.token}`;
  const request = `${head}\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`;
  for (let i = 0; i < 3; i++) {
    const socket = connect(Number(port), '127.0.0.1');
    await new Promise<void>((resolve) => socket.write(request, () => resolve()));
    await expect.poll(() => stateOf(session).n).toBe(i + 1);
    socket.destroy();
  }
  expect((await visit(session, '{}')).text).toMatch(/^w\d 4$/);
  expect([...(served?.fleet.workers ?? [])].map(({ rpc }) => rpc.underWay)).toEqual([0, 0]);
});

it('tells every worker of a change before it is acknowledged', async () => {
  const { trainer } = await start();
  await trainer.publish('server', 'box', { any: 1 });
  for (const name of ['w1', 'w2'])
    expect(JSON.parse(readFileSync(join(folder, `${name}.told`), 'utf8'))).toMatchObject([
      { op: 'publish', name: 'box' },
    ]);
});

it.each([
  ['ends', {}, 'worker_crashes', /ended 3 times in a row.*code 3/],
  ['silent', { helloMs: 150 }, 'worker_crashes', /did not say hello/],
  ['noise', {}, 'worker_crashes', /no frame/],
] as const)(
  'says what is wrong when its workers are of the kind "%s", and leaves nothing',
  async (kind, limits, code, says) => {
    mode(kind);
    const failed =
      kind === 'noise' ? start({}, { starts: 3 }).then(() => undefined) : start({}, { ...limits, starts: 3 });
    if (kind !== 'noise') {
      await expect(failed).rejects.toMatchObject({ code, message: expect.stringMatching(says) });
      return;
    }
    // They were ready for a moment, so the server began; it says that it is of no use.
    await failed.catch((error: TreadleError) => said.push(error));
    await expect.poll(() => noted(() => said.map((error) => error.code))).toContain(code);
    expect(said.some(({ message }) => says.test(message))).toBe(true);
  },
);

it('refuses what leads nowhere itself, as a session server does', async () => {
  const { url, router } = await start();
  const [session] = (await open(1)) as [OpenedSession];
  const { origin } = new URL(url);
  const ask = async (path: string, headers: Record<string, string>, method = 'POST') =>
    (await fetch(`${origin}${path}`, { method, headers, ...(method === 'POST' ? { body: '{}' } : {}) })).status;
  const json = { 'content-type': 'application/json' };
  const stranger = `Bearer trd_${'A'.repeat(16)}.${'b'.repeat(43)}`;
  const own = `Bearer ${session.token}`;
  expect(await ask('/mcp', json)).toBe(401);
  expect(await ask('/mcp', { ...json, authorization: stranger })).toBe(401);
  expect(await ask('/mcp', { ...json, authorization: stranger }, 'GET')).toBe(401);
  expect(await ask('/elsewhere', { ...json, authorization: stranger })).toBe(404);
  expect(await ask(`/s/${session.id}/mcp`, { ...json, authorization: own, origin: 'http://evil.example' })).toBe(403);
  router.forget(session.id);
  expect(await ask(`/s/${session.id}/mcp`, { ...json, authorization: own })).toBe(404);
});
