/** Code tools in a server's sessions: they answer later, in order, and a tool that never ends holds nobody else up. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { baseWith } from '../../../../test/fixtures/services.js';
import { fixtureParts } from '../../../../test/fixtures/world.js';
import { addressOf, sha256 } from '../../../kit/hash.js';
import { codeService, probe } from '../../../world/code/code.fixture.js';
import { Engine } from '../../../world/state/engine.js';
import { openRegistry } from '../../registry/registry.js';
import { publishWorld, recordedWorlds } from '../../registry/worlds.js';
import { Session } from '../session.js';
import { SessionServer } from './session-server.js';

let engine: Engine;
let server: SessionServer;
beforeAll(async () => {
  engine = await Engine.start();
  const service = codeService({
    spin: probe('spin', 'export default () => { for (;;) {} }'),
    hog: probe('hog', 'export default () => { const all = []; for (;;) all.push(new Array(100000).fill(7)); }'),
  });
  const { world, services, images, snapshot } = fixtureParts(engine);
  const lockers = ['S1', 'S2', 'M1', 'L1'].map((id) => ({
    id,
    size: { S: 'small', M: 'medium', L: 'large' }[id[0] as 'S'],
  }));
  const { image } = baseWith(engine, service, { locker: lockers });
  const databases = { ...snapshot.databases, [service.id]: sha256(image) };
  const grown = {
    ...world,
    id: 'coded',
    services: [...world.services, { id: service.id, hash: addressOf(service), role: 'domain', prefix: '' }],
    rows: { ...world.rows, [service.id]: { locker: lockers.length, parcel: 0, audit: 0 } },
    snapshot: addressOf({ ...snapshot, databases }),
  };
  const registry = openRegistry();
  publishWorld(registry, {
    world: grown,
    services: [...services, service],
    images: { ...images, [service.id]: image },
    snapshot: { ...snapshot, databases },
  });
  const source = recordedWorlds(registry);
  server = new SessionServer({ engine, registry, partsOf: (hash) => source.partsOf(hash) });
});
afterAll(async () => {
  await server.shutDown();
  engine.close();
});

const open = async (): Promise<string> => (await server.open({ world: 'coded' })).id;
const accept = { email: 'a@x.example', grams: 700 };

it('answer as a session of one’s own does, ledger and state alike', async () => {
  const id = await open();
  const live = server.live(id);
  const steps: [string, object][] = [
    ['accept_parcel', accept],
    ['accept_parcel', { ...accept, grams: 900_000 }],
    ['list_parcels', {}],
    ['report', {}],
    ['create_customer', { name: 'N', email: 'n@mail.example' }],
    ['return_all', {}],
    ['accept_parcel', { email: 5 }],
  ];
  const alone = Session.open(server.worlds.hold(live.start.ground), { id: 'alone', me: live.start.me });
  for (const [tool, args] of steps) {
    const outcome = await live.call(tool, args);
    expect(outcome).toEqual(alone.call(tool, args));
  }
  expect((await live.state()).hash).toBe(alone.hash());
  expect(alone.ledger.filter(({ touched }) => touched.length > 0).length).toBeGreaterThanOrEqual(3);
  alone.drop();
});

it('calls of one session keep their order though some answer later', async () => {
  const live = server.live(await open());
  const outcomes = await Promise.all(
    Array.from({ length: 9 }, (_, n) =>
      n % 2
        ? live.call('create_customer', { name: `N${n}`, email: `n${n}@mail.example` })
        : live.call('list_parcels', {}),
    ),
  );
  expect(outcomes.map(({ entry }) => entry.index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
});

it.each([
  ['spin', 'code_timeout'],
  ['hog', 'code_memory'],
])('%s is ended, told, and leaves the others alone', async (tool, code) => {
  const [bad, good] = [server.live(await open()), server.live(await open())];
  await bad.call('accept_parcel', accept);
  const before = await bad.state();
  const ending = bad.call(tool, {});
  let answered = 0;
  const done = Promise.resolve(ending).then(() => answered);
  for (let n = 0; n < 20; n++) {
    expect((await good.call('create_customer', { name: `N${n}`, email: `n${n}@mail.example` })).ok).toBe(true);
    answered++;
  }
  // All twenty were answered while the bad one was still at it.
  expect(await done).toBe(20);
  const outcome = await ending;
  expect(outcome).toMatchObject({ ok: false, error: { fault: 'world' } });
  expect(JSON.stringify(outcome)).toContain(code === 'code_memory' ? 'memory' : 'too long');
  expect((await bad.state()).changes).toEqual(before.changes);
  expect((await bad.call('accept_parcel', accept)).ok).toBe(true);
});
