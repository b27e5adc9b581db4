import { validate } from '@scalar/openapi-parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { fixtureWorld } from '../../../test/fixtures/world.js';
import { Engine } from '../../world/state/engine.js';
import { READ, taskOn, WRITE } from '../client/bench.fixture.js';
import { fakeTrainer } from '../client/trainer.fixture.js';
import { openApiDocument } from './openapi.js';
import { ROUTES } from './routes.js';

interface Shown {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}
interface Operation {
  operationId: string;
  parameters: { name: string; in: string; required: boolean }[];
  requestBody?: { content: { 'application/json': { schema: object } } };
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

const document = JSON.parse(JSON.stringify(openApiDocument(ROUTES))) as Shown;
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

it('is a valid OpenAPI 3.1 document', async () => {
  const { valid, errors, version } = await validate(JSON.stringify(document));
  expect({ valid, errors, version }).toEqual({ valid: true, errors: [], version: '3.1' });
});

it('has every route once, with its path parameters', () => {
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
    ROUTES.map(({ operation }) => operation).sort(),
  );
  for (const [path, methods] of Object.entries(document.paths))
    for (const { parameters } of Object.values(methods))
      expect(parameters.filter((one) => one.in === 'path').map(({ name }) => `{${name}}`)).toEqual(
        path.match(/\{\w+\}/g) ?? [],
      );
});

it('points at nothing that is not there, and leaves out what only a schema file has', () => {
  const text = JSON.stringify(document);
  for (const [, name = ''] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]*)"/g))
    expect(Object.keys(document.components.schemas)).toContain(name);
  expect(text).not.toMatch(/\$schema|"\$id"|__shared|\$defs/);
  expect(text.match(/"\$ref":"(?!#\/components\/schemas\/)/g)).toBeNull();
});

describe('what a server answers', () => {
  it('is what the document says', async () => {
    const engine = await Engine.start();
    const world = fixtureWorld(engine);
    const task = taskOn(world.spec);
    const trainer = fakeTrainer(world, { tasks: [task] });
    const { id } = await trainer.open({ task: task.id, labels: { run: 'r', step: 1 } });
    await trainer.call(id, READ);
    await trainer.call(id, { tool: 'nothing' });
    await trainer.call(id, WRITE);
    const answers: Record<string, unknown> = {
      openSession: await trainer.open({ world: 'fixture' }),
      forkSession: await trainer.fork(id, { count: 2 }),
      getSession: await trainer.session(id),
      listSessions: await trainer.sessions(),
      getTools: await trainer.tools(id),
      callTool: await trainer.call(id, { tool: 'nothing' }),
      verifySession: await trainer.verify(id),
      getLedger: await trainer.ledger(id),
      getState: await trainer.state(id),
      getInfo: await trainer.info(),
      takeSnapshot: await trainer.snapshot(id),
      listRecords: await trainer.records('task'),
      readRecord: await trainer.read('task', task.id),
    };
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document as object, 'api');
    const schemaOf = (operation: string): object => {
      const { responses } = operations.find(({ operationId }) => operationId === operation)!;
      const { schema } = (responses[200] ?? responses[201])!.content!['application/json']!;
      return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/'));
    };
    for (const [operation, answer] of Object.entries(answers)) {
      const check = ajv.compile(schemaOf(operation));
      check(JSON.parse(JSON.stringify(answer)));
      expect({ operation, errors: check.errors }).toEqual({ operation, errors: null });
    }
    const check = ajv.compile(schemaOf('getSession'));
    expect(check({ id: 7 })).toBe(false);
    engine.close();
  });
});
