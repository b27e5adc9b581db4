import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { newCustomer } from '../../../../test/fixtures/server.js';
import type { Json } from '../../../kit/hash.js';
import { slabsFor } from '../../../world/state/slabs.js';
import { inProcess } from './in-process.js';
import { add, call, code, now, open, start, stateOf, TASK, toDisk, withServers } from './server.fixture.js';

withServers();

describe('opening', () => {
  it('pins versions, offers the task’s services, and gives a token for all and one a service', () => {
    const fixture = start();
    const session = open(fixture, { ...TASK, labels: { run: 'r1', step: 3, group: 'g', policyVersion: 'v2' } });
    expect(session).toMatchObject({
      status: 'open',
      residence: 'active',
      pins: { world: { name: 'fixture', version: 1 }, task: { version: 1 }, verifier: { version: 1 } },
      labels: { run: 'r1', step: 3, group: 'g', policyVersion: 'v2' },
      calls: 0,
      brief: fixture.task.brief,
    });
    expect(Object.keys(session.services).sort()).toEqual(['billing', 'directory']);
    const tokens = [session.token, ...Object.values(session.services).map(({ token }) => token)];
    expect(new Set(tokens).size).toBe(3);
    for (const token of tokens) expect(token).toMatch(/^trd_[\w-]{16}\.[\w-]{43}$/);
    expect(JSON.stringify(fixture.server.live(session.id).info())).not.toContain(session.token.slice(24));
  });

  it('a new version of a task does not touch sessions that are open', () => {
    const fixture = start();
    const before = open(fixture);
    const changed = { ...fixture.task, brief: 'Something else.' };
    fixture.registry.publish('task', 'fixture/new-customer-1', changed as unknown as Json);
    expect(open(fixture).brief).toBe('Something else.');
    expect(open(fixture, { task: 'fixture/new-customer-1@1' }).brief).toBe(fixture.task.brief);
    expect(fixture.server.live(before.id).info().pins.task?.version).toBe(1);
    expect(fixture.server.verify(before.id)).toMatchObject({ pass: false });
  });

  it.each([
    [{}, 'bad_request'],
    [{ task: 'no-such' }, 'unknown_record'],
    [{ world: 'fixture', services: ['payroll'] }, 'unknown_service'],
    [{ task: 'fixture/new-customer-1', world: 'elsewhere' }, 'unknown_record'],
    [{ world: 'fixture@7' }, 'unknown_record'],
    [{ world: '__proto__' }, 'unknown_record'],
  ])('refuses %j with %s and opens nothing', (request, expected) => {
    const fixture = start();
    expect(() => fixture.server.open(request)).toThrow(code(expected));
    expect(fixture.server.size).toBe(0);
  });

  it('says no beyond its capacity, and yes again when one is closed', () => {
    const fixture = start({ capacity: 2 });
    const first = open(fixture);
    open(fixture);
    expect(() => fixture.server.open(TASK)).toThrow(
      expect.objectContaining({ code: 'at_capacity', isRetryable: true }),
    );
    expect(() => fixture.server.fork(first.id)).toThrow(code('at_capacity'));
    now(fixture.server.close(first.id));
    now(fixture.server.close(first.id));
    expect(open(fixture).status).toBe('open');
    expect(fixture.server.refusedOpens).toEqual({ at_capacity: 2 });
  });
});

describe('tokens', () => {
  it('open what they were made for and nothing else', () => {
    const fixture = start();
    const { server } = fixture;
    const session = open(fixture);
    const other = open(fixture);
    const all = server.find(session.token);
    const billing = server.find(session.services.billing?.token as string);
    if (all.state !== 'open' || billing.state !== 'open') throw new Error('not open');
    expect(all.session).toMatchObject({ id: session.id, service: undefined });
    expect(billing.session).toMatchObject({ id: session.id, service: 'billing' });
    expect(new Set(billing.session.host.tools().map(({ service }) => service))).toEqual(new Set(['billing']));
    const name = all.session.host.tools().find(({ service }) => service === 'directory')?.name as string;
    expect(now(billing.session.host.call(name, {})).error?.code).toBe('unknown_tool');
    expect(now(all.session.host.call(name, {})).error?.code).not.toBe('unknown_tool');
    const [, secret] = session.token.split('.');
    for (const token of ['', 'trd_', `trd_${other.id}.${secret}`, `${session.token}x`, session.token.slice(0, -1)])
      expect(server.find(token).state).toBe('unknown');
  });

  it('tell a session that is over from one that never was', async () => {
    const fixture = start({ closed: 1 });
    const [first, second] = [open(fixture), open(fixture)];
    for (const { id } of [first, second]) now(fixture.server.close(id));
    expect(fixture.server.find(second.token).state).toBe('gone');
    expect(fixture.server.find(first.token).state).toBe('gone');
    expect(() => fixture.server.live(first.id)).toThrow(code('unknown_session'));
    expect(fixture.server.find(`trd_${'a'.repeat(16)}.${'b'.repeat(43)}`).state).toBe('unknown');
  });
});

describe('pausing, forking, snapshots, resets', () => {
  it('a paused session takes no call and loses nothing', () => {
    const fixture = start();
    const session = open(fixture);
    add(fixture, session, 1);
    const before = stateOf(fixture, session);
    now(fixture.server.pause(session.id));
    expect(() => add(fixture, session, 2)).toThrow(code('session_paused'));
    expect(fixture.server.find(session.token).state).toBe('paused');
    expect(stateOf(fixture, session)).toEqual(before);
    now(fixture.server.resume(session.id));
    expect(add(fixture, session, 2).ok).toBe(true);
  });

  it('branches start from exactly the same state, each with tokens of its own', () => {
    const fixture = start();
    const session = open(fixture, { ...TASK, labels: { run: 'r' } });
    add(fixture, session, 1);
    const branches = now(fixture.server.fork(session.id, { count: 8, labels: { group: 'g' } }));
    expect(new Set(branches.map(({ token }) => token)).size).toBe(8);
    const at = stateOf(fixture, session);
    for (const [n, branch] of branches.entries()) {
      expect(stateOf(fixture, branch)).toEqual(at);
      expect(branch).toMatchObject({ parent: session.id, calls: 1, labels: { run: 'r', group: 'g' } });
      for (let more = 0; more <= n; more++) add(fixture, branch, 10 + more);
    }
    expect(stateOf(fixture, session)).toEqual(at);
    expect(branches.map((branch) => fixture.server.live(branch.id).book.length)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('a session that became its branches is still there to fork, and takes no call', () => {
    const fixture = start();
    const session = open(fixture);
    add(fixture, session, 1);
    now(fixture.server.fork(session.id, { count: 2, retire: true }));
    expect(() => add(fixture, session, 2)).toThrow(code('session_forked'));
    expect(() => fixture.server.resume(session.id)).toThrow(code('session_forked'));
    expect(fixture.server.find(session.token).state).toBe('forked');
    expect(now(fixture.server.fork(session.id))[0]?.calls).toBe(1);
  });

  it('a snapshot brings back state, files, clock and ledger, again and again, parked or not', async () => {
    const fixture = start();
    const { server } = fixture;
    const session = open(fixture);
    add(fixture, session, 1);
    const { snapshot, hash } = now(server.live(session.id).takeSnapshot());
    const then = stateOf(fixture, session);
    expect(then.hash).toBe(hash);
    for (const rest of [async () => {}, async () => server.live(session.id).park(), () => toDisk(fixture, session)]) {
      add(fixture, session, 2);
      expect(stateOf(fixture, session)).not.toEqual(then);
      await rest();
      now(server.live(session.id).restore(snapshot));
      expect(stateOf(fixture, session)).toEqual(then);
      expect(server.live(session.id).record().entries).toHaveLength(1);
    }
    now(server.live(session.id).dropSnapshot(snapshot));
    expect(() => server.live(session.id).restore(snapshot)).toThrow(code('unknown_snapshot'));
    expect(stateOf(fixture, session)).toEqual(then);
  });

  it('a reset is as newly opened', () => {
    const fixture = start();
    const [session, fresh] = [open(fixture), open(fixture)];
    add(fixture, session, 1);
    now(fixture.server.reset(session.id));
    expect(stateOf(fixture, session)).toEqual(stateOf(fixture, fresh));
    expect(fixture.server.live(session.id).info()).toMatchObject({ calls: 0, status: 'open' });
  });
});

describe('calls by name', () => {
  it('a call repeated under its name is answered again and not run again', () => {
    const fixture = start();
    const session = open(fixture);
    const live = fixture.server.live(session.id);
    const once = () => now(live.call('create_customer', { name: 'A', email: 'a@mail.example' }, { operation: 'op-1' }));
    const first = once();
    const again = once();
    expect(again).toEqual(first);
    expect(live.record().entries).toHaveLength(1);
    expect(() => live.call('create_customer', { name: 'B', email: 'b@x.example' }, { operation: 'op-1' })).toThrow(
      code('operation_conflict'),
    );
    const wrong = () => now(live.call('get_invoice', { invoice_id: 'none' }, { operation: 'op-2' }));
    expect(wrong()).toEqual(wrong());
    expect(live.record().entries).toHaveLength(2);
  });

  it('a call that was undone by a restore may be made again', () => {
    const fixture = start();
    const session = open(fixture);
    const live = fixture.server.live(session.id);
    const { snapshot } = now(live.takeSnapshot());
    const once = () => now(live.call('create_customer', { name: 'A', email: 'a@mail.example' }, { operation: 'op' }));
    once();
    now(live.restore(snapshot));
    once();
    expect(Object.keys(now(live.state()).changes)).toEqual(['billing']);
  });
});

describe('verification', () => {
  it('runs inside, on the states and the ledger, by the pinned verifier or another', () => {
    const fixture = start();
    const session = open(fixture);
    expect(now(fixture.server.verify(session.id, { answer: 'I did it, trust me.' }))).toMatchObject({ pass: false });
    call(fixture, session, 'create_customer', newCustomer);
    expect(now(fixture.server.verify(session.id))).toMatchObject({ pass: true, trace: session.id });
    const strict = { treadle: 'verifier/1', milestones: structuredClone(fixture.task.milestones) };
    Object.assign(strict.milestones[0]?.checks[0] as object, { count: 2 });
    fixture.registry.publish('verifier', 'fixture/new-customer-1', strict as unknown as Json);
    expect(now(fixture.server.verify(session.id))).toMatchObject({ pass: true });
    expect(now(fixture.server.verify(session.id, { verifier: 'fixture/new-customer-1@2' }))).toMatchObject({
      pass: false,
    });
    const later = open(fixture);
    call(fixture, later, 'create_customer', newCustomer);
    expect(now(fixture.server.verify(later.id))).toMatchObject({ pass: false });
  });

  it('has nothing to say of a session without a task', () => {
    const fixture = start();
    expect(() => fixture.server.verify(open(fixture, { world: 'fixture' }).id)).toThrow(code('no_task'));
  });

  it('agents see no verifier, ledger, snapshot or path in anything they get', () => {
    const fixture = start();
    const found = fixture.server.find(open(fixture).token);
    if (found.state !== 'open') throw new Error('not open');
    const seen = JSON.stringify([
      found.session.host.tools(),
      now(found.session.host.call('get_invoice', { invoice_id: 'x' })).result,
    ]);
    for (const secret of ['milestone', 'verifier', fixture.server.folder, 'ledger', newCustomer.email])
      expect(seen).not.toContain(secret);
  });
});

describe('statistics', () => {
  it('count calls and failures by version of the tool and by labels', async () => {
    const fixture = start();
    const trainer = inProcess(fixture.server);
    const session = await trainer.open({ ...TASK, labels: { run: 'a', policyVersion: '7' } });
    await trainer.call(session.id, { tool: 'create_customer', arguments: newCustomer });
    await trainer.call(session.id, { tool: 'get_invoice', arguments: { invoice_id: 'none' } });
    await trainer.call(session.id, { tool: 'nonsense' });
    const rows = await trainer.statistics({ run: 'a' });
    expect(rows.map(({ tool, calls, failed }) => [tool, calls, failed])).toEqual(
      expect.arrayContaining([
        ['create_customer', 1, {}],
        ['get_invoice', 1, { agent: 1 }],
      ]),
    );
    expect(await trainer.statistics({ run: 'b' })).toEqual([]);
    for (const row of rows.filter(({ service }) => service !== '')) expect(row.serviceHash).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('the end', () => {
  it('closes everything, gives pages back and removes the folder it made', async () => {
    const fixture = start();
    const { live } = slabsFor(2048);
    const session = open(fixture);
    add(fixture, session, 1);
    now(fixture.server.live(session.id).takeSnapshot());
    now(fixture.server.fork(session.id, { count: 5 })).forEach((branch, n) => void add(fixture, branch, 5 + n));
    await fixture.server.shutDown();
    await fixture.server.shutDown();
    expect(existsSync(fixture.server.folder)).toBe(false);
    expect(slabsFor(2048).live).toBeLessThanOrEqual(live);
  });
});
