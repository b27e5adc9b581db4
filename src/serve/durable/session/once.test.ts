/** Requests that are sent again after the death of the process that had them: answered as they were, and done once. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Engine } from '../../../world/state/engine.js';
import type { SessionInfo } from '../../api.js';
import { inProcess } from '../../sessions/server/in-process.js';
import type { Once, Trainer } from '../../trainer.js';
import type { FaultPoints } from '../faults/fault-points.js';
import type { Durability } from './durability.js';
import { Machine, type Running } from './house.fixture.js';

const TASK = { task: 'fixture/new-customer-1' };
const SERVER = { server: { secret: new Uint8Array(32).fill(1) } };
let engine: Engine;
let machine: Machine;

beforeAll(async () => {
  engine = await Engine.start();
});
beforeEach(() => {
  machine = new Machine(engine, SERVER);
});
afterEach(() => machine.end());
afterAll(() => engine.close());

const add = (trainer: Trainer, id: string, n: number) =>
  trainer.call(id, { tool: 'create_customer', arguments: { name: `New ${n}`, email: `n${n}@mail.example` } });

/** A session with two calls and a snapshot after the first. */
const begun = async (trainer: Trainer): Promise<{ id: string; snapshot: string }> => {
  const { id } = await trainer.open(TASK);
  await add(trainer, id, 0);
  const { snapshot } = await trainer.snapshot(id);
  await add(trainer, id, 1);
  return { id, snapshot };
};

type Ask = (trainer: Trainer, session: { id: string; snapshot: string }, once: Once) => Promise<unknown>;
const ASKS: [string, Ask][] = [
  ['snapshot', (trainer, { id }, once) => trainer.snapshot(id, once)],
  ['restore', (trainer, { id, snapshot }, once) => trainer.restore(id, snapshot, once)],
  ['dropSnapshot', (trainer, { id, snapshot }, once) => trainer.dropSnapshot(id, snapshot, once)],
  ['reset', (trainer, { id }, once) => trainer.reset(id, once)],
  ['pause', (trainer, { id }, once) => trainer.pause(id, once)],
  ['resume', (trainer, { id }, once) => trainer.resume(id, once)],
];
const NAMES: [string, Once][] = [
  ["a front's name", { forwarded: 'f.1' }],
  ["a client's key", { key: 'k' }],
];
const stands = ({ status, calls, seq, snapshots, clock }: SessionInfo) => ({ status, calls, seq, snapshots, clock });

describe.each(NAMES)('under %s', (_, once) => {
  it.each(ASKS)('%s is done once, whoever has the session, and answered as it was', async (_method, ask) => {
    let running = await machine.start();
    let trainer = inProcess(running.server);
    const session = await begun(trainer);
    const first = await ask(trainer, session, once);
    const after = await trainer.session(session.id);
    expect(await ask(trainer, session, once)).toEqual(first);
    running = await machine.restart(running);
    trainer = inProcess(running.server);
    expect(await ask(trainer, session, once)).toEqual(first);
    expect(stands(await trainer.session(session.id))).toEqual(stands(after));
    // Where others did something meanwhile, it is not done again on top of that.
    await trainer.reset(session.id);
    await add(trainer, session.id, 7);
    await ask(trainer, session, once);
    expect(await trainer.session(session.id)).toMatchObject({ status: 'open', calls: 1 });
    // From a savepoint too.
    await machine.stop(running);
    trainer = inProcess((await machine.start()).server);
    await ask(trainer, session, once);
    expect(await trainer.session(session.id)).toMatchObject({ status: 'open', calls: 1 });
  });

  it('another request under the same name is refused', async () => {
    const trainer = inProcess((await machine.start()).server);
    const { id, snapshot } = await begun(trainer);
    await trainer.restore(id, snapshot, once);
    await expect(trainer.restore(id, 'snap_other', once)).rejects.toMatchObject({ code: 'idempotency_conflict' });
    await expect(trainer.reset(id, once)).rejects.toMatchObject({ code: 'idempotency_conflict' });
  });

  it('what was refused may be tried again', async () => {
    const trainer = inProcess((await machine.start()).server);
    const { id, snapshot } = await begun(trainer);
    await expect(trainer.restore(id, 'snap_other', once)).rejects.toMatchObject({ code: 'unknown_snapshot' });
    await trainer.restore(id, snapshot, once);
  });
});

it('a session at rest is not woken to be answered again', async () => {
  const { server } = await machine.start();
  const trainer = inProcess(server);
  const { id } = await begun(trainer);
  const once = { forwarded: 'f.1' };
  await trainer.pause(id, once);
  server.live(id).park();
  await trainer.pause(id, once);
  expect(server.live(id).place.at).toBe('parked');
});

it('one that was done and could not be kept is kept before it is answered again', async () => {
  let fails = false;
  const faults: FaultPoints = {
    hit: (point) => {
      if (fails && point === 'log.append') throw new Error('no log');
    },
    reach: async () => {},
  };
  const running = await machine.start({ faults });
  const trainer = inProcess(running.server);
  const { id, snapshot } = await begun(trainer);
  const once = { key: 'k' };
  fails = true;
  await expect(trainer.restore(id, snapshot, once)).rejects.toMatchObject({ code: 'not_kept', isRetryable: true });
  await expect(trainer.restore(id, snapshot, once)).rejects.toMatchObject({ code: 'not_kept' });
  fails = false;
  const said = await trainer.restore(id, snapshot, once);
  const again = inProcess((await machine.restart(running)).server);
  expect(await again.session(id)).toMatchObject({ calls: 1, seq: said.seq });
  expect(await again.restore(id, snapshot, once)).toMatchObject({ seq: said.seq });
});

const restarted = async (running: Running): Promise<[Running, Trainer]> => {
  const next = await machine.restart(running);
  return [next, inProcess(next.server)];
};

describe.each<Durability>(['none', 'call', 'disk'])('with durable: %s', (durability) => {
  beforeEach(() => {
    machine = new Machine(engine, { ...SERVER, durability });
  });

  it('a key opens one session, whichever process is asked, with the same tokens', async () => {
    let [running, trainer] = await (async (): Promise<[Running, Trainer]> => {
      const first = await machine.start();
      return [first, inProcess(first.server)];
    })();
    const session = await trainer.open(TASK, { key: 'k' });
    const others = await Promise.all([trainer.open(TASK, { key: 'l' }), trainer.open(TASK)]);
    [running, trainer] = await restarted(running);
    expect(await trainer.open(TASK, { key: 'k' })).toEqual(session);
    expect(running.server.find(session.token).state).toBe('open');
    expect(new Set([session, ...others].map(({ id }) => id)).size).toBe(3);
    expect(running.server.size).toBe(3);
    await expect(trainer.open({ ...TASK, labels: { run: 'x' } }, { key: 'k' })).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
  });

  it('a key forks once, whichever process is asked', async () => {
    let running = await machine.start();
    let trainer = inProcess(running.server);
    const { id } = await trainer.open(TASK);
    const request = { count: 3, retire: true };
    const children = await trainer.fork(id, request, { key: 'k' });
    [running, trainer] = await restarted(running);
    expect(await trainer.fork(id, request, { key: 'k' })).toEqual(children);
    expect((await trainer.session(id)).status).toBe('forked');
    expect(running.server.size).toBe(4);
  });
});

it.each([0, 1, 2])(
  'a fork is made anew as a whole where its process died before branch %s was in the log',
  async (n) => {
    let left = Number.POSITIVE_INFINITY;
    const faults: FaultPoints = {
      hit: (point) => {
        if (point === 'log.append' && left-- <= 0) throw new Error('dead');
      },
      reach: async () => {},
    };
    const dying = await machine.start({ faults });
    const { id } = await dying.server.open(TASK);
    left = n;
    await expect(inProcess(dying.server).fork(id, { count: 3 }, { key: 'k' })).rejects.toThrow('dead');
    const running = await machine.restart(dying);
    const children = await inProcess(running.server).fork(id, { count: 3 }, { key: 'k' });
    const next = await machine.restart(running);
    expect(await inProcess(next.server).fork(id, { count: 3 }, { key: 'k' })).toEqual(children);
    expect(next.server.size).toBe(4);
  },
);

it('a fork that is asked for again when one of its branches is over leaves the others alone', async () => {
  const running = await machine.start({ limits: { closed: 0 } });
  const trainer = inProcess(running.server);
  const { id } = await trainer.open(TASK);
  const [first, second] = await trainer.fork(id, { count: 2 }, { key: 'k' });
  await add(trainer, first?.id ?? '', 1);
  await trainer.close(second?.id ?? '');
  const next = await machine.restart(running);
  const anew = await inProcess(next.server).fork(id, { count: 2 }, { key: 'k' });
  expect(anew.map((child) => child.id)).not.toContain(first?.id);
  expect(await inProcess(next.server).session(first?.id ?? '')).toMatchObject({ status: 'open', calls: 1 });
});

it('a key whose session is over opens another one', async () => {
  const running = await machine.start({ limits: { closed: 0 } });
  const trainer = inProcess(running.server);
  const session = await trainer.open(TASK, { key: 'k' });
  await trainer.close(session.id);
  expect(running.server.roll.has(session.id)).toBe(false);
  const fresh = inProcess(running.server);
  const other = await fresh.open(TASK, { key: 'k' });
  expect(other.id).not.toBe(session.id);
  expect(await inProcess(running.server).open(TASK, { key: 'k' })).toEqual(other);
});

it('a resume that was lost is told to whoever calls, and not only that the session is paused', async () => {
  machine = new Machine(engine, { ...SERVER, durability: 'none' });
  const running = await machine.start();
  const trainer = inProcess(running.server);
  const { id } = await trainer.open(TASK);
  await trainer.pause(id);
  const kept = running.house.keeper.of(running.server.live(id));
  expect(kept && (await running.house.savepoints.save(kept))).toBe(true);
  await trainer.resume(id);
  const [, next] = await restarted(running);
  await expect(add(next, id, 1)).rejects.toMatchObject({ code: 'rolled_back', value: { seq: 1, lost: 2 } });
  await expect(add(next, id, 1)).rejects.toMatchObject({ code: 'session_paused' });
});
