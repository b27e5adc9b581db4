// A world in process: author it from a brief, open two sessions from one state, and see that neither sees the other's writes.
import assert from 'node:assert/strict';
import { assembleWorld, authorFromBrief, callerOf, certifyWorld, Engine, loadWorld, Session } from '../dist/index.js';

const engine = await Engine.start();
const world = loadWorld(
  engine,
  assembleWorld(engine, authorFromBrief('a bicycle repair shop in Ghent', { seed: 'example' })),
);
console.log(`${world.spec.company.name}: ${[...world.services.keys()].join(', ')}, ${world.tools.size} tools`);

const { certificate } = certifyWorld(world);
console.log(`certificate: ${certificate.findings.map(({ id, pass }) => `${id} ${pass ? 'ok' : 'failed'}`).join(', ')}`);
assert.ok(certificate.pass);

const first = Session.open(world, { id: 'first', me: callerOf({ name: 'Ada', email: 'ada@shop.example' }) });
const second = first.fork('second');
const send = first.tools().find(({ name, readOnly }) => /send/.test(name) && !readOnly);
const properties = Object.keys(send.inputSchema.properties);
console.log(`calling ${send.name} (${properties.join(', ')}) in the first session`);
const to = properties.find((name) => /to/.test(name));
const outcome = first.call(send.name, { [to]: 'ada@shop.example', subject: 'Hello', body: 'From one session only.' });
assert.ok(outcome.ok, JSON.stringify(outcome.result));
assert.equal(Object.values(first.diff()).flat().length > 0, true);
assert.deepEqual(second.diff(), {});
console.log('the second session is untouched');
first.drop();
second.drop();
engine.close();
