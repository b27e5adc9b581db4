import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Node } from '../../../document/node.js';
import type { DecodedRequest } from '../types.js';
import { notAcceptable } from './accept.js';
import { argumentsOf } from './arguments.js';
import { requestOf, serviceOf } from './request.fixture.js';
import type { Found } from './router.js';

const FORM = 'application/x-www-form-urlencoded';

const post = (content: Node, more: Node = {}): Node => ({
  paths: { '/x': { post: { requestBody: { content, ...more }, responses: { 400: { description: 'bad' } } } } },
});

const query = (...parameters: Node[]): Node => ({ paths: { '/x': { get: { parameters, responses: {} } } } });

const faultsOf = (answer: unknown): string[] =>
  ((answer as { faults?: { in: string; at: string; keyword: string }[] }).faults ?? []).map(
    (fault) => `${fault.in} ${fault.at} ${fault.keyword}`,
  );

describe('parameters', () => {
  const service = serviceOf(
    query(
      { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } },
      { name: 'on', in: 'query', schema: { type: 'boolean' } },
      {
        name: 'expand',
        in: 'query',
        style: 'deepObject',
        explode: true,
        schema: { type: 'array', items: { type: 'string' } },
      },
      {
        name: 'created',
        in: 'query',
        style: 'deepObject',
        explode: true,
        schema: { anyOf: [{ type: 'object', properties: { gt: { type: 'integer' } } }, { type: 'integer' }] },
      },
      { name: 'ids', in: 'query', schema: { type: 'array', items: { type: 'integer' } } },
      { name: 'page[size]', in: 'query', schema: { type: 'integer' } },
      { name: 'tags[]', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
      { name: 'where', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
      { name: 'X-N', in: 'header', schema: { type: 'array', items: { type: 'number' } } },
      { name: 'sid', in: 'cookie', schema: { type: 'string' } },
    ),
  );
  const params = (text: string, headers: Record<string, string> = {}): unknown => {
    const answer = service.ask('GET', `/x?${text}`, { headers });
    return 'params' in answer ? answer.params : faultsOf(answer);
  };

  it('become what their schemas say', () => {
    expect(params('limit=7&on=true&nobody=knows')).toEqual({ 'query limit': 7, 'query on': true });
    expect(params('expand[]=a&expand[]=b.c')).toEqual({ 'query expand': ['a', 'b.c'] });
    expect(params('expand%5B1%5D=b&expand%5B0%5D=a')).toEqual({ 'query expand': ['a', 'b'] });
    expect(params('expand=a')).toEqual({ 'query expand': ['a'] });
    expect(params('created[gt]=5')).toEqual({ 'query created': { gt: 5 } });
    expect(params('created=5')).toEqual({ 'query created': 5 });
    expect(params('ids=1&ids=2')).toEqual({ 'query ids': [1, 2] });
    expect(params('ids=1,2')).toEqual({ 'query ids': [1, 2] });
    expect(params('ids[]=1&ids[]=2')).toEqual({ 'query ids': [1, 2] });
    expect(params('page[size]=5')).toEqual({ 'query page[size]': 5 });
    expect(params('tags[]=a&tags[]=b')).toEqual({ 'query tags[]': ['a', 'b'] });
    expect(params('tags[0]=a&tags[1]=b')).toEqual({ 'query tags[]': ['a', 'b'] });
    expect(params('where=%7B%22a%22%3A1%7D')).toEqual({ 'query where': { a: 1 } });
    expect(params('', { 'x-n': '1.5,2', cookie: 'a=b; sid=q%20r' })).toEqual({
      'header X-N': [1.5, 2],
      'cookie sid': 'q r',
    });
  });

  it('are all held against their schemas', () => {
    expect(params('limit=700&on=perhaps&ids=1&ids=b&where=%7B')).toEqual([
      'query where syntax',
      'query limit maximum',
      'query on type',
      'query ids type',
    ]);
    expect(params('limit=9007199254740993')).toEqual(['query limit type']);
  });
});

describe('bodies', () => {
  const schema = {
    type: 'object',
    required: ['name'],
    properties: {
      id: { type: 'integer', readOnly: true },
      name: { type: 'string', minLength: 1 },
      big: { type: 'string', format: 'int64' },
      note: { type: 'string', nullable: true },
      items: {
        type: 'array',
        items: { type: 'object', properties: { n: { type: 'integer' }, on: { type: 'boolean' } } },
      },
      meta: { type: 'object', additionalProperties: { type: 'string' } },
    },
  };
  const service = serviceOf(post({ 'application/json': { schema }, [FORM]: { schema } }, { required: true }));

  it('are read as JSON, and faults carry pointers', () => {
    const type = 'application/json; charset=utf-8';
    expect(service.ask('POST', '/x', { type, body: '{"name":"a","note":null}' })).toEqual({
      params: {},
      body: { name: 'a', note: null },
      media: 'application/json',
    });
    expect(service.ask('POST', '/x', { type: 'application/merge+json', body: '{"name":"a"}' })).toHaveProperty('body');
    expect(service.ask('POST', '/x', { body: '{"name":"a"}' })).toHaveProperty('body');
    const bad = service.ask('POST', '/x', { type, body: '{"name":"","items":[{"n":"x"}],"meta":{"a/b":1}}' });
    expect(bad).toMatchObject({ status: 400, code: 'invalid_argument', field: 'name' });
    expect(faultsOf(bad)).toEqual(['body /name minLength', 'body /items/0/n type', 'body /meta/a~1b type']);
    expect(service.ask('POST', '/x', { type, body: '{}' })).toMatchObject({ code: 'missing_argument', field: 'name' });
    expect(service.ask('POST', '/x', { type, body: '' })).toMatchObject({ status: 400, code: 'missing_argument' });
  });

  it('are read as forms with brackets', () => {
    const ask = (body: string) => service.ask('POST', '/x', { type: FORM, body });
    expect(
      ask('name=7&items[0][n]=1&items[0][on]=true&items[1][n]=2&meta[a]=1&big=9007199254740993&id=3'),
    ).toMatchObject({
      body: {
        name: '7',
        items: [{ n: 1, on: true }, { n: 2 }],
        meta: { a: '1' },
        big: '9007199254740993',
      },
    });
    expect(ask('name=a&items[][n]=1&items[][on]=true&items[][n]=2')).toMatchObject({
      body: { items: [{ n: 1, on: true }, { n: 2 }] },
    });
  });

  it('of other types are refused with what is taken', () => {
    expect(service.ask('POST', '/x', { type: 'text/csv', body: 'a' })).toMatchObject({
      status: 415,
      headers: { accept: `application/json, ${FORM}` },
    });
    expect(service.ask('POST', '/x', { type: 'application/xml', body: '<a/>' })).toMatchObject({ status: 415 });
    const json = serviceOf(post({ 'application/json': { schema } }));
    expect(json.ask('POST', '/x', { type: FORM, body: '{"name":"a"}' })).toMatchObject({ body: { name: 'a' } });
    expect(json.ask('POST', '/x', { type: FORM, body: 'name=a' })).toMatchObject({ status: 415 });
    const bytes = serviceOf(post({ 'application/octet-stream': { schema: { type: 'string', format: 'byte' } } }));
    const put = bytes.ask('POST', '/x', { type: 'application/octet-stream', body: new Uint8Array([0, 255]) });
    expect(put).toMatchObject({
      body: { size: 2, encoding: 'base64', data: 'AP8=' },
      media: 'application/octet-stream',
    });
    const wrong = serviceOf(post({ 'application/octet-stream': { schema } }));
    expect(wrong.ask('POST', '/x', { type: 'application/json', body: '{"name":"a"}' })).toMatchObject({
      body: { name: 'a' },
    });
    const xml = serviceOf(post({ 'application/xml': { schema } }));
    expect(xml.ask('POST', '/x', { type: 'application/xml', body: '<a/>' })).toMatchObject({ status: 415 });
  });

  it('come in parts, files among them', async () => {
    const files = serviceOf(
      post({
        'multipart/form-data': {
          schema: {
            type: 'object',
            required: ['file'],
            properties: {
              file: { type: 'string', format: 'binary' },
              n: { type: 'integer' },
              tags: { type: 'array', items: { type: 'string' } },
            },
          },
        },
      }),
    );
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array([0, 255])], { type: 'image/png' }), 'a.png');
    form.set('n', '3');
    form.append('tags[]', 'x');
    const sent = new Response(form);
    const type = sent.headers.get('content-type') as string;
    const body = new Uint8Array(await sent.arrayBuffer());
    expect(await files.ask('POST', '/x', { type, body })).toEqual({
      params: {},
      media: 'multipart/form-data',
      body: {
        file: { filename: 'a.png', contentType: 'image/png', size: 2, encoding: 'base64', data: 'AP8=' },
        n: 3,
        tags: ['x'],
      },
    });
    expect(await files.ask('POST', '/x', { type: 'multipart/form-data', body: 'a' })).toMatchObject({ status: 400 });
    expect(await files.ask('POST', '/x', { type: 'multipart/form-data; boundary=q', body: 'a' })).toMatchObject({
      status: 400,
    });
  });

  it('parts are read as their schemas say: bytes, base64, text or JSON', async () => {
    const properties = {
      doc: { type: 'string', format: 'binary' },
      b64: { type: 'string', format: 'byte' },
      text: { type: 'string' },
      meta: { type: 'object', properties: { n: { type: 'integer' } } },
      many: { type: 'array', items: { type: 'string', format: 'binary' } },
      data: { type: 'object', properties: { n: { type: 'integer' } } },
    };
    const parts = serviceOf(post({ 'multipart/form-data': { schema: { type: 'object', properties } } }));
    const form = new FormData();
    for (const [name, type] of [
      ['doc', 'text/plain'],
      ['b64', 'image/png'],
      ['text', 'text/plain'],
      ['meta', 'application/json'],
    ] as const)
      form.set(name, new Blob([name === 'meta' ? '{"n":1}' : 'abc'], { type }), 'f');
    for (const name of ['1', '2']) form.append('many', new Blob([name], { type: 'text/plain' }), `${name}.txt`);
    form.set('data', '{"n":2}');
    const sent = new Response(form);
    const answer = (await parts.ask('POST', '/x', {
      type: sent.headers.get('content-type') as string,
      body: new Uint8Array(await sent.arrayBuffer()),
    })) as DecodedRequest;
    const file = (filename: string, data: string): Node => ({
      filename,
      contentType: 'text/plain',
      size: data.length,
      encoding: 'utf-8',
      data,
    });
    expect(answer.body).toEqual({
      doc: file('f', 'abc'),
      b64: 'YWJj',
      text: 'abc',
      meta: { n: 1 },
      many: [file('1.txt', '1'), file('2.txt', '2')],
      data: { n: 2 },
    });
    const binding = {
      operation: '',
      tool: '',
      args: [{ to: ['doc'], in: 'body' as const, at: ['doc'] }],
      answer: { kind: 'row' as const, path: [] },
      tier: 'spec' as const,
    };
    expect(argumentsOf(binding, answer)).toEqual({ doc: 'abc' });
    const copy = structuredClone(answer);
    expect(argumentsOf(binding, copy)).toEqual({ doc: (copy.body as Node).doc });
  });

  it('may come compressed, and do not grow beyond the limit', () => {
    const ask = (encoding: string, body: Uint8Array) =>
      service.ask('POST', '/x', { type: 'application/json', headers: { 'content-encoding': encoding }, body });
    expect(ask('gzip', gzipSync('{"name":"a"}'))).toMatchObject({ body: { name: 'a' } });
    expect(ask('br', brotliCompressSync('{"name":"a"}'))).toMatchObject({ body: { name: 'a' } });
    expect(ask('gzip', gzipSync(new Uint8Array(20 * 1024 * 1024)))).toMatchObject({ status: 413 });
    expect(ask('gzip', new Uint8Array([1, 2, 3]))).toMatchObject({ status: 400 });
    expect(ask('constructor', new Uint8Array([1, 2, 3]))).toMatchObject({ status: 415 });
  });

  it('that are hostile are refused, not suffered', () => {
    const type = 'application/json';
    const ask = (body: string | Uint8Array) => service.ask('POST', '/x', { type, body });
    expect(ask(`${'['.repeat(1_000_000)}`)).toMatchObject({ status: 400, code: 'invalid_body' });
    expect(ask(new Uint8Array([0x22, 0xff, 0x22]))).toMatchObject({ status: 400, code: 'invalid_body' });
    expect(ask(new Uint8Array(10 * 1024 * 1024 + 1))).toMatchObject({ status: 413 });
    expect(ask('{"name":"a","name":"b"}')).toMatchObject({ body: { name: 'b' } });
    const proto = ask('{"name":"a","__proto__":{"x":1},"meta":{"\\u005f_proto__":"b"}}') as { body: Node };
    expect(Object.keys(proto.body)).toEqual(['name', 'meta']);
    expect(service.ask('POST', '/x', { type: `${type}; charset=klingon`, body: '{}' })).toMatchObject({ status: 415 });
    const form = service.ask('POST', '/x', { type: FORM, body: 'name=a&__proto__[x]=1&meta[__proto__]=1' });
    expect(({} as Node).x).toBeUndefined();
    expect(form).toEqual({ params: {}, body: { name: 'a' }, media: FORM });
  });
});

describe('answers to what does not fit', () => {
  const answers = (statuses: string[], more: Node = {}): Node => ({
    paths: {
      '/x/{id}/{other}': {
        post: {
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
          responses: Object.fromEntries(statuses.map((status) => [status, { description: '' }])),
          ...more,
        },
      },
    },
  });
  const body = {
    requestBody: { required: true, content: { [FORM]: { schema: { required: ['a'], properties: {} } } } },
  };

  it('have the status that the document has', () => {
    const status = (statuses: string[], more?: Node): unknown =>
      (serviceOf(answers(statuses, more)).ask('POST', '/x/a/b', { type: FORM, body: '' }) as { status: unknown })
        .status;
    expect(status(['200'])).toBe(400);
    expect(status(['422', '404'])).toBe(422);
    expect(status(['400', '422'])).toBe(400);
    expect(status(['404'])).toBe(404);
    expect(status(['404'], body)).toBe(400);
  });

  it('name what an empty form lacks, and holes that the document forgot are texts', () => {
    expect(serviceOf(answers(['400'], body)).ask('POST', '/x/1/b', {})).toMatchObject({
      code: 'missing_argument',
      field: 'a',
    });
    expect(serviceOf(answers(['400'])).ask('POST', '/x/1/b%20c')).toEqual({
      params: { 'path id': 1, 'path other': 'b c' },
    });
  });

  it('406 only where no type is common', () => {
    const json = { responses: { 200: { description: '', content: { 'application/json': {} } } } };
    const { find } = serviceOf(answers([], json));
    const { operation } = find(requestOf('POST', '/x/1/2')) as Found;
    const accept = (text: string | undefined): number | undefined => notAcceptable(operation, text)?.status;
    expect(
      [undefined, '', '*/*', 'application/*;q=0.5', 'application/vnd.github+json', 'text/html, */*;q=0.1'].map(accept),
    ).toEqual(Array(6).fill(undefined));
    expect(['text/html', 'application/json;q=0', 'application/xml'].map(accept)).toEqual([406, undefined, 406]);
  });
});

describe('argumentsOf', () => {
  it('nests, leaves out what was not sent, keeps null', () => {
    const binding = {
      operation: 'GET /x',
      tool: 't',
      args: [
        { to: ['id'], in: 'path' as const, name: 'id' },
        { to: ['page', 'size'], in: 'query' as const, name: 'page[size]' },
        { to: ['a', 'b'], in: 'body' as const, at: ['x', 'y'] },
        { to: ['note'], in: 'body' as const, at: ['note'] },
        { to: ['none'], in: 'body' as const, at: ['none'] },
      ],
      answer: { kind: 'row' as const, path: [] },
      tier: 'inferred' as never,
    };
    expect(
      argumentsOf(binding, { params: { 'path id': 7, 'query page[size]': 2 }, body: { x: { y: [1] }, note: null } }),
    ).toEqual({ id: 7, page: { size: 2 }, a: { b: [1] }, note: null });
  });
});
