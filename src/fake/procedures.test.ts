/** An API of procedures: its clients post everything. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fake, openFake } from './fake.js';

const channel = { $ref: '#/components/schemas/Channel' };
const json = (schema: object) => ({ 200: { description: 'Done', content: { 'application/json': { schema } } } });
const text = { type: 'string' };
const form = (properties: object, required: string[]) => ({
  content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', required, properties } } },
});

const CHAT = {
  openapi: '3.0.3',
  info: { title: 'Chat', version: '1' },
  paths: {
    '/channels.create': {
      post: { operationId: 'channels_create', requestBody: form({ name: text }, ['name']), responses: json(channel) },
    },
    '/channels.list': {
      get: { operationId: 'channels_list', responses: json({ type: 'array', items: channel }) },
    },
    '/channels.info': {
      get: {
        operationId: 'channels_info',
        parameters: [{ name: 'id', in: 'query', required: true, schema: text }],
        responses: json(channel),
      },
    },
  },
  components: {
    schemas: {
      Channel: { type: 'object', required: ['id', 'name'], properties: { id: text, name: text, topic: text } },
    },
  },
};

let fake: Fake;
beforeAll(async () => {
  fake = await openFake({ documents: [{ name: 'chat', text: JSON.stringify(CHAT) }], seed: '1' });
});
afterAll(() => fake.close());

const post = async (path: string, fields: Record<string, string>, type = 'application/x-www-form-urlencoded') => {
  const body = type.endsWith('json') ? JSON.stringify(fields) : new URLSearchParams(fields).toString();
  const answer = await fake.fetch(
    new Request(`http://chat.test${path}`, { method: 'POST', headers: { 'content-type': type }, body }),
  );
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

it('answers a POST of a procedure that the document has as a GET', async () => {
  const made = await post('/channels.create', { name: 'general' });
  expect(made.status).toBe(200);
  const { id } = made.body as { id: string };
  expect(await post('/channels.info', { id })).toMatchObject({ status: 200, body: { id, name: 'general' } });
  expect((await post('/channels.list', {})).status).toBe(200);
});

it('does not guess at other bodies', async () => {
  expect((await post('/channels.info', { id: 'x' }, 'application/json')).status).toBe(405);
});
