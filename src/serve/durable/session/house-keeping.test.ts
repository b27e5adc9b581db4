import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TreadleError } from '../../../errors.js';
import type { Json } from '../../../kit/hash.js';
import { Engine } from '../../../world/state/engine.js';
import type { OpenedSession } from '../../api.js';
import type { CallOutcome } from '../../tool-host.js';
import { Machine, type Running } from './house.fixture.js';

let engine: Engine;
let machine: Machine;
beforeAll(async () => {
  engine = await Engine.start();
});
afterEach(() => machine.end());
afterAll(() => engine.close());

const TASK = { task: 'fixture/new-customer-1' };
const code = (code: string) => expect.objectContaining({ code });
const open = async ({ server }: Running, request: object = TASK): Promise<OpenedSession> => server.open(request);
const call = async (
  { server }: Running,
  { id }: { id: string },
  tool: string,
  args: Json = {},
  options = {},
): Promise<CallOutcome> => server.live(id).call(tool, args, options);
const add = (running: Running, session: { id: string }, n: number, options = {}): Promise<CallOutcome> =>
  call(running, session, 'create_customer', { name: `New ${n}`, email: `new${n}@mail.example` }, options);
const stateOf = async ({ server }: Running, { id }: { id: string }) => server.live(id).state();
const ledgerOf = ({ server }: Running, { id }: { id: string }) => server.live(id).record().entries;

describe.each(['call', 'disk'] as const)('durable: %s', (durability) => {
  it('has every call after the process died: state, ledger, clock, tokens, seq', async () => {
    machine = new Machine(engine, { durability });
    const before = await machine.start();
    const session = await open(before);
    for (let n = 0; n < 5; n++) await add(before, session, n);
    await call(before, session, 'no_such_tool');
    const [state, entries, info] = [
      await stateOf(before, session),
      ledgerOf(before, session),
      before.server.live(session.id).info(),
    ];
    const after = await machine.restart(before);
    expect(after.taken.sessions).toEqual([{ session: session.id, outcome: 'recovered', seq: 6 }]);
    expect(await stateOf(after, session)).toEqual(state);
    expect(ledgerOf(after, session)).toEqual(entries);
    expect({ ...after.server.live(session.id).info(), residence: info.residence }).toEqual(info);
    expect(after.server.find(session.token).state).toBe('open');
    expect(after.server.find(session.services.billing?.token ?? '').state).toBe('open');
    expect(after.defects).toEqual([]);
    // It goes on as if nothing had been: again and again.
    expect((await add(after, session, 9)).ok).toBe(true);
    const third = await machine.restart(after);
    expect(third.taken.sessions).toEqual([{ session: session.id, outcome: 'recovered', seq: 7 }]);
    expect(ledgerOf(third, session)).toHaveLength(7);
  });
});

describe('durable: none', () => {
  it('tells once what was lost since the savepoint, and goes on from there', async () => {
    machine = new Machine(engine, { durability: 'none' });
    const before = await machine.start();
    const session = await open(before);
    await add(before, session, 0);
    await add(before, session, 1);
    const kept = before.house.keeper.of(before.server.live(session.id));
    expect(kept && (await before.house.savepoints.save(kept))).toBe(true);
    const state = await stateOf(before, session);
    for (let n = 2; n < 5; n++) await add(before, session, n);
    const after = await machine.restart(before);
    expect(after.taken.sessions).toEqual([{ session: session.id, outcome: 'rolled_back', seq: 2, lost: 5 }]);
    expect(after.server.live(session.id).info()).toMatchObject({ seq: 2, lost: 5 });
    expect(await stateOf(after, session)).toEqual(state);
    await expect(add(after, session, 7)).rejects.toThrow(code('rolled_back'));
    expect((await add(after, session, 7)).ok).toBe(true);
    expect(after.server.live(session.id).info()).toMatchObject({ seq: 3, calls: 3 });
  });

  it('still has to tell it after another death before anybody asked', async () => {
    machine = new Machine(engine, { durability: 'none' });
    const first = await machine.start();
    const session = await open(first);
    await add(first, session, 0);
    const second = await machine.restart(first);
    const third = await machine.restart(second);
    expect(third.taken.sessions).toEqual([{ session: session.id, outcome: 'rolled_back', seq: 0, lost: 1 }]);
    await expect(add(third, session, 1)).rejects.toThrow(code('rolled_back'));
    await add(third, session, 1);
    const fourth = await machine.restart(third);
    expect(fourth.taken.sessions).toEqual([{ session: session.id, outcome: 'rolled_back', seq: 0, lost: 1 }]);
  });

  it('loses nothing when it is stopped in order', async () => {
    machine = new Machine(engine, { durability: 'none' });
    const before = await machine.start();
    const session = await open(before);
    await add(before, session, 0);
    await machine.stop(before);
    const after = await machine.start();
    expect(after.taken.sessions).toEqual([{ session: session.id, outcome: 'recovered', seq: 1 }]);
  });
});

describe('a caller who expects a seq', () => {
  it('is not told of a loss that it knows', async () => {
    machine = new Machine(engine, { durability: 'none' });
    const before = await machine.start();
    const session = await open(before);
    await add(before, session, 0);
    const after = await machine.restart(before);
    expect((await add(after, session, 1, { ifSeq: 0 })).ok).toBe(true);
  });
  it('is refused where the session is elsewhere, and nothing runs', async () => {
    machine = new Machine(engine);
    const running = await machine.start();
    const session = await open(running);
    await expect(add(running, session, 0, { ifSeq: 3 })).rejects.toThrow(code('wrong_seq'));
    expect((await add(running, session, 0, { ifSeq: 0 })).ok).toBe(true);
    expect(running.server.live(session.id).info().calls).toBe(1);
  });
});

it('answers a call that is sent again, by its operation or its front’s name, and runs nothing', async () => {
  machine = new Machine(engine);
  const before = await machine.start();
  const session = await open(before);
  const first = await add(before, session, 0, { operation: 'op-1' });
  const second = await add(before, session, 1, { forwarded: 't-1' });
  const after = await machine.restart(before);
  expect(await add(after, session, 0, { operation: 'op-1' })).toEqual(first);
  expect(await add(after, session, 1, { forwarded: 't-1' })).toEqual(second);
  expect(ledgerOf(after, session)).toHaveLength(2);
  await expect(add(after, session, 5, { operation: 'op-1' })).rejects.toThrow(code('operation_conflict'));
});

it('has snapshots, restores, resets, pauses, branches and the end of a session', async () => {
  machine = new Machine(engine);
  const before = await machine.start();
  const { server } = before;
  const session = await open(before);
  await add(before, session, 0);
  const { snapshot } = await server.live(session.id).takeSnapshot();
  const state = await stateOf(before, session);
  await add(before, session, 1);
  const [branch] = (await server.fork(session.id, { count: 1 })) as [OpenedSession];
  await add(before, branch, 2);
  await server.live(session.id).restore(snapshot);
  await add(before, session, 3);
  await server.pause(session.id);
  const closed = await open(before);
  await add(before, closed, 4);
  await server.close(closed.id, 'all done');
  const retired = await open(before);
  await server.fork(retired.id, { count: 2, retire: true });
  const states = [await stateOf(before, session), await stateOf(before, branch)];

  const after = await machine.restart(before);
  expect(after.defects).toEqual([]);
  expect([await stateOf(after, session), await stateOf(after, branch)]).toEqual(states);
  expect(after.server.live(session.id).info()).toMatchObject({ status: 'paused', calls: 2, snapshots: [snapshot] });
  expect(after.server.live(branch.id).info()).toMatchObject({ parent: session.id, calls: 3 });
  expect(after.server.live(closed.id).info().status).toBe('closed');
  expect(after.server.live(closed.id).answer).toBe('all done');
  expect(after.server.find(closed.token).state).toBe('gone');
  expect(after.server.live(retired.id).info().status).toBe('forked');
  expect(after.server.size).toBe(5);
  await after.server.resume(session.id);
  await after.server.live(session.id).restore(snapshot);
  expect((await stateOf(after, session)).hash).toBe(state.hash);
  expect(ledgerOf(after, session)).toHaveLength(1);
  await after.server.reset(session.id);
  const third = await machine.restart(after);
  expect(third.server.live(session.id).info()).toMatchObject({ calls: 0, snapshots: [snapshot] });
});

it('goes on from where it rested: in memory, on disk and in the blob store', async () => {
  machine = new Machine(engine);
  const blobs = { server: { blobs: machine.blobs } };
  let running = await machine.start(blobs);
  const sessions: OpenedSession[] = [];
  for (let n = 0; n < 3; n++) sessions.push(await open(running));
  for (const session of sessions) await add(running, session, 0);
  for (let round = 0; round < 2; round++) {
    for (const [depth, { id }] of sessions.entries()) {
      const live = running.server.live(id);
      expect(live.park()).toBe(true);
      if (depth > 0) await live.leaveMemory();
      if (depth > 1) await live.leaveDisk();
    }
    // One wakes and goes on before the end, so that its deltas begin at what it rested with.
    await add(running, sessions[round] as OpenedSession, 1 + round);
    const states = await Promise.all(sessions.map((session) => stateOf(running, session)));
    running = await machine.restart(running, blobs);
    expect(running.defects).toEqual([]);
    expect(await Promise.all(sessions.map((session) => stateOf(running, session)))).toEqual(states);
  }
});

it('keeps nothing of a session that is forgotten', async () => {
  machine = new Machine(engine);
  const before = await machine.start({ limits: { closed: 0 } });
  const session = await open(before);
  const kept = before.house.keeper.of(before.server.live(session.id));
  expect(kept && (await before.house.savepoints.save(kept))).toBe(true);
  expect(await machine.blobs.list('sessions/')).toHaveLength(1);
  await before.server.close(session.id);
  await expect.poll(() => machine.blobs.list('sessions/')).toEqual([]);
  expect(await machine.ownership.sessions()).toEqual([]);
  const after = await machine.restart(before);
  expect(after.taken.sessions.map(({ outcome }) => outcome)).not.toContain('recovered');
  expect(after.server.size).toBe(0);
});

it('removes the logs of the dead once all is taken up, and its own when it is whole in savepoints', async () => {
  machine = new Machine(engine);
  let running = await machine.start();
  const session = await open(running);
  for (let death = 0; death < 3; death++) {
    await add(running, session, death);
    running = await machine.restart(running);
  }
  expect(readdirSync(join(machine.folder, 'logs'))).toHaveLength(1);
});

describe('what is damaged', () => {
  it('a savepoint: the one before it is used, and the loss is told', async () => {
    machine = new Machine(engine, { durability: 'none' });
    const before = await machine.start();
    const session = await open(before);
    for (let n = 0; n < 2; n++) {
      await add(before, session, n);
      const kept = before.house.keeper.of(before.server.live(session.id));
      expect(kept && (await before.house.savepoints.save(kept))).toBe(true);
    }
    const keys = await machine.blobs.list('sessions/');
    expect(keys).toHaveLength(2);
    const newest = keys.at(-1) as string;
    const bytes = await machine.blobs.get(newest);
    await machine.blobs.put(newest, bytes.subarray(0, bytes.length - 7));
    const after = await machine.restart(before);
    expect(after.taken.sessions).toEqual([{ session: session.id, outcome: 'rolled_back', seq: 1, lost: 2 }]);
    expect(after.defects).toEqual([code('damaged_savepoint')]);
  });

  it('all savepoints, where the log is no more: it is lost, and whoever asks is told', async () => {
    machine = new Machine(engine, { durability: 'none' });
    const before = await machine.start();
    const session = await open(before);
    await add(before, session, 0);
    const kept = before.house.keeper.of(before.server.live(session.id));
    expect(kept && (await before.house.savepoints.save(kept))).toBe(true);
    for (const key of await machine.blobs.list('sessions/')) await machine.blobs.delete(key);
    const after = await machine.restart(before);
    expect(after.taken.sessions).toMatchObject([{ session: session.id, outcome: 'lost', mayReturn: false }]);
    expect(() => after.server.live(session.id)).toThrow(code('session_lost'));
    expect(after.server.find(session.token).state).toBe('gone');
    expect((await add(after, await open(after), 1)).ok).toBe(true);
  });
});

it('a blob store that cannot be asked loses nobody: they are there when it answers again', async () => {
  machine = new Machine(engine);
  const before = await machine.start();
  const session = await open(before);
  await add(before, session, 0);
  await machine.stop(before);
  let isDown = true;
  const down = new TreadleError({
    code: 'blob_failed',
    message: 'The blob store is down',
    fault: 'infrastructure',
    isRetryable: true,
  });
  const blobs = {
    ...machine.blobs,
    get: async (key: string) => {
      if (isDown) throw down;
      return machine.blobs.get(key);
    },
  };
  const after = await machine.start({ blobs });
  expect(after.taken.sessions).toMatchObject([{ session: session.id, outcome: 'lost', mayReturn: true }]);
  expect(() => after.server.live(session.id)).toThrow(code('session_recovering'));
  expect(after.server.find(session.token).state).toBe('recovering');
  isDown = false;
  await expect.poll(() => after.house.missing.size, { timeout: 20_000 }).toBe(0);
  expect((await add(after, session, 1)).ok).toBe(true);
});

it('a process that lost its lease keeps what nobody took, and lets go of the rest', async () => {
  machine = new Machine(engine);
  const running = await machine.start({ leaseMs: 60_000 });
  const [mine, taken] = [await open(running), await open(running)];
  await add(running, mine, 0);
  await expect.poll(async () => (await machine.ownership.sessions()).length).toBe(2);
  await machine.ownership.bury(running.house.incarnation);
  const other = await machine.ownership.register('other', 60_000);
  await machine.ownership.claim(other.incarnation, [taken.id]);
  await running.house.registerAgain();
  expect((await add(running, mine, 1)).ok).toBe(true);
  expect(() => running.server.live(taken.id)).toThrow(code('unknown_session'));
  const kept = running.house.keeper.of(running.server.live(mine.id));
  expect(kept && (await running.house.savepoints.save(kept))).toBe(true);
});

it('a session that moves is saved, let go of, and taken up with nothing lost', async () => {
  machine = new Machine(engine, { durability: 'none' });
  const one = await machine.start();
  const session = await open(one);
  await add(one, session, 0);
  const state = await stateOf(one, session);
  await expect.poll(async () => (await machine.ownership.sessions()).length).toBe(1);
  expect(await one.house.release([session.id, 'never-heard-of'])).toEqual([session.id]);
  expect(() => one.server.live(session.id)).toThrow(code('unknown_session'));
  const two = await machine.startBeside();
  expect((await two.house.adopt([], [session.id])).sessions).toMatchObject([{ outcome: 'recovered', seq: 1 }]);
  expect(await stateOf(two, session)).toEqual(state);
  expect(two.server.find(session.token).state).toBe('open');
});

describe('a log that fails', () => {
  /** The n-th append from now on fails, once. */
  const failing = () => {
    let left = Number.POSITIVE_INFINITY;
    const hit = (point: string): void => {
      if (point === 'log.append' && --left === 0) throw Object.assign(new Error('a drill'), { code: 'EIO' });
    };
    const failAt = (nth: number): void => {
      left = nth;
    };
    return { faults: { hit, reach: async (point: string) => hit(point) }, failAt };
  };

  it('opens nothing, and holds nothing of what it did not open', async () => {
    machine = new Machine(engine);
    const { faults, failAt } = failing();
    const running = await machine.start({ faults });
    failAt(1);
    await expect(open(running)).rejects.toThrow();
    expect(running.server.size).toBe(0);
    expect([...running.server.all()]).toEqual([]);
    const session = await open(running);
    expect((await add(running, session, 0)).ok).toBe(true);
    const after = await machine.restart(running);
    expect(after.taken.sessions).toMatchObject([{ session: session.id, outcome: 'recovered', seq: 1 }]);
  });

  it('makes all branches or none, also for whoever comes after', async () => {
    machine = new Machine(engine);
    const { faults, failAt } = failing();
    const running = await machine.start({ faults });
    const session = await open(running);
    failAt(3);
    await expect((async () => running.server.fork(session.id, { count: 4 }))()).rejects.toThrow();
    expect([...running.server.all()].filter(({ status }) => status !== 'closed')).toHaveLength(1);
    expect(running.server.size).toBe(1);
    expect(await running.server.fork(session.id, { count: 2 })).toHaveLength(2);
    const after = await machine.restart(running);
    expect(after.server.size).toBe(3);
  });
});

it('a call under way when its session was taken elsewhere is not answered as done', async () => {
  machine = new Machine(engine);
  const running = await machine.start();
  const session = await open(running);
  const live = running.server.live(session.id);
  const called = live.turns.run(async () => {
    await Promise.resolve();
    running.house.keeper.letGo(live);
    return 0;
  });
  await expect(add(running, session, 0)).rejects.toThrow(code('session_moving'));
  await called;
});

it('ends though the store of heads is gone: what it could not say is found in its log', async () => {
  machine = new Machine(engine, { durability: 'none' });
  let isGone = false;
  const link = new TreadleError({ code: 'worker_link', message: 'The front is gone', fault: 'infrastructure' });
  const { ownership } = machine;
  const failing = new Proxy(ownership, {
    get: (target, name) => {
      const found = Reflect.get(target, name) as (...given: unknown[]) => unknown;
      return (...given: unknown[]) => (isGone ? Promise.reject(link) : found.apply(target, given));
    },
  });
  const running = await machine.start({ ownership: failing });
  isGone = true;
  const session = await open(running);
  await add(running, session, 0);
  await machine.stop(running);
  isGone = false;
  const after = await machine.start();
  expect(after.taken.sessions).toMatchObject([{ session: session.id, outcome: 'rolled_back', seq: 0, lost: 1 }]);
});
