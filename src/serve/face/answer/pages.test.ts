import { describe, expect, it } from 'vitest';
import type { Node } from '../../../document/node.js';
import { writeCursor } from '../../../world/surface/cursor.js';
import { answererFor, bodyOf, context, documentOf, request } from './answer.fixture.js';

const ITEM = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };
const ROWS = { kind: 'rows' as const, path: ['data'], key: ['id'] };
const URL = { type: 'string', nullable: true };
const ROW_A = { id: 'a' };
const ROW_B = { id: 'b' };

const param = (name: string, schema: Node = { type: 'integer' }): Node => ({ name, in: 'query', schema });

const listOf = (properties: Node, params: Node[], required: string[] = [], headers?: Node) => {
  const schema = {
    type: 'object',
    required: ['data', ...required],
    properties: { data: { type: 'array', items: ITEM }, ...properties },
  };
  const root = documentOf(schema, { path: '/things', extra: { parameters: params } });
  if (headers)
    (root as { paths: { '/things': { get: { responses: { 200: Node } } } } }).paths[
      '/things'
    ].get.responses[200].headers = headers;
  const answerer = answererFor(
    root,
    'GET /things',
    ROWS,
    params.map((one) => String(one.name)),
  );
  return (
    query: string,
    page: { offset: number; limit: number; more: boolean; total?: number },
    rows = [ROW_A, ROW_B],
  ) => answerer.success({ data: rows }, context(request('GET', '/things', { query }), { page }));
};

describe('where a list goes on', () => {
  it('moves the page number and keeps the rest of the query', () => {
    const ask = listOf({ next: URL, previous: URL, count: { type: 'integer' } }, [param('page'), param('per_page')]);
    expect(bodyOf(ask('color=red&page=2&per_page=2', { offset: 2, limit: 2, more: true, total: 7 }))).toEqual({
      data: [ROW_A, ROW_B],
      next: 'http://127.0.0.1:4010/things?color=red&per_page=2&page=3',
      previous: 'http://127.0.0.1:4010/things?color=red&per_page=2&page=1',
      count: 2,
    });
  });

  it('says at the end that it is the end', () => {
    const ask = listOf(
      {
        next: URL,
        next_url: { type: 'string' },
        links: { type: 'object', properties: { next: { type: 'string' } } },
        has_more: { type: 'boolean' },
        last: { type: 'boolean' },
      },
      [param('offset'), param('limit')],
      ['next', 'has_more', 'last'],
    );
    expect(bodyOf(ask('offset=4', { offset: 4, limit: 2, more: false, total: 6 }))).toEqual({
      data: [ROW_A, ROW_B],
      next: null,
      has_more: false,
      last: true,
    });
    expect(bodyOf(ask('', { offset: 0, limit: 2, more: true, total: 6 }))).toMatchObject({
      next: 'http://127.0.0.1:4010/things?offset=2',
      links: { next: 'http://127.0.0.1:4010/things?offset=2' },
      has_more: true,
      last: false,
    });
  });

  it('leaves a required text empty rather than go round', () => {
    const ask = listOf({ next: { type: 'string', format: 'uri' } }, [param('page')], ['next']);
    expect(bodyOf(ask('page=9', { offset: 16, limit: 2, more: false }))).toMatchObject({ next: '' });
  });

  it('hands out cursors and the last key', () => {
    const cursor = listOf({ meta: { type: 'object', properties: { next_cursor: URL } } }, [
      param('cursor', { type: 'string' }),
    ]);
    expect(bodyOf(cursor('', { offset: 0, limit: 2, more: true }))).toMatchObject({
      meta: { next_cursor: writeCursor(2) },
    });
    const after = listOf({ next: URL, last_id: URL }, [param('starting_after', { type: 'string' })]);
    expect(bodyOf(after('', { offset: 0, limit: 2, more: true }))).toMatchObject({ next: 'b', last_id: 'b' });
  });

  it('puts what Twilio calls a URI after the address of the server', () => {
    const ask = listOf(
      {
        next_page_uri: { type: 'string', format: 'uri', nullable: true },
        page: { type: 'integer' },
        start: { type: 'integer' },
        end: { type: 'integer' },
      },
      [param('Page')],
    );
    expect(bodyOf(ask('', { offset: 0, limit: 2, more: true }))).toMatchObject({
      next_page_uri: '/things?Page=2',
      page: 1,
      start: 0,
      end: 1,
    });
  });

  it('fills objects with links and counts', () => {
    const link = { type: 'object', nullable: true, properties: { href: { type: 'string' } } };
    const ask = listOf(
      {
        _links: { type: 'object', properties: { next: link, prev: link } },
        pagination: { type: 'object', properties: { total_pages: { type: 'integer' }, per_page: { type: 'integer' } } },
      },
      [param('page'), param('size')],
    );
    expect(bodyOf(ask('', { offset: 0, limit: 2, more: true, total: 5 }))).toMatchObject({
      _links: { next: { href: 'http://127.0.0.1:4010/things?page=2' } },
      pagination: { total_pages: 3, per_page: 2 },
    });
  });
});

describe('the Link header', () => {
  const root = documentOf(
    { type: 'array', items: ITEM },
    { path: '/things', extra: { parameters: [param('page'), param('per_page')] } },
  );
  const answerer = answererFor(root, 'GET /things', { ...ROWS, path: [] }, ['page', 'per_page']);
  const link = (query: string, page: { offset: number; limit: number; more: boolean; total?: number }) =>
    answerer.success([ROW_A, ROW_B], context(request('GET', '/things', { query }), { page })).headers.link;

  it('names the pages around this one', () => {
    expect(link('per_page=2&page=2', { offset: 2, limit: 2, more: true, total: 8 })).toBe(
      '<http://127.0.0.1:4010/things?per_page=2&page=1>; rel="first", <http://127.0.0.1:4010/things?per_page=2&page=1>; rel="prev", <http://127.0.0.1:4010/things?per_page=2&page=3>; rel="next", <http://127.0.0.1:4010/things?per_page=2&page=4>; rel="last"',
    );
  });

  it('has no next at the end and is absent where all is shown', () => {
    expect(link('page=4', { offset: 6, limit: 2, more: false })).not.toContain('rel="next"');
    expect(link('', { offset: 0, limit: 2, more: false })).toBeUndefined();
  });
});
