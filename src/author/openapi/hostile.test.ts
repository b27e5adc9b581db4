import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceSpec } from '../../artifacts/service.js';
import { compileService } from '../../world/program/compile.js';
import { authorFromDocument } from './author.js';

const opts = { name: 'hostile', seed: 's' };

/** A document of about `size` characters with linked resources whose schemas point at each other. */
const large = (size: number): string => {
  const paths: Record<string, unknown> = {};
  const schemas: Record<string, unknown> = {};
  const filler = 'All that is known about this field, at length. '.repeat(40);
  const ref = (n: number): unknown => ({ $ref: `#/components/schemas/Thing${n}` });
  const body = (schema: unknown): unknown => ({ content: { 'application/json': { schema } } });
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const each = filler.length * 12;
  const count = Math.ceil(size / each);
  for (let n = 0; n < count; n++) {
    const answers = { 200: { description: 'ok', ...(body(ref(n)) as object) } };
    paths[`/things${n}`] = {
      get: { responses: { 200: { description: 'ok', ...(body({ type: 'array', items: ref(n) }) as object) } } },
      post: { requestBody: body(ref(n)), responses: answers },
    };
    paths[`/things${n}/{id}`] = {
      parameters: [id],
      get: { responses: answers },
      delete: { responses: { 204: { description: 'gone' } } },
    };
    const columns = Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [`field_${i}`, { type: 'string', description: filler }]),
    );
    schemas[`Thing${n}`] = {
      type: 'object',
      description: filler,
      properties: {
        id: { type: 'string' },
        ...columns,
        next: ref((n + 1) % count),
        all: { type: 'array', items: ref(0) },
      },
    };
  }
  return JSON.stringify({ openapi: '3.0.0', info: { title: 'Large', version: '1' }, paths, components: { schemas } });
};

describe('hostile documents', () => {
  it('reads twenty megabytes of schemas that all point at each other', () => {
    const text = large(21_000_000);
    expect(text.length).toBeGreaterThan(20_000_000);
    const before = process.memoryUsage().heapUsed;
    const { services, report } = authorFromDocument(text, opts);
    expect(services.length).toBe(6);
    expect(report.classified.unmapped).toBe(0);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(600_000_000);
  });

  it('survives schemas a thousand levels deep and branches that explode', () => {
    let deep: object = { type: 'string' };
    for (let i = 0; i < 1000; i++)
      deep = { type: 'object', properties: { a: deep }, allOf: [{ properties: { b: { type: 'string' } } }] };
    const wide: Record<string, object> = {};
    for (let i = 0; i < 30; i++)
      wide[`S${i}`] = {
        oneOf: Array.from({ length: 30 }, (_, j) => ({ $ref: `#/components/schemas/S${(i + j + 1) % 30}` })),
        properties: { [`p${i}`]: { type: 'string' } },
      };
    const answer = (schema: object): object => ({ 200: { content: { 'application/json': { schema } } } });
    const both = {
      type: 'object',
      properties: { id: { type: 'string' }, deep, wide: { $ref: '#/components/schemas/S0' } },
    };
    const doc = {
      openapi: '3.1.0',
      paths: {
        '/nodes': {
          get: { responses: answer({ type: 'array', items: both }) },
          post: { requestBody: { content: { 'application/json': { schema: both } } }, responses: answer(both) },
        },
        '/nodes/{id}': { get: { responses: answer(both) } },
      },
      components: { schemas: wide },
    };
    const { services } = authorFromDocument(JSON.stringify(doc), opts);
    expect(services.length).toBe(1);
    compileService(services[0] as ServiceSpec);
  });

  it('takes names that are reserved, foreign, empty or prototypes', () => {
    const names = [
      'constructor',
      '__proto__',
      'toString',
      'in',
      'null',
      '日付',
      '',
      '24h',
      '@type',
      '$id',
      'a.b',
      'A',
      'a',
      'args',
      'select',
      'é',
      'x'.repeat(200),
    ];
    const properties = `{"id": {"type": "string"}, ${names.map((name) => `${JSON.stringify(name)}: {"type": "string"}`).join(', ')}}`;
    const schema = `{"type": "object", "properties": ${properties}}`;
    const content = `{"200": {"content": {"application/json": {"schema": ${schema}}}}}`;
    const text = `{"openapi": "3.0.0", "paths": {"/constructor": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"type": "array", "items": ${schema}}}}}}}, "post": {"requestBody": {"content": {"application/json": {"schema": ${schema}}}}, "responses": ${content}}}, "/constructor/{id}": {"get": {"operationId": "reset", "responses": ${content}}}}}`;
    const { services } = authorFromDocument(text, opts);
    expect(services.length).toBe(1);
    const spec = services[0] as ServiceSpec;
    compileService(spec);
    for (const table of Object.keys(spec.tables)) expect(Object.hasOwn({}, table) || table in {}).toBe(false);
    expect(Object.keys(spec.tools)).not.toContain('reset');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('never throws, whatever JSON it is given', () => {
    const key = fc.constantFrom(
      'openapi',
      'paths',
      '/a',
      '/a/{id}',
      '/a/{id}/close',
      'get',
      'post',
      'responses',
      '200',
      'content',
      'application/json',
      'schema',
      '$ref',
      'type',
      'properties',
      'items',
      'allOf',
      'oneOf',
      'enum',
      'parameters',
      'requestBody',
      'id',
      'name',
      'in',
      'required',
    );
    const leaf = fc.oneof(
      fc.constantFrom(
        '3.0.0',
        'object',
        'array',
        'string',
        'path',
        'query',
        'id',
        '#/paths',
        '#',
        '#/x',
        'https://a.invalid/',
        'integer',
      ),
      fc.boolean(),
      fc.integer(),
      fc.constant(null),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'medium' },
        leaf,
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 6 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, tree, { maxKeys: 8 }), (root) => {
        const { services, report } = authorFromDocument(JSON.stringify({ ...root, openapi: '3.0.0' }), opts);
        expect(services.length > 0 || report.refused !== undefined).toBe(true);
      }),
      { numRuns: 500, seed: 7 },
    );
  });

  it('never throws, whatever text it is given', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        expect(authorFromDocument(text, opts).report.refused).toBeDefined();
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  it('always makes services that compile from damaged real shapes', () => {
    const type = fc.constantFrom(
      'string',
      'integer',
      'number',
      'boolean',
      'object',
      'array',
      ['string', 'null'],
      undefined,
      7,
    );
    const property = fc.record({
      type,
      format: fc.constantFrom('date', 'date-time', 'uuid', 'int64', undefined),
      enum: fc.constantFrom(undefined, ['a', 'b'], [1, 2], [null], ['']),
      readOnly: fc.boolean(),
      default: fc.constantFrom(undefined, 'a', 1, null, true),
      minimum: fc.constantFrom(undefined, -1, 5, 1e300),
      maxLength: fc.constantFrom(undefined, 0, 3, -2),
      pattern: fc.constantFrom(undefined, '^a+$', '(', '(?<=x)y'),
    });
    const name = fc.constantFrom(
      'id',
      'name',
      'status',
      'state',
      'owner_id',
      'thing_id',
      'created_at',
      'Name',
      'number',
      'amount',
      'is_archived',
      'closed_at',
    );
    const schema = fc.record({
      type: fc.constant('object'),
      required: fc.array(name, { maxLength: 5 }),
      properties: fc.dictionary(name, property, { maxKeys: 9 }),
    });
    fc.assert(
      fc.property(
        schema,
        schema,
        fc.constantFrom('close', 'archive', 'assign', 'refund', 'frobnicate'),
        (out, body, verb) => {
          const ok = (one: unknown): object => ({ 200: { content: { 'application/json': { schema: one } } } });
          const takes = { requestBody: { content: { 'application/json': { schema: body } } } };
          const doc = {
            openapi: '3.0.0',
            paths: {
              '/things': {
                get: { responses: ok({ type: 'array', items: out }) },
                post: { ...takes, responses: ok(out) },
              },
              '/things/{id}': { get: { responses: ok(out) }, patch: { ...takes, responses: ok(out) }, delete: {} },
              [`/things/{id}/${verb}`]: { post: { ...takes, responses: ok(out) } },
            },
          };
          for (const spec of authorFromDocument(JSON.stringify(doc), opts).services) {
            ServiceSpec.parse(spec);
            compileService(spec);
          }
        },
      ),
      { numRuns: 200, seed: 11 },
    );
  });
});
