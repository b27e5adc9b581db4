// Gated tasks, rolled out by a policy that makes mistakes, judged from evidence alone.
import assert from 'node:assert/strict';
import {
  assembleWorld,
  authorFromBrief,
  callerOf,
  Engine,
  gather,
  generateTasks,
  loadWorld,
  referencePolicy,
  rolloutTask,
  Session,
  scriptedPolicy,
  verify,
} from '../dist/index.js';

const engine = await Engine.start();
const world = loadWorld(
  engine,
  assembleWorld(engine, authorFromBrief('a dental practice in Leeds', { seed: 'example' })),
);
const { tasks } = generateTasks(world, { count: 5, seed: 'example' });

for (const { task } of tasks) {
  const verdicts = [];
  for (const policy of [referencePolicy(task), scriptedPolicy(task, 'example', { wrong_entity: 1 })]) {
    const session = Session.open(world, { id: task.id, services: task.services, me: callerOf(task.actor) });
    const trace = await rolloutTask({ host: session, task, policy });
    verdicts.push(verify(task, gather(session, trace.answer), trace.id).pass);
    session.drop();
  }
  console.log(
    `${task.brief}\n  reference ${verdicts[0] ? 'passes' : 'fails'}, scripted mistakes ${verdicts[1] ? 'pass' : 'fail'}`,
  );
  assert.equal(verdicts[0], true);
}
engine.close();
