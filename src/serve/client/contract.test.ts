import { afterAll, beforeAll, describe, it } from 'vitest';
import { type FixtureParts, fixtureParts } from '../../../test/fixtures/world.js';
import type { Task } from '../../artifacts/task.js';
import type { Json } from '../../kit/hash.js';
import { loadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import type { RecordKind } from '../api.js';
import { openRegistry } from '../registry/registry.js';
import { verifierOf } from '../registry/verifier.js';
import { inProcess } from '../sessions/server/in-process.js';
import { SessionServer } from '../sessions/server/session-server.js';
import type { Trainer } from '../trainer.js';
import { doorBefore, type Listening, listenOn, READ, TOKEN, taskOn, VERIFIERS, WRITE } from './bench.fixture.js';
import { connect, type RemoteTrainer } from './client.js';
import { TRAINER_CONTRACT } from './contract.js';
import { fakeTrainer } from './trainer.fixture.js';

const KINDS = ['the server in process', 'the server over HTTP', 'the fake that other tests use'] as const;

let engine: Engine;
let door: Listening;
let remote: RemoteTrainer;
let taskName: string;
let trainers: Record<(typeof KINDS)[number], Trainer>;
const servers: SessionServer[] = [];

const serverOf = (parts: FixtureParts, task: Task): Trainer => {
  const { world, services } = parts;
  const registry = openRegistry({});
  const publish = (kind: RecordKind, name: string, content: unknown): unknown =>
    registry.publish(kind, name, content as Json);
  for (const spec of services) publish('service', `${world.id}/${spec.id}`, spec);
  publish('world', world.id, world);
  publish('task', `${world.id}/${task.id}`, task);
  publish('verifier', `${world.id}/${task.id}`, verifierOf(task));
  const server = new SessionServer({ engine, registry, partsOf: () => parts });
  server.urlOf = (id) => `http://127.0.0.1:1/s/${id}/mcp`;
  servers.push(server);
  return inProcess(server);
};

beforeAll(async () => {
  engine = await Engine.start();
  const parts = fixtureParts(engine);
  const task = taskOn(parts.world);
  taskName = task.id;
  door = await listenOn(doorBefore(serverOf(parts, task)));
  remote = connect({ url: `${door.origin}/`, token: TOKEN });
  trainers = {
    'the server in process': serverOf(parts, task),
    'the server over HTTP': remote,
    'the fake that other tests use': fakeTrainer(loadWorld(engine, parts), { tasks: [task] }),
  };
});

afterAll(async () => {
  remote.disconnect();
  await door.close();
  for (const server of servers) await server.shutDown();
  engine.close();
});

describe.each(KINDS)('%s', (kind) => {
  it.each(TRAINER_CONTRACT.map((one) => [one.name, one] as const))('%s', (_, { run }) =>
    run({
      trainer: trainers[kind],
      world: 'fixture',
      task: taskName,
      stage: 'enter',
      service: 'billing',
      read: READ,
      write: WRITE,
      verifiers: VERIFIERS,
    }),
  );
});
