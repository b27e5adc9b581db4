// A server in process: publish a world and a task, open a session, fork it into a group, let each branch act, verify each.
import assert from 'node:assert/strict';
import {
  addressOf,
  assembleWorld,
  authorFromBrief,
  Engine,
  generateTasks,
  inProcess,
  loadWorld,
  openRegistry,
  SessionServer,
} from '../dist/index.js';

const engine = await Engine.start();
const built = assembleWorld(engine, authorFromBrief('a bicycle repair shop in Ghent', { seed: 'example' }));
const [{ task }] = generateTasks(loadWorld(engine, built), { count: 1, seed: 'example' }).tasks;

const registry = openRegistry();
for (const spec of built.services) registry.publish('service', `${built.world.id}/${spec.id}`, spec);
registry.publish('world', built.world.id, built.world);
registry.publish('task', `${built.world.id}/${task.id}`, task);
registry.publish('verifier', `${built.world.id}/${task.id}`, {
  treadle: 'verifier/1',
  milestones: task.milestones,
  ...(task.answer ? { answer: task.answer } : {}),
});
const server = new SessionServer({
  engine,
  registry,
  partsOf: (hash) => {
    assert.equal(hash, addressOf(built.world));
    return built;
  },
});

const trainer = inProcess(server);
const session = await trainer.open({ task: task.id, labels: { run: 'example' } });
console.log(session.brief);
const group = await trainer.fork(session.id, { count: 3, labels: { group: 'g1' } });
for (const { tool, args } of task.reference.calls) await trainer.call(group[0].id, { tool, arguments: args });
const verdicts = await Promise.all(
  group.map(({ id }, n) => trainer.verify(id, { answer: n === 0 ? task.reference.answer : '' })),
);
console.log(verdicts.map(({ pass }) => (pass ? 'passes' : 'fails')).join(', '));
assert.deepEqual(
  verdicts.map(({ pass }) => pass),
  [true, false, false],
);
await server.shutDown();
engine.close();
