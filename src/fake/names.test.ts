import { expect, it } from 'vitest';
import { openFake } from './fake.js';

const json = (schema: object) => ({ content: { 'application/json': { schema } } });

it('gives back what is sent under names that no tool could have, and what is called include inside an object', async () => {
  const author = { type: 'object', required: ['@odata.type'], properties: { '@odata.type': { type: 'string' } } };
  const thing = {
    type: 'object',
    required: ['@odata.type'],
    properties: {
      id: { type: 'string' },
      '@odata.type': { type: 'string' },
      'a.b': { type: 'string' },
      by: { anyOf: [author, { type: 'object', nullable: true }] },
      cover: { type: 'object', properties: { include: { type: 'boolean' }, fields: { type: 'integer' } } },
    },
  };
  const fake = await openFake({
    seed: '1',
    documents: [
      {
        name: 'names',
        text: JSON.stringify({
          openapi: '3.0.3',
          info: { title: 'Names', version: '1' },
          paths: {
            '/things': {
              post: {
                requestBody: { required: true, ...json(thing) },
                responses: { 201: { description: 'made', ...json(thing) } },
              },
            },
            '/things/{id}': {
              parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
              get: { responses: { 200: { description: 'ok', ...json(thing) } } },
            },
          },
        }),
      },
    ],
  });
  const sent = {
    '@odata.type': '#names.thing',
    'a.b': 'both',
    by: { '@odata.type': '#names.author' },
    cover: { include: true, fields: 7 },
  };
  const made = await fake.fetch(
    new Request('http://names.test/things', {
      method: 'POST',
      body: JSON.stringify(sent),
      headers: { 'content-type': 'application/json' },
    }),
  );
  expect(made.status).toBe(201);
  const { id } = (await made.json()) as { id: string };
  const got = await fake.fetch(new Request(`http://names.test/things/${id}`));
  expect(await got.json()).toMatchObject(sent);
  await fake.close();
});
