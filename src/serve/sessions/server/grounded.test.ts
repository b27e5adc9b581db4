/** Sessions of tasks that bring rows of their own, and verdicts at the stages of composed ones. */
import { describe, expect, it } from 'vitest';
import { customers, groundedTask, publishTask } from '../../../../test/fixtures/grounded.js';
import { type FixtureServer, newCustomer } from '../../../../test/fixtures/server.js';
import type { Task } from '../../../artifacts/task.js';
import { addressOf } from '../../../kit/hash.js';
import { slabsFor } from '../../../world/state/slabs.js';
import { memoryBlobs } from '../../blobs/memory.js';
import { inProcess } from './in-process.js';
import type { ServerLimits } from './options.js';
import { add, call, code, now, open, start, stateOf, TASK, toDisk, withServers } from './server.fixture.js';

withServers();

const names = (fixture: FixtureServer, session: { id: string }, query = 'Mara'): number =>
  (call(fixture, session, 'search_customers', { query, limit: 100 }).result as { data: unknown[] }).data.length;

const withTasks = (limits: Partial<ServerLimits> = {}, options = {}) => {
  const fixture = start(limits, options);
  const [vogt, kern] = ['Vogt', 'Kern'].map((of) => groundedTask(fixture.task, of)) as [Task, Task];
  const [task, other] = [publishTask(fixture, vogt), publishTask(fixture, kern)];
  return { fixture, server: fixture.server, vogt, task, other };
};

const live = (): number => slabsFor(2048).live + slabsFor(4096).live;

describe('a task with rows of its own', () => {
  it('has them in its sessions and in no others, and what changed is told against them', () => {
    const { fixture, task, other } = withTasks();
    const [own, twin, kern, plain, world] = [
      open(fixture, { task }),
      open(fixture, { task }),
      open(fixture, { task: other }),
      open(fixture, TASK),
      open(fixture, { world: 'fixture' }),
    ];
    expect([own, twin, kern].map((session) => names(fixture, session))).toEqual([12, 12, 12]);
    expect([plain, world].map((session) => names(fixture, session))).toEqual([0, 0]);
    expect(names(fixture, kern, 'Vogt')).toBe(0);
    expect(stateOf(fixture, own).changes).toEqual({});
    expect(stateOf(fixture, own).hash).toBe(stateOf(fixture, twin).hash);
    expect(stateOf(fixture, own).hash).not.toBe(stateOf(fixture, plain).hash);
    add(fixture, own, 1);
    expect(stateOf(fixture, own).changes.billing).toHaveLength(1);
    expect(stateOf(fixture, twin).changes).toEqual({});
    const image = (which: 'initial' | 'final') => Buffer.from(now(fixture.server.live(own.id).image('billing', which)));
    expect(image('initial').includes('Mara Vogt 11')).toBe(true);
    expect(image('initial').includes('New 1')).toBe(false);
    expect(image('final').includes('New 1')).toBe(true);
  });

  it('pins what every task pins, and its world is the plain one', () => {
    const { fixture, task, vogt } = withTasks();
    const { pins } = open(fixture, { task });
    const plain = open(fixture, TASK).pins;
    expect([pins.world, pins.services, pins.servers]).toEqual([plain.world, plain.services, plain.servers]);
    expect(pins.task).toEqual({ name: task, version: 1, hash: addressOf(vogt) });
  });

  it('shares one world among its sessions: neither a session nor a fork costs a page, nor a listing', async () => {
    const { fixture, server, task } = withTasks();
    const first = open(fixture, { task });
    expect(server.worlds.size).toBe(2);
    names(fixture, first);
    const before = live();
    const more = Array.from({ length: 20 }, () => open(fixture, { task }));
    for (const session of more) names(fixture, session);
    now(server.fork(first.id, { count: 20 }));
    expect(live()).toBe(before);
    expect(server.worlds.size).toBe(2);
    expect((await inProcess(server).info()).worlds).toEqual({ loaded: 2, known: 1 });
    const tools = (session: { id: string }) => server.live(session.id).groups('billing')[0];
    expect(tools(first)).toBe(tools(open(fixture, TASK)));
  });

  it('forks, goes back to snapshots and to its own start', async () => {
    const { fixture, server, task } = withTasks();
    const session = open(fixture, { task });
    const began = stateOf(fixture, session);
    add(fixture, session, 1);
    const { snapshot, hash } = await server.live(session.id).takeSnapshot();
    const [one, two] = now(server.fork(session.id, { count: 2 }));
    if (!one || !two) throw new Error('not two branches');
    call(fixture, one, 'update_customer', { customer_id: 'cus_Vogt0000000000', name: 'Mara Other' });
    expect([one, two, session].map((of) => names(fixture, of, 'Other'))).toEqual([1, 0, 0]);
    expect(stateOf(fixture, two).hash).toBe(hash);
    add(fixture, session, 2);
    server.live(session.id).park();
    await server.live(session.id).restore(snapshot);
    expect(stateOf(fixture, session).hash).toBe(hash);
    now(server.reset(session.id));
    expect(stateOf(fixture, session)).toEqual(began);
    expect(names(fixture, session)).toBe(12);
  });

  it('rests in memory, on disk and in the blob store, lets its world go, and comes back to the same', async () => {
    const blobs = memoryBlobs();
    const { fixture, server, task, other } = withTasks({ worlds: 1 }, { blobs });
    const [session, twin, plain] = [open(fixture, { task }), open(fixture, { task }), open(fixture, TASK)];
    for (const one of [session, twin, plain]) add(fixture, one, 1);
    const { snapshot } = await server.live(session.id).takeSnapshot();
    for (const one of [session, twin, plain]) add(fixture, one, 2);
    const expected = stateOf(fixture, twin);
    const sizes = [twin, plain].map(({ id }) => {
      server.live(id).park();
      const { place } = server.live(id);
      return place.at === 'parked' ? place.bytes.length : 0;
    }) as [number, number];
    // The task's rows are no part of what rests.
    expect(sizes[0]).toBeLessThan(sizes[1] * 1.3);
    await toDisk(fixture, session);
    await server.live(session.id).leaveDisk();
    expect(server.live(session.id).info().residence).toBe('stored');
    const ground = server.live(session.id).start.ground;
    expect(server.worlds.isLoaded(ground)).toBe(true);
    names(fixture, open(fixture, { task: other }));
    expect(server.worlds.isLoaded(ground)).toBe(false);
    expect(await server.live(session.id).state()).toEqual(expected);
    expect(await server.live(twin.id).state()).toEqual(expected);
    await server.live(session.id).restore(snapshot);
    expect(stateOf(fixture, session).changes.billing).toHaveLength(1);
    expect(names(fixture, session)).toBe(12);
  });

  it('gives everything back at the end', async () => {
    const before = live();
    const { fixture, server, task, other } = withTasks();
    for (const one of [task, other, task]) add(fixture, open(fixture, { task: one }), 1);
    await server.shutDown();
    expect(live()).toBe(before);
  });

  it('whose rows do not fit is told to who opens it, and costs the others nothing', () => {
    const { fixture, server, task } = withTasks();
    open(fixture, { task });
    const before = live();
    const [first] = customers(1, 'Odd') as [ReturnType<typeof customers>[number]];
    const odd = [
      { ...first, table: 'nothing' },
      { ...first, service: 'nowhere' },
      { ...first, row: { ...first.row, nothing: 1 } },
      { ...first, row: { id: 'cus_Odd' } },
      {
        service: 'billing',
        table: 'invoice',
        row: { id: 'inv_odd', number: 'X-1', customer_id: 'cus_nobody', status: 'open' },
      },
    ];
    for (const [n, row] of odd.entries()) {
      const name = publishTask(fixture, { ...groundedTask(fixture.task, 'Odd', [first, row]), id: `odd-${n}` });
      expect(() => open(fixture, { task: name })).toThrow(code('bad_grounding'));
    }
    expect(live()).toBe(before);
    expect([server.size, server.worlds.size]).toEqual([1, 2]);
    expect(names(fixture, open(fixture, { task }))).toBe(12);
  });

  it('that says so but brings none is as any other', () => {
    const { fixture, server } = withTasks();
    const none = { ...groundedTask(fixture.task, 'None', []), grounding: { rounds: [] } };
    const session = open(fixture, { task: publishTask(fixture, none) });
    expect(server.live(session.id).start.ground).toBe(fixture.worldHash);
    expect(server.worlds.size).toBe(1);
  });
});

describe('verdicts at stages', () => {
  const asked = async () => {
    const { fixture, server, task, vogt } = withTasks();
    const session = open(fixture, { task });
    return { fixture, trainer: inProcess(server), id: session.id, says: vogt.milestones.map(({ says = '' }) => says) };
  };

  it('judge only what is due, by the reply of the stage', async () => {
    const { trainer, id, says } = await asked();
    expect(await trainer.verify(id, { at: 'find' })).toMatchObject({ pass: false });
    const first = await trainer.verify(id, { at: 'find', answer: says[0] });
    expect(first).toMatchObject({ pass: true, milestones: [{ id: 'found', pass: true }] });
    expect(await trainer.verify(id, { at: 'find', answers: { find: says[0] as string } })).toMatchObject({
      pass: true,
    });
    expect(await trainer.verify(id, { at: 'add', answer: '1' })).toMatchObject({ pass: false });
    await trainer.call(id, { tool: 'create_customer', arguments: newCustomer });
    // The first stage's check is overtaken by the second.
    expect(await trainer.verify(id, { at: 'find', answer: says[0] })).toMatchObject({ pass: false });
    const answers = { find: says[0] as string, add: says[1] as string };
    expect(await trainer.verify(id, { at: 'add', answers })).toMatchObject({ pass: true });
    expect(await trainer.verify(id, { answers })).toMatchObject({ pass: true });
    expect(await trainer.verify(id, { answers: { ...answers, find: says[1] as string } })).toMatchObject({
      pass: false,
      milestones: [{ pass: false }, { pass: true }],
    });
  });

  it('judge numbered answers at the end, and a session that ended by its last words', async () => {
    const { trainer, id, says } = await asked();
    await trainer.call(id, { tool: 'create_customer', arguments: newCustomer });
    const text = (lines: readonly (string | undefined)[]) => lines.map((line, i) => `${i + 1}. ${line}`).join('\n');
    expect(await trainer.verify(id, { answer: text(says) })).toMatchObject({ pass: true });
    expect(await trainer.verify(id, { answer: text(says.toReversed()) })).toMatchObject({ pass: false });
    await trainer.close(id, text(says));
    expect(await trainer.verify(id)).toMatchObject({ pass: true });
  });

  it('refuse stages that are none: nothing would be asked, and all would pass', async () => {
    const { trainer, id } = await asked();
    for (const at of ['nowhere', 'constructor', 'found'])
      await expect(trainer.verify(id, { at })).rejects.toMatchObject({ code: 'unknown_stage', value: at });
    const answers = JSON.parse('{"__proto__": "x"}');
    await expect(trainer.verify(id, { answers })).rejects.toMatchObject({ code: 'unknown_stage' });
    await expect(trainer.verify(id, { answers: { nowhere: '1' } })).rejects.toMatchObject({ code: 'unknown_stage' });
  });
});
