import { expect, it } from 'vitest';
import { answererFor, bodyOf, context, documentOf, request } from './answer.fixture.js';

const PET = {
  type: 'object',
  required: ['id', 'name', 'created_at', 'status', 'url'],
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    created_at: { type: 'string', format: 'date-time' },
    status: { type: 'string', enum: ['available', 'sold'] },
    url: { type: 'string', format: 'uri' },
    tag: { type: 'string', nullable: true },
    owner: { type: 'object', properties: { id: { type: 'string' } } },
    password: { type: 'string', writeOnly: true },
  },
};
const ROW = { kind: 'row' as const, path: [], key: ['id'] };

it('fits what is held and makes what is required', () => {
  const answerer = answererFor(documentOf(PET), 'GET /pets/{id}', ROW);
  const ctx = context(request('GET', '/pets/7'));
  const response = answerer.success(
    { id: '7', name: 12, created_at: 1_700_000_000, tag: null, password: 'x', odd: 1 },
    ctx,
  );
  expect(response.status).toBe(200);
  expect(response.headers['content-type']).toBe('application/json');
  const body = bodyOf(response) as Record<string, unknown>;
  expect(body).toMatchObject({
    id: 7,
    name: '12',
    created_at: '2023-11-14T22:13:20Z',
    tag: null,
    url: 'http://127.0.0.1:4010/pets/7',
  });
  expect(['available', 'sold']).toContain(body.status);
  expect(Object.keys(body).sort()).toEqual(['created_at', 'id', 'name', 'status', 'tag', 'url']);
});

it('makes the same for a row wherever it is shown', () => {
  const root = {
    openapi: '3.0.3',
    paths: {
      '/pets': {
        get: {
          responses: {
            200: {
              description: '',
              content: {
                'application/json': { schema: { type: 'object', properties: { data: { type: 'array', items: PET } } } },
              },
            },
          },
        },
        post: { responses: { 201: { description: '', content: { 'application/json': { schema: PET } } } } },
      },
      '/pets/{id}': {
        get: { responses: { 200: { description: '', content: { 'application/json': { schema: PET } } } } },
      },
    },
  };
  const list = answererFor(root, 'GET /pets', { kind: 'rows', path: ['data'], key: ['id'] });
  const create = answererFor(root, 'POST /pets', ROW);
  const get = answererFor(root, 'GET /pets/{id}', ROW);
  const one = bodyOf(get.success({ id: 7 }, context(request('GET', '/pets/7'))));
  expect(bodyOf(create.success({ id: 7 }, context(request('POST', '/pets'))))).toEqual(one);
  expect(bodyOf(list.success({ data: [{ id: 3 }, { id: 7 }] }, context(request('GET', '/pets'))))).toMatchObject({
    data: [{}, one],
  });
  const made = create.success({ id: 7 }, context(request('POST', '/pets')));
  expect(made.status).toBe(201);
  expect(made.headers.location).toBe('http://127.0.0.1:4010/pets/7');
});

it('says errors in the form of the document, else as problem details', () => {
  const schema = {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['message'],
        properties: {
          type: { type: 'string', enum: ['api_error', 'invalid_request_error'] },
          code: { type: 'string' },
          message: { type: 'string' },
          param: { type: 'string' },
        },
      },
    },
  };
  const error = { status: 400, code: 'invalid_argument', message: 'name must be a text', field: 'name' };
  const asked = context(request('GET', '/pets/7'));
  const own = answererFor(
    documentOf(PET, { answers: { default: { description: '', content: { 'application/json': { schema } } } } }),
    'GET /pets/{id}',
    ROW,
  ).failure(error, asked);
  expect(own.status).toBe(400);
  expect(bodyOf(own)).toEqual({
    error: { type: 'invalid_request_error', code: 'invalid_argument', message: 'name must be a text', param: 'name' },
  });
  const plain = answererFor(documentOf(PET), 'GET /pets/{id}', ROW).failure(error, asked);
  expect(plain.headers['content-type']).toBe('application/problem+json');
  expect(bodyOf(plain)).toMatchObject({ status: 400, detail: 'name must be a text', code: 'invalid_argument' });
});

it('answers from the schema where nothing stands behind', () => {
  const answerer = answererFor(documentOf(PET), 'GET /pets/{id}');
  const ctx = context(request('GET', '/pets/7'), { decoded: { params: { 'path id': 7 } } });
  const first = answerer.example(ctx);
  expect(bodyOf(first)).toMatchObject({ id: 7, owner: {} });
  expect(answerer.example(ctx)).toEqual(first);
});

it('takes any kind of JSON for JSON, and refuses what it has not', () => {
  const answerer = answererFor(documentOf(PET), 'GET /pets/{id}', ROW);
  const status = (accept: string): number =>
    answerer.success({ id: 7 }, context(request('GET', '/pets/7', { headers: { accept } }))).status;
  expect(
    ['*/*', 'application/json', 'application/vnd.github.v3+json', 'text/html, */*;q=0.1', 'application/*'].map(status),
  ).toEqual([200, 200, 200, 200, 200]);
  expect(status('text/csv')).toBe(406);
});
