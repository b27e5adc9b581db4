/** Schemas that no document should have: an answer comes, soon, of bounded size, whatever they ask for. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Node } from '../../../document/node.js';
import { answererFor, bodyOf, context, documentOf, request } from './answer.fixture.js';

const bodies = (schema: unknown, more: Node = {}): string[] => {
  const root = { ...documentOf(schema), ...more };
  const answerer = answererFor(root, 'GET /pets/{id}', { kind: 'row', path: [], key: ['id'] });
  const ctx = context(request('GET', '/pets/7'));
  const error = { status: 404, code: 'not_found', message: 'no' };
  return [
    answerer.success({}, ctx),
    answerer.success({ id: 1, list: [1, 2], name: 'x', deep: { a: { b: null } } }, ctx),
    answerer.success([1, 'a', null] as never, ctx),
    answerer.example(ctx),
    answerer.failure(error, ctx),
  ].map(({ body }) => String(body));
};

const object = (properties: Node, more: Node = {}): Node => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
  ...more,
});

const chain = (depth: number): Node => (depth === 0 ? { type: 'string' } : object({ next: chain(depth - 1) }));

const HOSTILE: Record<string, [unknown, Node?]> = {
  'no types': [{ type: [] }],
  'an unknown type': [{ type: 'banana' }],
  'a type that is no text': [{ type: 7, properties: [], required: 'id', enum: {}, allOf: 3, oneOf: 'x' }],
  'types that exclude one another': [{ allOf: [{ type: 'string' }, { type: 'integer' }] }],
  'no values': [object({ a: { enum: [] }, b: { const: undefined }, c: false, d: true })],
  'bounds that cross': [
    object({
      a: { type: 'integer', minimum: 9, maximum: 1 },
      b: { type: 'string', minLength: 9, maxLength: 2 },
      c: { type: 'array', items: {}, minItems: 5, maxItems: 1 },
    }),
  ],
  'a billion items': [
    object({
      a: { type: 'array', items: { type: 'string' }, minItems: 1e9 },
      b: { type: 'string', minLength: 1e9 },
      c: { type: 'object', minProperties: 1e9 },
    }),
  ],
  'a billion distinct flags': [
    object({ a: { type: 'array', items: { type: 'boolean' }, minItems: 1e9, uniqueItems: true } }),
  ],
  'lists in lists': [
    object({
      a: {
        type: 'array',
        minItems: 100,
        items: {
          type: 'array',
          minItems: 100,
          items: { type: 'array', minItems: 100, items: { type: 'string', minLength: 900 } },
        },
      },
    }),
  ],
  'a hundred thousand values': [object({ a: { enum: Array.from({ length: 100_000 }, (_, at) => `value ${at}`) } })],
  'ten thousand names': [{ type: 'object', required: Array.from({ length: 10_000 }, (_, at) => `name_${at}`) }],
  'itself, required': [
    { $ref: '#/components/schemas/Loop' },
    { components: { schemas: { Loop: object({ next: { $ref: '#/components/schemas/Loop' } }) } } },
  ],
  'itself twice, required': [
    { $ref: '#/components/schemas/Tree' },
    {
      components: {
        schemas: {
          Tree: object({ left: { $ref: '#/components/schemas/Tree' }, right: { $ref: '#/components/schemas/Tree' } }),
        },
      },
    },
  ],
  'a choice of itself': [
    { $ref: '#/components/schemas/Or' },
    {
      components: {
        schemas: {
          Or: {
            oneOf: [
              { $ref: '#/components/schemas/Or' },
              { anyOf: [{ $ref: '#/components/schemas/Or' }, { type: 'object' }] },
            ],
          },
        },
      },
    },
  ],
  'itself and nothing else': [
    { $ref: '#/components/schemas/Same' },
    {
      components: {
        schemas: {
          Same: { allOf: [{ $ref: '#/components/schemas/Same' }] },
          Ring: { $ref: '#/components/schemas/Ring' },
        },
      },
    },
  ],
  'references to nowhere': [
    object({ a: { $ref: '#/components/schemas/Gone' }, b: { $ref: 'https://example.com/x.json' }, c: { $ref: 7 } }),
  ],
  'many choices at once': [
    {
      allOf: Array.from({ length: 20 }, (_, at) => ({
        oneOf: Array.from({ length: 10 }, (_, of) => object({ [`p${at}`]: { const: of } })),
      })),
    },
  ],
  'patterns that backtrack': [
    object({
      a: { type: 'string', pattern: '^(a+)+$', minLength: 40 },
      name: { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' },
    }),
  ],
  'patterns nobody can read': [
    object({
      a: { type: 'string', pattern: '(?<=x)y(?<!z)' },
      b: { type: 'string', pattern: '[' },
      c: { type: 'string', pattern: '(a){1000000000}' },
      d: { type: 'string', pattern: '((a{999}){999}){999}' },
    }),
  ],
  'names of the language': [
    object({ constructor: { type: 'string' }, toString: { type: 'integer' }, hasOwnProperty: { type: 'boolean' } }),
  ],
  'a very deep one': [chain(200)],
  'a discriminator without branches': [
    { discriminator: { propertyName: 'kind', mapping: { a: 7 } }, type: 'object', required: ['kind'] },
  ],
  'a step that nothing meets': [
    object({
      a: { type: 'number', multipleOf: 1e-300 },
      b: { type: 'integer', multipleOf: 0.3 },
      c: { type: 'number', minimum: 1e308, exclusiveMinimum: true },
    }),
  ],
};

it.each(Object.entries(HOSTILE))('answers for %s', (_name, [schema, more]) => {
  for (const body of bodies(schema, more)) {
    expect(body.length).toBeLessThan(1_500_000);
    if (body !== 'undefined') JSON.parse(body);
  }
});

it('keeps a prototype out of an answer', () => {
  const root = documentOf({ type: 'object', additionalProperties: true });
  const answerer = answererFor(root, 'GET /pets/{id}', { kind: 'row', path: [] });
  const response = answerer.success(
    JSON.parse('{"__proto__": {"admin": true}, "a": 1}'),
    context(request('GET', '/pets/7')),
  );
  expect(response.body).toBe('{"a":1}');
});

const scalar = fc.oneof(
  fc.record({
    type: fc.constant('string'),
    minLength: fc.integer({ min: 0, max: 5 }),
    maxLength: fc.integer({ min: 5, max: 30 }),
  }),
  fc.record({
    type: fc.constant('string'),
    format: fc.constantFrom('date', 'date-time', 'email', 'uuid', 'uri', 'ipv4', 'hostname', 'byte'),
  }),
  fc.record({
    type: fc.constant('string'),
    pattern: fc.constantFrom('^[A-Z]{3}-\\d{4}$', '^(a|b)+$', '^\\w{2,8}$', '^#[0-9a-f]{6}$'),
  }),
  fc.record({
    type: fc.constant('integer'),
    minimum: fc.integer({ min: -50, max: 0 }),
    maximum: fc.integer({ min: 8, max: 90 }),
    multipleOf: fc.constantFrom(1, 2, 4, 7),
  }),
  fc.record({
    type: fc.constant('number'),
    exclusiveMinimum: fc.integer({ min: -5, max: 5 }),
    maximum: fc.integer({ min: 6, max: 9 }),
  }),
  fc.record({
    enum: fc.uniqueArray(fc.oneof(fc.string(), fc.integer(), fc.boolean()), { minLength: 1, maxLength: 4 }),
  }),
  fc.constant({ type: 'boolean' }),
  fc.constant({ type: ['string', 'null'] }),
  fc.constant({}),
);

const { schema: anySchema } = fc.letrec<{ schema: Node }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar as fc.Arbitrary<Node>,
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(fc.constantFrom('id', 'name', 'created_at', 'url', 'count', 'x'), tie('schema'), {
        maxKeys: 4,
      }),
      required: fc.subarray(['id', 'name', 'url', 'x']),
      additionalProperties: fc.constant(true),
    }) as fc.Arbitrary<Node>,
    fc.record({
      type: fc.constant('array'),
      items: tie('schema'),
      minItems: fc.integer({ min: 0, max: 2 }),
      maxItems: fc.integer({ min: 2, max: 4 }),
    }) as fc.Arbitrary<Node>,
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }) as fc.Arbitrary<Node>,
  ),
}));

const ajv = formats.default(new Ajv2020({ strict: false, validateSchema: false, multipleOfPrecision: 7 }), {
  mode: 'fast',
});

it('makes what validates, of nothing and of anything', () => {
  fc.assert(
    fc.property(anySchema, fc.jsonValue({ maxDepth: 3 }), (schema, value) => {
      const root = documentOf(object({ held: schema }));
      const answerer = answererFor(root, 'GET /pets/{id}', { kind: 'row', path: [] });
      const ctx = context(request('GET', '/pets/7'));
      const check = ajv.compile(schema);
      for (const response of [
        answerer.success({}, ctx),
        answerer.success({ held: value } as never, ctx),
        answerer.example(ctx),
      ]) {
        const { held } = bodyOf(response) as { held: unknown };
        if (!check(held))
          throw new Error(`${JSON.stringify(held)} of ${JSON.stringify(value)}: ${ajv.errorsText(check.errors)}`);
      }
    }),
    { numRuns: 300, seed: 7 },
  );
});

it('says the same twice', () => {
  fc.assert(
    fc.property(anySchema, (schema) => {
      const bodyFor = (): unknown =>
        answererFor(documentOf(object({ held: schema })), 'GET /pets/{id}', { kind: 'row', path: [] }).success(
          {},
          context(request('GET', '/pets/7')),
        ).body;
      expect(bodyFor()).toBe(bodyFor());
    }),
    { numRuns: 100, seed: 11 },
  );
});
