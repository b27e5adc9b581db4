/** What the crash drill found: ways in which something that had been answered could be lost. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../../world/state/engine.js';
import type { OpenedSession } from '../../api.js';
import { oneFault } from '../drill.fixture.js';
import type { LogRecord } from '../log/page-log.js';
import { Machine, type Running } from './house.fixture.js';
import { isSettled } from './logs.js';

let engine: Engine;
let machine: Machine;
beforeAll(async () => {
  engine = await Engine.start();
});
afterEach(() => machine?.end());
afterAll(() => engine.close());

const code = (code: string) => expect.objectContaining({ code });
const add = async ({ server }: Running, { id }: OpenedSession, n: number, operation: string) =>
  server.live(id).call('create_customer', { name: `New ${n}`, email: `new${n}@mail.example` }, { operation });
const open = async ({ server }: Running): Promise<OpenedSession> => server.open({ task: 'fixture/new-customer-1' });

describe.each([
  ['none', 'log.append'],
  ['call', 'log.append'],
  ['disk', 'log.append'],
  ['disk', 'log.sync'],
] as const)('durable: %s, with a failure at %s', (durability, point) => {
  it('keeps a call that could not be kept before it is answered again', async () => {
    machine = new Machine(engine, { durability });
    const faults = oneFault();
    const before = await machine.start({ faults });
    const session = await open(before);
    await add(before, session, 0, 'op-0');
    faults.failAt(point);
    await expect(add(before, session, 1, 'op-1')).rejects.toThrow(code('not_kept'));
    // Again in vain: it is not answered as long as it is not kept.
    faults.failAt(point);
    await expect(add(before, session, 1, 'op-1')).rejects.toThrow(code('not_kept'));
    if (point === 'log.sync') {
      const kept = before.house.keeper.of(before.server.live(session.id));
      expect(kept && (await before.house.savepoints.save(kept))).toBe(true);
    }
    const answer = await add(before, session, 1, 'op-1');
    const after = await machine.restart(before);
    if (durability === 'none') {
      expect(after.taken.sessions).toMatchObject([{ outcome: 'rolled_back', lost: 2 }]);
      return;
    }
    expect(after.taken.sessions).toMatchObject([{ outcome: 'recovered', seq: 2 }]);
    expect(await add(after, session, 1, 'op-1')).toEqual(answer);
    expect(after.server.live(session.id).info().calls).toBe(2);
  });
});

it('keeps what follows a request of a resting session that could not be kept', async () => {
  machine = new Machine(engine);
  const faults = oneFault();
  const before = await machine.start({ faults });
  const session = await open(before);
  await add(before, session, 0, 'op-0');
  expect(before.server.live(session.id).park()).toBe(true);
  faults.failAt('log.append');
  await expect((async () => before.server.pause(session.id))()).rejects.toThrow(code('not_kept'));
  faults.failAt('log.append');
  await expect((async () => before.server.resume(session.id))()).rejects.toThrow(code('not_kept'));
  await add(before, session, 1, 'op-1');
  const after = await machine.restart(before);
  expect(after.taken.sessions).toMatchObject([{ outcome: 'recovered', seq: 4 }]);
  expect(after.server.live(session.id).info().calls).toBe(2);
});

it.each([1, 2, 3, 4, 5, 6])('loses nothing where whoever takes it up dies at record %i of the copy', async (at) => {
  machine = new Machine(engine);
  const first = await machine.start();
  const session = await open(first);
  for (let n = 0; n < 5; n++) await add(first, session, n, `op-${n}`);
  let left = at;
  const hit = (point: string): void => {
    if (point === 'log.append' && --left === 0) throw Object.assign(new Error('a drill'), { code: 'EIO' });
  };
  machine.kill(first);
  const second = await machine.start({ faults: { hit, reach: async () => {} } });
  expect(second.taken.sessions).toMatchObject([{ outcome: 'lost', mayReturn: true }]);
  const third = await machine.restart(second);
  expect(third.taken.sessions).toMatchObject([{ outcome: 'recovered', seq: 5 }]);
});

it('tells of a loss once, also where calls follow and its process dies again', async () => {
  machine = new Machine(engine, { durability: 'none' });
  const first = await machine.start();
  const session = await open(first);
  for (let n = 0; n < 3; n++) await add(first, session, n, `op-${n}`);
  const second = await machine.restart(first, { durability: 'call' });
  await expect(add(second, session, 3, 'op-3')).rejects.toThrow(code('rolled_back'));
  await add(second, session, 3, 'op-3');
  const third = await machine.restart(second, { durability: 'call' });
  expect(third.taken.sessions).toMatchObject([{ outcome: 'recovered', seq: 1 }]);
  await add(third, session, 4, 'op-4');
  const fourth = await machine.restart(third, { durability: 'call' });
  expect(fourth.taken.sessions).toMatchObject([{ outcome: 'recovered', seq: 2 }]);
});

it('takes a session up anew where nobody heard that it had been taken up', async () => {
  machine = new Machine(engine, { durability: 'disk' });
  const first = await machine.start();
  const session = await open(first);
  await add(first, session, 0, 'op-0');
  expect(await first.house.release([session.id])).toEqual([session.id]);
  const faults = oneFault();
  const second = await machine.startBeside({ faults });
  faults.failAt('log.sync');
  await expect(second.house.adopt([], [session.id])).rejects.toThrow('a drill');
  expect((await second.house.adopt([], [session.id])).sessions).toMatchObject([{ outcome: 'recovered', seq: 1 }]);
  expect([...second.house.keeper.all()]).toHaveLength(1);
  const kept = second.house.keeper.of(second.server.live(session.id));
  expect(kept && (await second.house.savepoints.save(kept))).toBe(true);
  expect(second.server.live(session.id).info().calls).toBe(1);
});

it('lets go of a session only with a savepoint that stands, not with one on its way', async () => {
  machine = new Machine(engine);
  let isHeld = true;
  const put = async (point: string): Promise<void> => {
    if (point !== 'savepoint.put' || !isHeld) return;
    isHeld = false;
    await new Promise(() => {});
  };
  const first = await machine.start({ faults: { hit: () => {}, reach: put } });
  const session = await open(first);
  await add(first, session, 0, 'op-0');
  await add(first, session, 1, 'op-1');
  const kept = first.house.keeper.of(first.server.live(session.id));
  if (kept) void first.house.savepoints.save(kept);
  await expect.poll(() => isHeld).toBe(false);
  expect(await first.house.release([session.id])).toEqual([session.id]);
  const second = await machine.startBeside();
  expect((await second.house.adopt([], [session.id])).sessions).toMatchObject([{ outcome: 'recovered', seq: 2 }]);
});

it('says of a session that it went also where the store could not be told', async () => {
  machine = new Machine(engine);
  let isDown = true;
  const { ownership } = machine;
  const release: typeof ownership.release = async (...given) => {
    if (isDown) throw new Error('the store is away');
    return ownership.release(...given);
  };
  const asked = new Proxy(ownership, {
    get: (of, name) => (name === 'release' ? release : (Reflect.get(of, name) as () => unknown).bind(of)),
  });
  const first = await machine.start({ ownership: asked });
  const session = await open(first);
  await add(first, session, 0, 'op-0');
  expect(await first.house.release([session.id])).toEqual([session.id]);
  isDown = false;
  const second = await machine.startBeside();
  const owner = first.house.incarnation;
  expect((await second.house.adopt([], [session.id])).sessions).toMatchObject([{ outcome: 'owned', owner }]);
  expect((await first.house.adopt([], [session.id])).sessions).toMatchObject([{ outcome: 'recovered', seq: 1 }]);
});

describe('the log of a dead process', () => {
  const record = (gen: number, kind: LogRecord['kind'] = 'delta'): LogRecord => ({
    session: 's',
    gen,
    seq: 1,
    kind,
    body: new Uint8Array(),
  });
  const left = (...records: LogRecord[]) => ({ records: new Map([['s', [records]]]), damage: [] });
  const owned = (gen?: number) => new Map([['s', gen === undefined ? {} : { head: { key: 'k', gen, seq: 1 } }]]);

  it('is needed until a later owner has a savepoint, however much it owns', () => {
    expect(isSettled(left(record(2)), owned())).toBe(false);
    expect(isSettled(left(record(2)), owned(1))).toBe(false);
    expect(isSettled(left(record(2)), owned(2))).toBe(false);
    expect(isSettled(left(record(2)), owned(3))).toBe(true);
  });

  it('is needed for a session that the store does not know yet, and not for one that is over', () => {
    expect(isSettled(left(record(1)), new Map())).toBe(false);
    expect(isSettled(left(record(2)), new Map())).toBe(true);
    expect(isSettled(left(record(1), record(1, 'gone')), new Map())).toBe(true);
  });
});

/** The one segment of the only log, and how to change it. */
const lastSegment = (): string => {
  const logs = join(machine.folder, 'logs');
  const [log] = readdirSync(logs);
  return join(logs, log as string, '1.log');
};

describe.each<[string, (bytes: Buffer, from: number) => number]>([
  ['body', (bytes) => bytes.length - 1],
  ['head', (_, from) => from + 5],
])('a last record whose %s is damaged on the disk', (_, place) => {
  it.each(['none', 'call', 'disk'] as const)('is told to be lost, with durable: %s', async (durability) => {
    machine = new Machine(engine, { durability });
    const before = await machine.start();
    const session = await open(before);
    await add(before, session, 0, 'op-0');
    const file = lastSegment();
    const from = readFileSync(file).length;
    await add(before, session, 1, 'op-1');
    machine.kill(before);
    const bytes = readFileSync(file);
    const at = place(bytes, from);
    bytes[at] = (bytes[at] as number) ^ 1;
    writeFileSync(file, bytes);
    const after = await machine.start();
    const seq = durability === 'none' ? 0 : 1;
    // A mark has no body but the session's name: then nobody knows whose it was, and the mark before it tells.
    const lost = durability === 'none' && place(bytes, from) === bytes.length - 1 ? 1 : 2;
    expect(after.taken.damage).toHaveLength(1);
    await expect(add(after, session, 2, 'op-2')).rejects.toMatchObject({ code: 'rolled_back', value: { seq, lost } });
    expect((await add(after, session, 2, 'op-2')).entry.index).toBe(seq);
  });
});

it('lets an agent in whose session is paused by the loss, and tells it once', async () => {
  machine = new Machine(engine, { durability: 'none' });
  const before = await machine.start();
  const session = await open(before);
  await before.server.pause(session.id);
  const kept = before.house.keeper.of(before.server.live(session.id));
  expect(kept && (await before.house.savepoints.save(kept))).toBe(true);
  await before.server.resume(session.id);
  machine.kill(before);
  const { server } = await machine.start();
  const come = () => server.find(session.token);
  const found = come();
  if (found.state !== 'open') throw new Error(found.state);
  const told = await found.session.host.call('create_customer', { name: 'New', email: 'new@mail.example' });
  expect(told.error).toMatchObject({ code: 'rolled_back' });
  expect(come()).toEqual({ state: 'paused' });
});
