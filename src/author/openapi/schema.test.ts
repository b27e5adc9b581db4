import { describe, expect, it } from 'vitest';
import type { Node } from '../../document/node.js';
import { refsOf } from '../../document/refs.js';
import { fieldsOf } from './fields.js';
import { type Schemas, schemaOfExample, schemasOf } from './schema.js';

import { unwrap } from './unwrap.js';

const schemasIn = (schemas: Node = {}): Schemas => schemasOf(refsOf({ components: { schemas } }));
const ref = (name: string): Node => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: Node, more: Node = {}): Node => ({ type: 'object', properties, ...more });
const text = { type: 'string' };

describe('views', () => {
  it('merges allOf: all properties, all requirements, and a property that two branches describe', () => {
    const view = schemasIn({
      Page: object({ data: { type: 'array', items: { type: 'object' } } }, { required: ['data'] }),
    }).view({ allOf: [ref('Page'), object({ data: { items: object({ id: text }) }, total: { type: 'integer' } })] });
    expect([...view.properties.keys()]).toEqual(['data', 'total']);
    expect([...view.required]).toEqual(['data']);
    const found = unwrap(
      { allOf: [ref('Page')] },
      'thing',
      true,
      schemasIn({ Page: object({ data: { type: 'array', items: object({ id: text }) } }) }),
    );
    expect(found).toMatchObject({ many: true, path: ['data'] });
  });

  it('requires of oneOf only what every branch requires; null makes it nullable', () => {
    const view = schemasIn().view({
      oneOf: [
        object({ a: text, b: text }, { required: ['a', 'b'] }),
        object({ a: text }, { required: ['a'] }),
        { type: 'null' },
      ],
    });
    expect([...view.required]).toEqual(['a']);
    expect(view.nullable).toBe(true);
  });

  it('ends where references go round', () => {
    const view = schemasIn({ A: { allOf: [ref('B')] }, B: { allOf: [ref('A')], properties: { x: text } } }).view(
      ref('A'),
    );
    expect([...view.properties.keys()]).toEqual(['x']);
    const refs = refsOf({ a: { $ref: '#/b' }, b: { $ref: '#/a' } });
    expect(refs.resolve({ $ref: '#/a' }).node).toEqual({});
    expect(refs.problems()[0]?.why).toMatch(/circle/);
  });

  it('decodes pointers', () => {
    const refs = refsOf({ 'a/b': { 'c~d': { 'é x': { type: 'string' } } } });
    expect(refs.resolve({ $ref: '#/a~1b/c~0d/%C3%A9%20x' })).toEqual({ node: { type: 'string' }, name: 'é x' });
    expect(refs.resolve({ $ref: '#/a~1b/toString' }).node).toEqual({});
  });

  it('reads examples where there is no schema', () => {
    expect(schemaOfExample([{ id: 1, at: '2024-05-01T10:00:00Z', price: 1.5, tags: [] }])).toMatchObject({
      type: 'array',
      items: {
        properties: {
          id: { type: 'integer' },
          at: { format: 'date-time' },
          price: { type: 'number' },
          tags: { type: 'array' },
        },
      },
    });
  });
});

describe('fields', () => {
  const flat = (schema: Node, schemas = schemasIn(), keys: Record<string, string> = {}): Record<string, string> =>
    Object.fromEntries(
      fieldsOf(schemas.view(schema), { schemas, entityKey: (name) => keys[name], leaveEntityLists: true }).map(
        (field) => [
          field.path.join('.'),
          field.type + (field.embeds ? `>${field.embeds}` : '') + (field.instant ? `@${field.instant}` : ''),
        ],
      ),
    );

  it('types scalars by type, format, name and example', () => {
    expect(
      flat(
        object({
          a: { type: 'string', format: 'date' },
          b: { type: 'string', format: 'date-time' },
          created_at: text,
          c: { type: ['integer', 'null'] },
          d: { type: 'number', format: 'int64' },
          e: { type: 'boolean' },
          f: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
          g: { enum: ['x', 'y'] },
          created: { type: 'integer', format: 'unix-time' },
          updated_at: { type: 'integer', example: 1700000000000 },
          h: { type: 'array', items: text },
          _links: object({ self: text }),
        }),
      ),
    ).toEqual({
      a: 'date',
      b: 'datetime',
      created_at: 'datetime',
      c: 'int',
      d: 'int',
      e: 'bool',
      f: 'text',
      g: 'text',
      created: 'datetime@unix',
      updated_at: 'datetime@unix_ms',
      h: 'json',
    });
  });

  it('stands the key in for another entity, and leaves lists of them out', () => {
    const schemas = schemasIn({ User: object({ id: text, name: text, boss: ref('User') }) });
    const schema = object({
      owner: ref('User'),
      payer: { anyOf: [text, ref('User')] },
      watchers: { type: 'array', items: ref('User') },
      id: text,
    });
    expect(flat(schema, schemas, { User: 'id' })).toEqual({ 'owner.id': 'text>User', payer: 'text>User', id: 'text' });
  });

  it('goes three levels down and no further', () => {
    const deep = object({ a: object({ b: object({ c: object({ d: text }) }) }) });
    expect(flat(deep)).toEqual({ 'a.b.c': 'json' });
  });
});

describe('unwrap', () => {
  const item = object({ id: text, name: text, price: { type: 'integer' } });
  const list = { type: 'array', items: item };
  it.each([
    ['a bare list', list, true, []],
    ['data', object({ data: list, total: { type: 'integer' } }), true, ['data']],
    ['its own plural', object({ widgets: list, next_page: text }), true, ['widgets']],
    [
      'two levels',
      object({ result: object({ items: list, page: { type: 'integer' } }), success: { type: 'boolean' } }),
      true,
      ['result', 'items'],
    ],
    ['one in its noun', object({ widget: item }), false, ['widget']],
    ['one in its noun beside a key', object({ widget: item, idempotency_key: text }), false, ['widget']],
    ['the thing itself', item, false, []],
    ['a thing with a list of its own', object({ id: text, name: text, code: text, lines: list }), false, []],
    ['wrapped rows', { type: 'array', items: object({ widget: item }) }, true, []],
  ])('%s', (_, schema, many, path) => {
    const found = unwrap(schema, 'widgets', many as boolean, schemasIn());
    expect(found).toMatchObject({ many, path });
    expect([...(found?.item.properties.keys() ?? [])].slice(0, 2)).toEqual(['id', 'name']);
  });
  it('finds nothing in a scalar', () => expect(unwrap(text, 'widgets', false, schemasIn())).toBeUndefined());
});
