/** A world that was built from a document in tests: it has the document's API, over the rows that agents see. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Corpus } from '../../corpus/corpus.js';
import { addWorld, corpusFolder, DESK_SOURCE, TILL_SOURCE } from '../corpus.fixture.js';
import { startWorld, type TestWorld } from './testing.js';
import './vitest.js';

let corpus: Corpus;
let id: string;
let world: TestWorld;
beforeAll(async () => {
  corpus = corpusFolder();
  ({ id } = await addWorld(corpus, [DESK_SOURCE]));
  world = await startWorld({ corpus: corpus.dir, world: id }, { faults: ['estimate=503x1'] });
});
afterAll(async () => {
  await world.close();
  rmSync(corpus.dir, { recursive: true, force: true });
});

const send = (on: TestWorld, method: string, path: string, body?: object) =>
  fetch(`${on.url}${path}`, {
    method,
    headers: { authorization: 'Bearer any', ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
const ANA = { name: 'Ana', email: 'ana@mail.example', address: { city: 'Graz' } };

it('is created in, read, changed and deleted over its url, a fork each for itself', async () => {
  const [one, two] = [await world.fork(), await world.fork()];
  const made = await send(one, 'POST', '/customers', ANA);
  const row = (await made.json()) as { id: string };
  expect([made.status, row]).toMatchObject([201, ANA]);
  expect(await (await send(one, 'GET', `/v1/customers/${row.id}`)).json()).toMatchObject(ANA);
  expect((await send(one, 'PATCH', `/customers/${row.id}`, { name: 'Ana R.' })).status).toBe(200);
  expect(one).toHaveRow('desk.customer', { name: 'Ana R.', email: ANA.email });
  expect(two).not.toHaveRow('desk.customer', { email: ANA.email });
  expect(one).toHaveCalled('POST /customers', { body: { name: 'Ana' }, status: 201, times: 1 });
  expect(one.ledger().map(({ tool }) => tool)).toEqual(['createCustomer', 'getCustomer', 'updateCustomer']);
  expect((await send(one, 'DELETE', `/customers/${row.id}`)).status).toBe(204);
  expect((await send(one, 'GET', `/customers/${row.id}`)).status).toBe(404);
});

it('moves what the document moves, in its envelopes and errors', async () => {
  const test = await world.fork();
  const { data } = (await (await send(test, 'GET', '/customers?limit=2')).json()) as { data: { id: string }[] };
  expect(data).toHaveLength(2);
  const made = await send(test, 'POST', '/tickets', { customer_id: data[0]?.id, subject: 'It is broken' });
  const ticket = (await made.json()) as { id: string };
  expect(ticket).toMatchObject({ status: 'open', priority: 'normal' });
  expect(await (await send(test, 'POST', `/tickets/${ticket.id}/close`)).json()).toMatchObject({ status: 'closed' });
  const wrong = await send(test, 'POST', '/customers', { name: 7 });
  expect([wrong.status, await wrong.json()]).toMatchObject([422, { error: { code: expect.any(String) } }]);
});

it('answers what nothing stands behind by example, after the fault that strikes it once', async () => {
  expect((await send(world, 'POST', '/quotes/estimate', { hours: 1 })).status).toBe(503);
  const answer = await send(world, 'POST', '/quotes/estimate', { hours: 1 });
  expect([answer.status, answer.headers.get('x-treadle-tier')]).toEqual([200, 'synthetic']);
});

it('refuses what a built world cannot be given', async () => {
  const given = { corpus: corpus.dir, world: id };
  for (const options of [{ data: { customer: [] } }, { overrides: 'x.yaml' }])
    await expect(startWorld(given, options)).rejects.toMatchObject({ code: 'not_for_a_world' });
  await expect(startWorld(given, { faults: ['GET /nothing=503'] })).rejects.toMatchObject({
    code: 'unknown_operation',
  });
  const bare = await addWorld(corpus, [DESK_SOURCE], { seed: '2', isFaced: false });
  await expect(startWorld({ corpus: corpus.dir, world: bare.id }, { strict: true })).rejects.toMatchObject({
    code: 'not_for_a_world',
  });
  const plain = await startWorld({ corpus: corpus.dir, world: bare.id });
  expect(await (await send(plain, 'GET', '/customers')).json()).toMatchObject({ status: 404, code: 'no_face' });
  await plain.close();
});

it('tells webhooks of a document that declares them', async () => {
  const till = await addWorld(corpus, [TILL_SOURCE], { seed: '3' });
  const told: string[] = [];
  const served = await startWorld(
    { corpus: corpus.dir, world: till.id },
    { webhooks: ({ event }) => told.push(event) },
  );
  const made = await send(served, 'POST', '/customers', { name: 'Ana', email: 'ana@mail.example' });
  expect(made.status).toBe(201);
  await served.webhooks.settled();
  expect(told).toContain('customer.created');
  await served.close();
});

it('says which file is damaged or gone', async () => {
  const own = corpusFolder();
  const { id: only } = await addWorld(own, [DESK_SOURCE]);
  const [name = ''] = readdirSync(own.path('documents'));
  const file = own.path('documents', name);
  writeFileSync(file, '{"openapi": "3.0.3"}');
  await expect(startWorld(own.dir)).rejects.toMatchObject({
    code: 'changed_file',
    next: expect.stringMatching(/build/),
  });
  rmSync(file);
  await expect(startWorld({ corpus: own.dir, world: only })).rejects.toMatchObject({ code: 'missing_file' });
  writeFileSync(own.path('worlds', only, 'faces.json'), '{"treadle":"faces/1","services":{"desk":"../../x"}}');
  await expect(startWorld(own.dir)).rejects.toMatchObject({ code: 'unreadable_file' });
  writeFileSync(
    own.path('worlds', only, 'faces.json'),
    `{"treadle":"faces/1","services":{"desk":"${'0'.repeat(64)}"}}`,
  );
  await expect(startWorld(own.dir)).rejects.toMatchObject({ code: 'missing_file' });
  const [face = ''] = readdirSync(own.path('faces'));
  writeFileSync(
    own.path('worlds', only, 'faces.json'),
    `{"treadle":"faces/1","services":{"desk":"${face.slice(0, 64)}"}}`,
  );
  writeFileSync(join(own.dir, 'faces', face), '{}');
  await expect(startWorld(own.dir)).rejects.toMatchObject({ code: 'bad_artifact' });
  rmSync(own.dir, { recursive: true, force: true });
});
