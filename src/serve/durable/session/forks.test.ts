/** Forks that are kept as a reference to what they began as: whatever becomes of that, nothing of them is lost. */
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../../world/state/engine.js';
import type { OpenedSession } from '../../api.js';
import type { Data } from '../embedded.js';
import type { FaultPoints } from '../faults/fault-points.js';
import { heldBy } from '../held.js';
import type { Durability } from './durability.js';
import { Machine, type Running } from './house.fixture.js';
import { reapLeft, sessionsLeft, summaryOf } from './left.js';
import { deadLogs, isSettled, pinnedIn, readLogs, removeLogs } from './logs.js';
import { workerKeeping } from './worker-keeping.js';

let engine: Engine;
let machine: Machine;
beforeAll(async () => {
  engine = await Engine.start();
});
afterEach(() => machine?.end());
afterAll(() => engine.close());

const add = async ({ server }: Running, id: string, n: number) =>
  server.live(id).call('create_customer', { name: `New ${n}`, email: `new${n}@mail.example` });
const save = async ({ house, server }: Running, id: string): Promise<boolean> => {
  const kept = house.keeper.of(server.live(id));
  return kept !== undefined && (await house.savepoints.save(kept));
};
const shown = async ({ server }: Running, id: string): Promise<string> => {
  const live = server.live(id);
  const { hash, clock } = await live.state();
  return [hash, clock, live.record().entries.length].join(' ');
};
const isThere = ({ server }: Running, id: string): boolean => [...server.all()].some((live) => live.id === id);
const logBytes = ({ house }: Running): number => house.figures().log.bytes;

describe('a fork', () => {
  it('costs its start, whatever was changed before it', async () => {
    machine = new Machine(engine);
    const running = await machine.start();
    const { id } = await running.server.open({ task: 'fixture/new-customer-1' });
    await add(running, id, 0);
    const cost = async (): Promise<number> => {
      const before = logBytes(running);
      await running.server.fork(id);
      return logBytes(running) - before;
    };
    const first = await cost();
    for (let n = 1; n < 60; n++) await add(running, id, n);
    expect(Math.abs((await cost()) - first)).toBeLessThan(40);
  });

  it('is there where its parent was saved again and again, ended and was forgotten, and its process died', async () => {
    machine = new Machine(engine);
    const first = await machine.start({ limits: { closed: 0 } });
    const { id } = await first.server.open({ task: 'fixture/new-customer-1' });
    await add(first, id, 0);
    expect(await save(first, id)).toBe(true);
    await add(first, id, 1);
    const [fork] = (await first.server.fork(id)) as [OpenedSession];
    await add(first, fork.id, 2);
    const [forks] = (await first.server.fork(fork.id)) as [OpenedSession];
    const before = [await shown(first, fork.id), await shown(first, forks.id)];
    for (let n = 3; n < 6; n++) {
      await add(first, id, n);
      expect(await save(first, id)).toBe(true);
    }
    await first.server.close(id);
    first.server.sweep();
    await expect.poll(() => [...first.house.keeper.all()].length).toBe(2);
    await expect
      .poll(async () => (await machine.ownership.sessions()).some(({ session }) => session === id))
      .toBe(false);
    const second = await machine.restart(first);
    expect(second.taken.sessions.filter(({ outcome }) => outcome === 'recovered')).toHaveLength(2);
    expect([await shown(second, fork.id), await shown(second, forks.id)]).toEqual(before);
    expect(second.server.find(forks.token).state).toBe('open');
    expect(second.server.live(forks.id).info()).toMatchObject({ parent: fork.id, seq: 0, calls: 3 });
  });

  it('lets go of what it was made of with its own savepoint', async () => {
    machine = new Machine(engine);
    const running = await machine.start();
    const { id } = await running.server.open({ task: 'fixture/new-customer-1' });
    await add(running, id, 0);
    await save(running, id);
    const [fork] = (await running.server.fork(id)) as [OpenedSession];
    for (let n = 1; n < 4; n++) {
      await add(running, id, n);
      await save(running, id);
    }
    const keys = async (of: string): Promise<number> => (await machine.blobs.list(`sessions/${of}/`)).length;
    expect(await keys(id)).toBe(3);
    expect(await save(running, fork.id)).toBe(true);
    await expect.poll(() => keys(id)).toBe(2);
    expect(logBytes(running)).toBeLessThan(100);
  });

  it('is told of, and is there, in a folder whose parent was reaped', async () => {
    machine = new Machine(engine);
    const first = await machine.start();
    const { id } = await first.server.open({ task: 'fixture/new-customer-1' });
    await add(first, id, 0);
    await save(first, id);
    await add(first, id, 1);
    const [fork] = (await first.server.fork(id)) as [OpenedSession];
    await add(first, fork.id, 2);
    const before = await shown(first, fork.id);
    machine.kill(first);
    const data = machine as unknown as Data;
    expect(await reapLeft(data, machine.folder, [id])).toBe(0);
    const left = await sessionsLeft(data, machine.folder, fork.id);
    expect(left.map(summaryOf)).toMatchObject([{ session: fork.id, status: 'open', calls: 3, seq: 1, lost: 0 }]);
    const second = await machine.start();
    expect(await shown(second, fork.id)).toBe(before);
  });

  it('is saved before its parent moves to another process, or the parent stays', async () => {
    machine = new Machine(engine);
    let isDown = false;
    const reach = async (point: string): Promise<void> => {
      if (isDown && point === 'savepoint.put') throw new Error('a drill');
    };
    const first = await machine.start({ faults: { hit: () => {}, reach } });
    const { id } = await first.server.open({ task: 'fixture/new-customer-1' });
    await add(first, id, 0);
    await save(first, id);
    const [fork] = (await first.server.fork(id)) as [OpenedSession];
    isDown = true;
    expect(await first.house.release([id])).toEqual([]);
    isDown = false;
    expect(await first.house.release([id])).toEqual([id]);
    expect(first.house.pins.keysOf(fork.id)).toEqual([]);
  });
});

/** Dies at the `left`th point that it comes to: from then on nothing of it gets anywhere. */
class Fate implements FaultPoints {
  left = Number.POSITIVE_INFINITY;
  hit(): void {
    if (--this.left <= 0) throw Object.assign(new Error('it died'), { code: 'EIO' });
  }
  async reach(): Promise<void> {
    if (--this.left <= 0) await new Promise(() => {});
  }
}

interface Modelled {
  /** What it was after each request that was answered, and after the last that was not. */
  was: string[];
  /** Answered. */
  sure: string;
  isClosed: boolean;
}

const OPS = ['call', 'call', 'call', 'fork', 'fork', 'save', 'save', 'close', 'park', 'restore'] as const;
const RARE = ['move', 'kill', 'doom', 'tidy', 'collect', 'open'] as const;
const step = fc.record({
  what: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...OPS) }, { weight: 1, arbitrary: fc.constantFrom(...RARE) }),
  who: fc.nat(1_000),
  n: fc.integer({ min: 1, max: 12 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Two processes beside one another, and what every session must be. */
class Tree {
  readonly sessions = new Map<string, Modelled>();
  readonly at = new Map<string, 0 | 1>();
  readonly processes: { running: Running; fate: Fate }[] = [];
  #calls = 0;

  constructor(readonly durability: Durability) {}

  async begin(): Promise<void> {
    for (const _ of [0, 1]) this.processes.push(await this.#made());
    await this.#opened(0);
  }

  async #made() {
    const fate = new Fate();
    const running = await machine.startBeside({
      durability: this.durability,
      faults: fate,
      limits: { closed: 1 },
      segmentBytes: 4_096,
    });
    return { running, fate };
  }

  async #opened(place: 0 | 1): Promise<void> {
    const { running } = this.processes[place] as { running: Running };
    const { id } = await running.server.open({ task: 'fixture/new-customer-1' });
    await this.#know(id, place);
  }

  async #know(id: string, place: 0 | 1): Promise<void> {
    const sure = await shown((this.processes[place] as { running: Running }).running, id);
    this.sessions.set(id, { was: [sure], sure, isClosed: false });
    this.at.set(id, place);
  }

  /** A request that changes a session; where its process dies under it nobody knows whether it was done. False where it did. */
  async #change(id: string, running: Running, work: () => Promise<unknown>): Promise<boolean> {
    const model = this.sessions.get(id) as Modelled;
    let answered = true;
    try {
      await work();
    } catch {
      answered = false;
    }
    if (!isThere(running, id)) return answered;
    const now = await shown(running, id);
    model.was.push(now);
    if (answered) model.sure = now;
    return answered;
  }

  #add(id: string, running: Running): Promise<boolean> {
    return this.#change(id, running, () => add(running, id, ++this.#calls));
  }

  async step({ what, who, n }: Step): Promise<void> {
    const ids = [...this.sessions.keys()];
    const id = ids[who % ids.length];
    if (id === undefined) return this.#opened((who % 2) as 0 | 1);
    const place = this.at.get(id) as 0 | 1;
    const { running, fate } = this.processes[place] as { running: Running; fate: Fate };
    const { server, house } = running;
    if (!isThere(running, id)) return this.#forget(id);
    const live = server.live(id);
    const model = this.sessions.get(id) as Modelled;
    if (what === 'call' && !model.isClosed) for (let i = 0; i < n && (await this.#add(id, running)); i++);
    if (what === 'restore' && !model.isClosed) {
      let snapshot = '';
      const taken = async (): Promise<void> => {
        snapshot = (await live.takeSnapshot()).snapshot;
      };
      if ((await this.#change(id, running, taken)) && (await this.#add(id, running)))
        await this.#change(id, running, async () => live.restore(snapshot));
    }
    if (what === 'fork' && !model.isClosed) {
      try {
        for (const fork of await server.fork(id, { count: 1 + (n % 2) })) await this.#know(fork.id, place);
      } catch {
        expect(fate.left).toBeLessThanOrEqual(0);
      }
    }
    if (what === 'save') await Promise.race([save(running, id), new Promise((done) => setTimeout(done, 20))]);
    if (what === 'park') live.park();
    if (what === 'close' && ids.length > 2) {
      await this.#change(id, running, async () => server.close(id));
      model.isClosed = true;
      server.sweep();
    }
    if (what === 'open') await this.#opened(place).catch(() => {});
    if (what === 'doom') fate.left = n * 3;
    if (what === 'tidy') await this.#tidy();
    if (what === 'collect') await this.#collect();
    if (what === 'move' && fate.left > 100) await this.#moved([id], place, await house.release([id]));
    if (what === 'kill' || fate.left <= 0) await this.#died(place);
  }

  #forget(id: string): void {
    this.sessions.delete(id);
    this.at.delete(id);
  }

  async #moved(ids: readonly string[], from: 0 | 1, went: readonly string[]): Promise<void> {
    expect(went).toEqual(ids);
    await this.#adopted(went, from === 0 ? 1 : 0);
  }

  async #adopted(ids: readonly string[], place: 0 | 1): Promise<void> {
    const { running, fate } = this.processes[place] as { running: Running; fate: Fate };
    fate.left = Number.POSITIVE_INFINITY;
    const said = await workerKeeping(running.house, machine.folder).adopt(ids);
    for (const id of ids) {
      const model = this.sessions.get(id) as Modelled;
      // Those that are closed are forgotten as others close.
      if (model.isClosed && (said.get(id) || !isThere(running, id))) {
        this.#forget(id);
        continue;
      }
      expect(said.get(id), id).toBeUndefined();
      this.at.set(id, place);
      const now = await shown(running, id);
      if (this.durability === 'none') expect(model.was).toContain(now);
      else expect([model.sure, model.was.at(-1)]).toContain(now);
      running.server.live(id).lost = undefined;
      Object.assign(model, { sure: now, was: [...model.was, now] });
    }
  }

  async #died(place: 0 | 1): Promise<void> {
    const { running } = this.processes[place] as { running: Running };
    machine.kill(running);
    await machine.ownership.bury(running.house.incarnation);
    const ids = [...this.at].filter(([, at]) => at === place).map(([id]) => id);
    this.processes[place] = await this.#made();
    // One after the other, so that what it takes up first has gone on, and been saved, before the next is looked for.
    for (const id of ids) {
      await this.#adopted([id], place === 0 ? 1 : 0);
      const { running: other } = this.processes[place === 0 ? 1 : 0] as { running: Running };
      if (ids.length % 2 === 0 && this.sessions.has(id)) for (let n = 0; n < 3; n++) await this.#saved(other, id);
    }
  }

  async #saved(running: Running, id: string): Promise<void> {
    const { isClosed } = this.sessions.get(id) as Modelled;
    if (!isClosed) await this.#add(id, running);
    await save(running, id);
  }

  async #dead(): Promise<string[]> {
    const alive = (await machine.ownership.workers()).filter(({ dead }) => !dead);
    return deadLogs(
      join(machine.folder, 'logs'),
      alive.map(({ incarnation }) => incarnation),
    );
  }

  async #tidy(): Promise<void> {
    const rows = new Map((await machine.ownership.sessions()).map((row) => [row.session, row]));
    for (const folder of await this.#dead()) if (isSettled(readLogs([folder]), rows)) removeLogs([folder]);
  }

  /** Without the hour that a collector waits. */
  async #collect(): Promise<void> {
    const keys = await machine.blobs.list('sessions/');
    const held = await heldBy(machine.ownership, () => pinnedIn(deadLogs(join(machine.folder, 'logs'), [])))(keys);
    for (const key of keys) if (!held.has(key)) await machine.blobs.delete(key);
  }

  async end(): Promise<void> {
    for (const place of [0, 1] as const) await this.#died(place);
  }
}

it.each([
  ['call', 14],
  ['none', 6],
] as const)(
  'trees of forks are what they were, whoever dies and wherever they move: %s',
  async (durability, numRuns) => {
    const seen = { forks: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 50 }), async (steps) => {
        machine = new Machine(engine);
        const tree = new Tree(durability);
        try {
          await tree.begin();
          for (const one of steps) {
            await tree.step(one);
            if (one.what === 'fork') seen.forks++;
          }
          await tree.end();
        } finally {
          await machine.end();
        }
      }),
      { numRuns, endOnFailure: true },
    );
    expect(seen.forks).toBeGreaterThan(numRuns);
  },
  120_000,
);
