import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schemaChecks } from './checks.js';
import type { Node } from './node.js';
import { refsOf } from './refs.js';
import { checkerOf } from './schema/checker.js';

const faults = (
  schema: Node,
  value: unknown,
  { root = {}, version = '3.0.3', use = 'request' as 'request' | 'response' } = {},
) =>
  schemaChecks(root, version)
    .check(schema, value, use)
    .map(({ at, keyword }) => `${at} ${keyword}`);

describe('the dialects', () => {
  it('3.0: nullable wherever it stands', () => {
    const root = { components: { schemas: { A: { type: 'object', required: ['x'] } } } };
    for (const schema of [
      { type: 'string', nullable: true },
      { type: 'string', nullable: true, enum: ['a'] },
      { nullable: true, allOf: [{ $ref: '#/components/schemas/A' }] },
      { nullable: true, anyOf: [{ type: 'string' }] },
      { nullable: true, $ref: '#/components/schemas/A' },
    ] as Node[]) {
      expect(faults(schema, null, { root })).toEqual([]);
      expect(faults(schema, 7, { root })).not.toEqual([]);
    }
    expect(faults({ type: 'string' }, null)).toEqual([' type']);
  });

  it('3.0 and 3.1: exclusive limits', () => {
    expect(faults({ type: 'number', minimum: 1, exclusiveMinimum: true }, 1)).toEqual([' exclusiveMinimum']);
    expect(faults({ type: 'number', maximum: 1, exclusiveMaximum: false }, 1)).toEqual([]);
    expect(faults({ type: 'number', exclusiveMaximum: 1 }, 1, { version: '3.1.0' })).toEqual([' exclusiveMaximum']);
  });

  it('3.1: lists of types, constants, what stands beside a reference', () => {
    const version = '3.1.0';
    const root = { components: { schemas: { S: { type: 'string' } } } };
    const schema = { $ref: '#/components/schemas/S', minLength: 2 };
    expect(faults({ type: ['string', 'null'] }, null, { version })).toEqual([]);
    expect(faults({ const: 'a' }, 'b', { version })).toEqual([' const']);
    expect(
      faults({ type: 'array', prefixItems: [{ type: 'string' }], items: false }, ['a', 1], { version }),
    ).not.toEqual([]);
    expect(faults(schema, 'a', { root, version })).toEqual([' minLength']);
    expect(faults(schema, 'a', { root })).toEqual([]);
  });

  it('readOnly is not asked of requests nor read in them, writeOnly not of answers', () => {
    const schema = {
      type: 'object',
      required: ['id', 'secret'],
      properties: { id: { type: 'integer', readOnly: true }, secret: { type: 'string', writeOnly: true } },
    };
    expect(faults(schema, { secret: 'a' })).toEqual([]);
    expect(faults(schema, { secret: 'a', id: 'sent back' })).toEqual([]);
    expect(faults(schema, { id: 1 })).toEqual(['/secret required']);
    expect(faults(schema, { id: 1 }, { use: 'response' })).toEqual([]);
    expect(faults(schema, { id: 'x' }, { use: 'response' })).toEqual(['/id type']);
  });

  it('a discriminator chooses, and only that form is held against the value', () => {
    const root = {
      components: {
        schemas: {
          Cat: { type: 'object', required: ['lives'], properties: { lives: { type: 'integer' } } },
          Dog: { type: 'object', required: ['bark'], properties: { bark: { type: 'string' } } },
        },
      },
    };
    const oneOf = [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }];
    const plain = { oneOf, discriminator: { propertyName: 'kind' } };
    const mapped = { oneOf, discriminator: { propertyName: 'kind', mapping: { woof: '#/components/schemas/Dog' } } };
    for (const use of ['request', 'response'] as const) {
      expect(faults(plain, { kind: 'Cat', bark: 'x' }, { root, use })).toEqual(['/lives required']);
      expect(faults(mapped, { kind: 'woof', lives: 1 }, { root, use })).toEqual(['/bark required']);
      expect(faults(plain, { kind: 'Bird', lives: 1 }, { root, use })).toEqual([]);
      expect(faults(plain, { kind: 'Bird' }, { root, use })).toEqual(['/lives required', '/bark required']);
      expect(faults(plain, 7, { root, use })).toEqual([' oneOf']);
    }
  });

  it('one of several: requests may fit more than one, answers may not', () => {
    const schema = { oneOf: [{ type: 'number' }, { type: 'integer' }] };
    expect(faults(schema, 1)).toEqual([]);
    expect(faults(schema, 1, { use: 'response' })).toEqual([' oneOf']);
    expect(faults(schema, 'a')).toEqual([' anyOf']);
  });

  it('closed schemas that are put together do not refuse one another', () => {
    const closed = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false };
    const root = { s: { Closed: closed } };
    const both = { allOf: [{ $ref: '#/s/Closed' }, { type: 'object', properties: { b: { type: 'integer' } } }] };
    expect(faults(both, { a: 'x', b: 1 }, { root })).toEqual([]);
    expect(faults(both, { a: 1, b: 'x' }, { root })).toEqual(['/a type', '/b type']);
    expect(faults({ ...both, additionalProperties: false }, { a: 'x' }, { root })).toEqual([]);
    expect(faults({ $ref: '#/s/Closed' }, { b: 1 }, { root })).toEqual(['/b additionalProperties']);
  });

  it('files, unknown formats and words of documents say nothing', () => {
    expect(faults({ type: 'file' }, { any: 'thing' })).toEqual([]);
    expect(faults({ type: 'string', format: 'unix-nano', example: 1, xml: {}, externalDocs: {} }, 'a')).toEqual([]);
    expect(faults({ type: 'object', properties: { example: { type: 'integer' } } }, { example: 'a' })).toEqual([
      '/example type',
    ]);
    expect(faults({ type: 'string', format: 'date-time' }, 'today')).toEqual([' format']);
  });

  it('names of Object.prototype are names like others', () => {
    const schema = {
      type: 'object',
      required: ['constructor', 'toString'],
      properties: { valueOf: { type: 'string' } },
    };
    expect(faults(schema, {})).toEqual(['/constructor required', '/toString required']);
  });
});

describe('documents that go round in circles, or make no sense', () => {
  const circles = {
    components: {
      schemas: {
        Node: { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' }, n: { type: 'integer' } } },
        Self: { allOf: [{ $ref: '#/components/schemas/Self' }, { type: 'object', required: ['a'] }] },
        Any: { anyOf: [{ $ref: '#/components/schemas/Any' }] },
        Ping: { $ref: '#/components/schemas/Pong' },
        Pong: { $ref: '#/components/schemas/Ping' },
      },
    },
  };
  const at = (name: string): Node => ({ $ref: `#/components/schemas/${name}` });

  it('circles end where the value ends', () => {
    const check = (name: string, value: unknown) => faults(at(name), value, { root: circles });
    expect(check('Node', { next: { next: { n: 'x' } } })).toEqual(['/next/next/n type']);
    expect(check('Self', {})).toEqual(['/a required']);
    expect(check('Any', 1)).toEqual([]);
    expect(check('Ping', 1)).toEqual([]);
    let deep: Node = {};
    for (let i = 0; i < 100; i++) deep = { next: deep };
    expect(check('Node', deep)).toEqual([]);
  });

  it('schemas upon schemas, doubled each time, come to an end', () => {
    const schemas: Record<string, Node> = { L0: { type: 'string' } };
    for (let i = 1; i <= 40; i++) schemas[`L${i}`] = { allOf: [at(`L${i - 1}`), { allOf: [at(`L${i - 1}`)] }] };
    const checks = schemaChecks({ components: { schemas } }, '3.0.0');
    expect(() => checks.check(at('L40'), 'a', 'request')).not.toThrow();
  });

  it.each<[string, Node]>([
    ['a broken pattern', { type: 'string', pattern: '([a-' }],
    ['a type of its own', { type: 'strng' }],
    ['required as a flag', { type: 'object', required: true }],
    ['properties that are texts', { type: 'object', properties: { a: 'string', b: null } }],
    ['limits that are texts', { minLength: '3', maximum: 'many', multipleOf: 0 }],
    ['an empty choice', { anyOf: [], oneOf: [], allOf: [], enum: [] }],
    ['a choice of nothing', { oneOf: [null, 'a'] }],
    ['items as texts', { type: 'array', items: 'string' }],
    ['a reference to nowhere', { $ref: '#/nowhere' }],
    ['a reference to another file', { $ref: 'other.yaml#/A' }],
    ['a broken pattern of names', { type: 'object', patternProperties: { '([': { type: 'string' } } }],
    ['branches without a question', JSON.parse('{"then": {"type": "integer"}, "else": false}')],
    ['a discriminator that is a text', { oneOf: [{ $ref: '#/a' }], discriminator: 'kind' }],
  ])('%s is left out', (_name, schema) => {
    const checks = schemaChecks({}, '3.0.0');
    for (const value of ['a', { a: 1 }, [], 3, null])
      expect(() => checks.check(schema, value, 'request')).not.toThrow();
    const good = schema.type === 'object' ? { a: 1 } : schema.type === 'array' ? [1] : 'abc';
    expect(checks.check(schema, good, 'request')).toEqual([]);
  });

  it('says what it leaves out', () => {
    const checks = schemaChecks({}, '3.0.0');
    checks.check({ type: 'string', pattern: '([a-', title: 'Code' }, 'a', 'request');
    checks.check({ type: 'strng' }, 'a', 'request');
    expect(checks.problems()).toEqual(['the pattern "([a-" cannot be read (Code)', 'the type "strng" is not known']);
  });

  it('never throws, whatever the schema is', () => {
    const keys = [
      'type',
      'properties',
      'items',
      'required',
      'enum',
      'allOf',
      'oneOf',
      'anyOf',
      'not',
      'if',
      'then',
      'else',
      'nullable',
      'format',
      'pattern',
      'minimum',
      'exclusiveMinimum',
      'maxLength',
      'additionalProperties',
      'patternProperties',
      'discriminator',
      '$ref',
      'const',
      'prefixItems',
      'dependentRequired',
      'dependentSchemas',
      'contains',
      'propertyNames',
      'uniqueItems',
      'multipleOf',
      'readOnly',
    ];
    const { schema } = fc.letrec((tie) => ({
      schema: fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 5 }),
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('string', 'object', '#', '#/a', 'date', '^a', '(', 'integer'),
        fc.constantFrom(true, false, null, 0, 1, -1, 1.5),
        fc.array(tie('value'), { maxLength: 3 }),
        tie('schema'),
      ),
    }));
    fc.assert(
      fc.property(schema, fc.jsonValue(), (made, value) => {
        const checks = schemaChecks({ a: made } as Node, '3.1.0');
        checks.check(made as Node, value, 'request');
        checks.check(made as Node, value, 'response');
      }),
      { numRuns: 150 },
    );
  });
});

describe('values that are too much', () => {
  it('at most 20 faults, and of a large value the first', () => {
    const schema = { type: 'array', items: { type: 'string' } };
    expect(faults(schema, Array(30).fill(1))).toHaveLength(20);
    expect(faults(schema, Array(200_000).fill(1))).toEqual(['/0 type']);
  });

  it('patterns that would take for ever', () => {
    const schema = { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' };
    expect(faults(schema, 'a'.repeat(5_000))).toEqual([]);
    expect(faults(schema, 'aaaa')).toEqual([' pattern']);
    expect(faults({ type: 'string', pattern: '^(\\s|b)*a+$' }, 'b'.repeat(15_000))).not.toEqual([]);
  });

  it('many items that have to differ', () => {
    const schema = { type: 'array', uniqueItems: true };
    const items = Array.from({ length: 50_000 }, (_, n) => ({ n }));
    expect(faults(schema, items)).toEqual([]);
    expect(faults(schema, [...items, { n: 7 }])).toEqual([' uniqueItems']);
    expect(faults(schema, [1, '1', { a: 1, b: 2 }, { b: 2, a: 1 }])).toEqual([' uniqueItems']);
  });

  it('more schemas than are kept, in one value too', () => {
    const leaf = (n: number): Node => ({ $ref: `#/s/L${n}` });
    const names = Array.from({ length: 40 }, (_, n) => n);
    const root = {
      s: Object.fromEntries(names.map((n) => [`L${n}`, { type: 'integer', maximum: n }])),
      all: { type: 'object', properties: Object.fromEntries(names.map((n) => [`p${n}`, leaf(n)])) },
    };
    const { run } = checkerOf({ refs: refsOf(root), use: 'request', bareRefs: true, note: () => {} }, true, 7);
    const value = Object.fromEntries(names.map((n) => [`p${n}`, n % 2 === 0 ? n : n + 1]));
    for (let again = 0; again < 2; again++) expect(run(root.all, value)).toHaveLength(20);
    for (const n of names) expect(run({ type: 'integer', maximum: n }, n + 1)).toHaveLength(1);
  });
});
