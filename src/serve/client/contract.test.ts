import { afterAll, beforeAll, describe, it } from 'vitest';
import { fixtureWorld } from '../../../test/fixtures/world.js';
import { Engine } from '../../world/state/engine.js';
import type { Trainer } from '../trainer.js';
import { doorBefore, type Listening, listenOn, READ, TASK, TOKEN, WRITE } from './bench.fixture.js';
import { connect, inProcess, type RemoteTrainer } from './client.js';
import { TRAINER_CONTRACT } from './contract.js';
import { fakeTrainer } from './trainer.fixture.js';

let engine: Engine;
let server: Listening;
let remote: RemoteTrainer;
const trainers: Record<string, Trainer> = {};

beforeAll(async () => {
  engine = await Engine.start();
  const world = fixtureWorld(engine);
  trainers['in process'] = inProcess(fakeTrainer(world, { tasks: [TASK] }));
  server = await listenOn(doorBefore(fakeTrainer(world, { tasks: [TASK] })));
  remote = connect({ url: server.origin, token: TOKEN });
  trainers['over HTTP'] = remote;
});

afterAll(async () => {
  remote.disconnect();
  await server.close();
  engine.close();
});

describe.each(['in process', 'over HTTP'])('a trainer %s', (kind) => {
  it.each(TRAINER_CONTRACT.map((one) => [one.name, one] as const))('%s', (_, { run }) =>
    run({
      trainer: trainers[kind]!,
      world: 'fixture',
      task: TASK.id,
      service: 'billing',
      read: READ,
      write: WRITE,
    }),
  );
});
