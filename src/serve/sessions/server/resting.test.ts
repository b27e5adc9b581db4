import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newCustomer } from '../../../../test/fixtures/server.js';
import { slabsFor } from '../../../world/state/slabs.js';
import { memoryBlobs } from '../../blobs/memory.js';
import { add, call, code, open, start, stateOf, TASK, toDisk, withServers } from './server.fixture.js';

withServers();

describe('idle sessions', () => {
  it('rest in memory, on disk and in the blob store, and come back with the next call', async () => {
    let clock = 0;
    const blobs = memoryBlobs();
    const times = { park: 10, disk: 20, store: 30, forget: 40 };
    const fixture = start({ now: () => clock, idle: times }, { blobs });
    const { server } = fixture;
    const session = open(fixture);
    const twin = open(fixture);
    add(fixture, session, 1);
    add(fixture, twin, 1);
    for (const [at, residence] of [
      [5, 'active'],
      [12, 'parked'],
      [25, 'disk'],
      [35, 'stored'],
    ] as const) {
      clock = at;
      // A round passes by a session whose last move is still ending, so it is asked again, as the server's own timer would.
      const rests = (id: string) => {
        server.sweep();
        return server.live(id).info().residence;
      };
      for (const { id } of [session, twin]) await expect.poll(() => rests(id)).toBe(residence);
    }
    expect(await blobs.list('')).toHaveLength(2);
    expect(readdirSync(server.folder).filter((name) => name.endsWith('.parked'))).toEqual([]);
    const outcome = await server.live(session.id).call('create_customer', { name: 'B', email: 'b@mail.example' });
    expect(outcome.ok).toBe(true);
    expect(server.live(session.id).info()).toMatchObject({ residence: 'active', calls: 2 });
    await server.live(twin.id).call('create_customer', { name: 'B', email: 'b@mail.example' });
    expect(await server.live(session.id).state()).toEqual(await server.live(twin.id).state());
    await expect.poll(() => blobs.list('')).toEqual([]);
  });

  it('closes what nobody used for long, keeps its record, and forgets it in the end', async () => {
    let clock = 0;
    const fixture = start({ now: () => clock, idle: { park: 1, disk: 1, store: 9, forget: 100 } });
    const { server } = fixture;
    const session = open(fixture, { ...TASK, idleSeconds: 50 });
    call(fixture, session, 'create_customer', newCustomer);
    clock = 60;
    while (server.sweep());
    expect(server.live(session.id).status).toBe('closed');
    expect(server.find(session.token).state).toBe('gone');
    expect(server.size).toBe(0);
    expect(await server.verify(session.id)).toMatchObject({ pass: true });
    expect(server.live(session.id).record().entries).toHaveLength(1);
    const image = await server.live(session.id).image('billing', 'final');
    expect(Buffer.from(image).subarray(0, 15).toString()).toBe('SQLite format 3');
    clock = 200;
    while (server.sweep());
    expect(() => server.live(session.id)).toThrow(code('unknown_session'));
    const parked = () => readdirSync(server.folder).filter((name) => name.endsWith('.parked'));
    await expect.poll(parked).toEqual([]);
  });

  it('a full or vanished disk loses nothing: the session stays in memory, and no new one is opened until it is well', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'treadle-server-'));
    const heard: string[] = [];
    const fixture = start(
      {},
      { folder: join(folder, 'data'), onDefect: ({ code }: { code: string }) => heard.push(code) },
    );
    const { server } = fixture;
    const session = open(fixture);
    add(fixture, session, 1);
    rmSync(join(folder, 'data'), { recursive: true });
    writeFileSync(join(folder, 'data'), 'in the way');
    server.live(session.id).park();
    await expect(server.live(session.id).leaveMemory()).rejects.toMatchObject({ fault: 'infrastructure' });
    expect(server.live(session.id).info().residence).toBe('parked');
    expect(add(fixture, session, 2).ok).toBe(true);
    expect(Object.values(stateOf(fixture, session).changes).flat()).toHaveLength(2);
    rmSync(folder, { recursive: true, force: true });
  });

  it('a resting session whose file was taken away says so and leaves the others alone', async () => {
    const fixture = start();
    const [lost, well] = [open(fixture), open(fixture)];
    add(fixture, lost, 1);
    add(fixture, well, 1);
    await toDisk(fixture, lost);
    rmSync(join(fixture.server.folder, `${lost.id}.parked`));
    expect(() => add(fixture, lost, 2)).toThrow(code('session_lost'));
    expect(add(fixture, well, 2).ok).toBe(true);
  });

  it('damaged bytes are told and never half a session', async () => {
    const fixture = start();
    const session = open(fixture);
    add(fixture, session, 1);
    await toDisk(fixture, session);
    const { live } = slabsFor(2048);
    for (const bytes of [Buffer.alloc(0), Buffer.from('nonsense that is long enough'), Buffer.alloc(4096, 1)]) {
      writeFileSync(join(fixture.server.folder, `${session.id}.parked`), bytes);
      expect(() => add(fixture, session, 2)).toThrow(code('bad_parcel'));
    }
    expect(slabsFor(2048).live).toBe(live);
  });
});

/** Whatever happens to it between calls, a session goes on as one that nothing ever happened to. */
it('resting, waking, pausing and coming back change nothing', async () => {
  const fixture = start();
  const { server } = fixture;
  const step = fc.oneof(
    fc.record({ do: fc.constant('call' as const), n: fc.nat(40) }),
    fc.record({
      do: fc.constantFrom('park' as const, 'disk' as const, 'pause' as const, 'round' as const),
      n: fc.nat(40),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const [tried, plain] = [open(fixture), open(fixture)];
      for (const { do: what, n } of steps) {
        const live = server.live(tried.id);
        if (what === 'park') live.park();
        else if (what === 'disk') await toDisk(fixture, tried);
        else if (what === 'pause') {
          await server.pause(tried.id);
          await server.resume(tried.id);
        } else if (what === 'round') {
          const { snapshot } = await live.takeSnapshot();
          await live.call('create_customer', { name: 'Gone', email: 'gone@mail.example' });
          if (n % 2) live.park();
          await live.restore(snapshot);
          if (n % 3) await live.dropSnapshot(snapshot);
        } else {
          const args = { name: `N ${n}`, email: `n${n}@mail.example` };
          const [one, two] = [
            await live.call('create_customer', args),
            await server.live(plain.id).call('create_customer', args),
          ];
          expect(one).toEqual(two);
        }
      }
      expect(await server.live(tried.id).state()).toEqual(await server.live(plain.id).state());
      const bare = ({ id }: { id: string }) => server.live(id).book.entries();
      expect(bare(tried)).toEqual(bare(plain));
      for (const { id } of [tried, plain]) await server.close(id);
    }),
    { numRuns: 60 },
  );
});
