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
// The names differ from world to world: the mail service's first tool that writes is the one that sends.
const [name] = [...world.tools].find(([, { service, tool }]) => service.id === 'mail' && !tool.readOnly);
const send = first.tools().find((tool) => tool.name === name);
const [to, subject, text] = send.inputSchema.required;
console.log(`calling ${name} (${to}, ${subject}, ${text}) in the first session`);
const outcome = first.call(name, { [to]: 'ada@shop.example', [subject]: 'Hello', [text]: 'From one session only.' });
assert.ok(outcome.ok, JSON.stringify(outcome.result));
assert.equal(Object.values(first.diff()).flat().length > 0, true);
assert.deepEqual(second.diff(), {});
console.log('the second session is untouched');
first.drop();
second.drop();
engine.close();
