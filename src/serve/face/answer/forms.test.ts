/** Statuses, conditions, errors in documents' own forms, and answers that nothing stands behind. */
import { describe, expect, it } from 'vitest';
import type { Node } from '../../../document/node.js';
import { answererFor, bodyOf, context, documentOf, request } from './answer.fixture.js';
import { etagOf, precondition } from './etag.js';

const PET = { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, name: { type: 'string' } } };
const ROW = { kind: 'row' as const, path: [], key: ['id'] };
const json = (schema: Node): Node => ({ description: '', content: { 'application/json': { schema } } });
const asked = context(request('GET', '/pets/7'));
const NOT_FOUND = { status: 404, code: 'not_found', message: 'There is no pet 7' };

describe('statuses', () => {
  const statusOf = (method: string, responses: Node, path = '/pets/{id}'): number =>
    answererFor(
      { openapi: '3.0.3', paths: { [path]: { [method]: { responses } } } },
      `${method.toUpperCase()} ${path}`,
      ROW,
    ).success({ id: 7 }, context(request(method.toUpperCase(), '/pets/7'))).status;

  it('are those that the document has for what the method means', () => {
    expect(statusOf('post', { 200: json(PET), 201: json(PET) }, '/pets')).toBe(201);
    expect(statusOf('delete', { 204: { description: '' }, 404: json(PET) })).toBe(204);
    expect(statusOf('delete', { 200: json(PET), 204: { description: '' } })).toBe(200);
    expect(statusOf('put', { 200: json(PET), 201: json(PET) })).toBe(200);
    expect(statusOf('post', { 202: { description: '' } }, '/pets')).toBe(202);
    expect(statusOf('get', { '2XX': json(PET) })).toBe(200);
    expect(statusOf('get', { default: json(PET) })).toBe(200);
  });

  it('come without a body where the document has none', () => {
    const root = { openapi: '3.0.3', paths: { '/pets/{id}': { delete: { responses: { 204: { description: '' } } } } } };
    const { body, headers } = answererFor(root, 'DELETE /pets/{id}', ROW).success(
      { id: 7 },
      context(request('DELETE', '/pets/7')),
    );
    expect(body).toBeUndefined();
    expect(headers).toEqual({});
  });
});

describe('headers', () => {
  it('are made where the document requires them, and known ones said', () => {
    const root = documentOf(PET) as { paths: { '/pets/{id}': { get: { responses: { 200: Node } } } } };
    root.paths['/pets/{id}'].get.responses[200].headers = {
      'X-RateLimit-Remaining': { schema: { type: 'integer' } },
      'X-Request-Id': { required: true, schema: { type: 'string', format: 'uuid' } },
      'X-Other': { schema: { type: 'string' } },
      ETag: { schema: { type: 'string' } },
    };
    const { headers, body } = answererFor(root as unknown as Node, 'GET /pets/{id}', ROW).success({ id: 7 }, asked);
    expect(headers['x-ratelimit-remaining']).toBe('4999');
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers['x-other']).toBeUndefined();
    expect(headers.etag).toBe(etagOf(String(body)));
  });
});

describe('conditions', () => {
  const tag = etagOf('a body');
  const of = (method: string, headers: Record<string, string>, etag: string | undefined = tag, modified?: number) =>
    precondition({ method, headers }, etag, modified);

  it('stop what was not changed, or was', () => {
    expect(of('GET', { 'if-none-match': tag })).toBe(304);
    expect(of('GET', { 'if-none-match': `"x", W/${tag}` })).toBe(304);
    expect(of('GET', { 'if-none-match': '"x"' })).toBeUndefined();
    expect(of('PUT', { 'if-none-match': '*' })).toBe(412);
    expect(of('PUT', { 'if-match': '"x"' })).toBe(412);
    expect(of('PUT', { 'if-match': `W/${tag}` })).toBe(412);
    expect(of('PUT', { 'if-match': `"x", ${tag}` })).toBeUndefined();
    expect(precondition({ method: 'PUT', headers: { 'if-match': '*' } }, undefined)).toBe(412);
  });

  it('know dates, and let through what is no date', () => {
    const day = 'Wed, 18 Jun 2025 00:00:00 GMT';
    const at = Date.parse(day) / 1000;
    expect(of('GET', { 'if-modified-since': day }, tag, at)).toBe(304);
    expect(of('GET', { 'if-modified-since': day }, tag, at + 1)).toBeUndefined();
    expect(of('PUT', { 'if-unmodified-since': day }, tag, at + 1)).toBe(412);
    expect(of('GET', { 'if-modified-since': 'yesterday' }, tag, at)).toBeUndefined();
  });
});

describe('errors', () => {
  const failed = (
    schema: Node,
    error: Parameters<ReturnType<typeof answererFor>['failure']>[0] = NOT_FOUND,
    status = '404',
  ) =>
    answererFor(documentOf(PET, { answers: { [status]: json(schema) } }), 'GET /pets/{id}', ROW).failure(error, asked);
  const text = { type: 'string' };
  const faults = [
    { in: 'body' as const, at: '/name', keyword: 'type', message: 'must be string' },
    { in: 'query' as const, at: 'limit', keyword: 'required', message: 'is required' },
  ];

  it('go where their names are', () => {
    expect(bodyOf(failed({ type: 'object', properties: { message: text, documentation_url: text } }))).toEqual({
      message: NOT_FOUND.message,
    });
    expect(
      bodyOf(
        failed({
          type: 'object',
          required: ['code', 'message'],
          properties: { code: { type: 'integer', format: 'int32' }, message: text },
        }),
      ),
    ).toEqual({ code: 404, message: NOT_FOUND.message });
    expect(bodyOf(failed({ type: 'array', items: { type: 'object', properties: { message: text } } }))).toEqual([
      { message: NOT_FOUND.message },
    ]);
    expect(bodyOf(failed({ type: 'string' }))).toBe(NOT_FOUND.message);
  });

  it('list the faults', () => {
    const schema = {
      type: 'object',
      properties: {
        errors: {
          type: 'array',
          items: { type: 'object', required: ['message', 'field'], properties: { message: text, field: text } },
        },
      },
    };
    const response = failed(
      schema,
      { status: 400, code: 'invalid_argument', message: 'Two things are wrong', faults },
      '422',
    );
    expect(response.status).toBe(422);
    expect(bodyOf(response)).toEqual({
      errors: [
        { message: 'must be string', field: '/name' },
        { message: 'is required', field: 'limit' },
      ],
    });
  });

  it('keep their status where the document has none, in the form of those it has', () => {
    const schema = { type: 'object', required: ['message'], properties: { message: text } };
    const response = failed(schema, { status: 409, code: 'conflict', message: 'There is one already' });
    expect(response.status).toBe(409);
    expect(bodyOf(response)).toEqual({ message: 'There is one already' });
  });

  it('take the form that the rest of the document has', () => {
    const shared = { components: { schemas: { Fault: { type: 'object', properties: { reason: text } } } } };
    const fault = json({ $ref: '#/components/schemas/Fault' });
    const root = {
      openapi: '3.0.3',
      ...shared,
      paths: {
        '/a': { get: { responses: { 400: fault, 404: fault } } },
        '/b': { get: { responses: { 200: json(PET) } } },
      },
    };
    expect(bodyOf(answererFor(root, 'GET /b', ROW).failure(NOT_FOUND, asked))).toEqual({ reason: NOT_FOUND.message });
  });

  it('are said in the body alone by an API that does so', () => {
    const flag = (value: boolean): Node => ({ type: 'boolean', enum: [value] });
    const schema = {
      type: 'object',
      required: ['ok', 'error'],
      properties: { ok: flag(false), error: { type: 'string', enum: ['not_authed', 'channel_not_found'] } },
    };
    const root = documentOf(
      { type: 'object', required: ['ok'], properties: { ok: flag(true) } },
      { answers: { default: json(schema) } },
    );
    const answerer = answererFor(root, 'GET /pets/{id}', ROW);
    const response = answerer.failure(NOT_FOUND, asked);
    expect([response.status, bodyOf(response)]).toEqual([200, { ok: false, error: 'channel_not_found' }]);
    expect(answerer.failure({ status: 429, code: 'rate_limited', message: 'slow down' }, asked).status).toBe(429);
  });

  it('are problem details where there is no form at all', () => {
    const response = answererFor(documentOf(PET), 'GET /pets/{id}', ROW).failure(
      { ...NOT_FOUND, faults, headers: { 'retry-after': '1' } },
      asked,
    );
    expect(response.headers).toEqual({ 'content-type': 'application/problem+json', 'retry-after': '1' });
    expect(bodyOf(response)).toMatchObject({
      title: 'Not Found',
      status: 404,
      errors: [{ at: '/name' }, { in: 'query', at: 'limit' }],
    });
  });
});

describe('what nothing stands behind', () => {
  const withExample = (example: unknown): Node => ({
    openapi: '3.0.3',
    paths: {
      '/pets/{id}': {
        put: { responses: { 200: { description: '', content: { 'application/json': { schema: PET, example } } } } },
      },
    },
  });
  const put = context(request('PUT', '/pets/7'), { decoded: { params: { 'path id': 7 }, body: { name: 'Rex' } } });

  it('is the example of the document with what the request says in it', () => {
    const root = withExample({ id: 1, name: 'Milo' });
    expect(bodyOf(answererFor(root, 'PUT /pets/{id}').example(put))).toEqual({ id: 7, name: 'Rex' });
    expect(bodyOf(answererFor(root, 'PUT /pets/{id}').example(context(put.request)))).toEqual({ id: 1, name: 'Milo' });
  });

  it('is brought to fit where the example does not', () => {
    expect(
      bodyOf(
        answererFor(withExample({ id: 'seven', name: 5, odd: true }), 'PUT /pets/{id}').example(context(put.request)),
      ),
    ).toEqual({ id: expect.any(Number), name: '5' });
  });
});
