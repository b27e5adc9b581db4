/** What one writes by a style, the face reads back as it was. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../kit/hash.js';
import { serviceOf } from './request.fixture.js';

type Place = 'path' | 'query' | 'header' | 'cookie';
type Fields = Record<string, Json>;

/** Percent-encoding of all that RFC 3986 does not leave alone, `!'()*` too. */
const enc = (value: Json): string =>
  encodeURIComponent(String(value)).replace(
    /[!'()*.]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );

const isList = (value: Json): value is Json[] => Array.isArray(value);
const isFields = (value: Json): value is Fields => typeof value === 'object' && value !== null && !isList(value);

/** `k,v,k,v` or `k=v,k=v`. */
const fields = (value: Fields, between: string, pair: string): string =>
  Object.entries(value)
    .map(([key, item]) => `${enc(key)}${pair}${enc(item)}`)
    .join(between);

type Write = (name: string, value: Json, explode: boolean) => string;

const simple: Write = (_name, value, explode) => {
  if (isList(value)) return value.map(enc).join(',');
  return isFields(value) ? fields(value, ',', explode ? '=' : ',') : enc(value);
};

const label: Write = (_name, value, explode) => {
  if (isList(value)) return `.${value.map(enc).join(explode ? '.' : ',')}`;
  return isFields(value) ? `.${fields(value, explode ? '.' : ',', explode ? '=' : ',')}` : `.${enc(value)}`;
};

const matrix: Write = (name, value, explode) => {
  if (isList(value))
    return explode ? value.map((item) => `;${name}=${enc(item)}`).join('') : `;${name}=${value.map(enc).join(',')}`;
  if (isFields(value)) return explode ? `;${fields(value, ';', '=')}` : `;${name}=${fields(value, ',', ',')}`;
  return `;${name}=${enc(value)}`;
};

const form =
  (mark: string): Write =>
  (name, value, explode) => {
    if (isList(value))
      return explode ? value.map((item) => `${name}=${enc(item)}`).join('&') : `${name}=${value.map(enc).join(mark)}`;
    if (isFields(value)) return explode ? fields(value, '&', '=') : `${name}=${fields(value, mark, mark)}`;
    return `${name}=${enc(value)}`;
  };

const deep: Write = (name, value) =>
  isFields(value)
    ? Object.entries(value)
        .map(([key, item]) => deep(`${name}[${enc(key)}]`, item, true))
        .join('&')
    : isList(value)
      ? value.map((item, i) => deep(`${name}[${isFields(item) || isList(item) ? i : ''}]`, item, true)).join('&')
      : `${name}=${enc(value)}`;

const WRITE: Record<string, Write> = {
  simple,
  label,
  matrix,
  form: form(','),
  spaceDelimited: form('%20'),
  pipeDelimited: form('|'),
  deepObject: deep,
};

const ways: [Place, string, boolean][] = [
  ...(['simple', 'label', 'matrix'] as const).flatMap((style): [Place, string, boolean][] => [
    ['path', style, true],
    ['path', style, false],
  ]),
  ['header', 'simple', true],
  ['header', 'simple', false],
  ['query', 'form', true],
  ['query', 'form', false],
  ['query', 'spaceDelimited', false],
  ['query', 'pipeDelimited', false],
  ['cookie', 'form', false],
];

/** Marks inside a value cannot be told from marks between values where a client encodes both; such texts are left to the other tests. */
const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .filter((made) => !/[,;.|=[\]{} &"\s%]/.test(made));
const plain = fc.oneof(text, fc.constantFrom('b-c', 'é', '0', 'true', 'null', '日本'));
const scalar: Record<string, fc.Arbitrary<Json>> = {
  string: plain,
  integer: fc.maxSafeInteger(),
  number: fc.double({ noNaN: true, noDefaultInfinity: true }).map((made) => (Object.is(made, -0) ? 0 : made)),
  boolean: fc.boolean(),
};

const typed = fc
  .constantFrom(...Object.keys(scalar))
  .chain((type) => fc.record({ type: fc.constant(type), value: scalar[type]! }));

const cases: fc.Arbitrary<{ schema: Fields; value: Json }> = fc.oneof(
  typed.map(({ type, value }) => ({ schema: { type }, value })),
  fc
    .constantFrom(...Object.keys(scalar))
    .chain((type) =>
      fc
        .array(scalar[type]!, { minLength: 1, maxLength: 4 })
        .map((value) => ({ schema: { type: 'array', items: { type } }, value: value as Json })),
    ),
  fc.dictionary(fc.constantFrom('a', 'bc', 'D_e', 'f-g'), typed, { minKeys: 1 }).map((made) => ({
    schema: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(made).map(([key, { type }]) => [key, { type }])),
    },
    value: Object.fromEntries(Object.entries(made).map(([key, { value }]) => [key, value])),
  })),
);

const service = (place: Place, style: string, explode: boolean, schema: Fields) =>
  serviceOf({
    paths: {
      [place === 'path' ? '/x/{p}' : '/x']: {
        get: { parameters: [{ name: 'p', in: place, required: true, style, explode, schema }], responses: {} },
      },
    },
  });

const read = (place: Place, style: string, explode: boolean, schema: Fields, written: string): unknown => {
  const { ask } = service(place, style, explode, schema);
  const answer =
    place === 'path'
      ? ask('GET', `/x/${written}`)
      : place === 'query'
        ? ask('GET', `/x?${written}`)
        : ask('GET', '/x', { headers: { [place === 'header' ? 'p' : 'cookie']: written } });
  return 'params' in answer ? answer.params[`${place} p`] : answer;
};

describe('what is written by a style is read back', () => {
  it.each(ways)('%s %s, explode %s', (place, style, explode) => {
    fc.assert(
      fc.property(cases, ({ schema, value }) => {
        // A header's text is not percent-encoded, and Latin.
        const written = (WRITE[style] as Write)('p', value, explode);
        const sent = place === 'header' ? decodeURIComponent(written) : written;
        expect(read(place, style, explode, schema, sent)).toEqual(value);
      }),
      { numRuns: 30 },
    );
  });

  it('deepObject, nested as far as one likes', () => {
    const leaf = { type: 'object', properties: { n: { type: 'integer' }, s: { type: 'string' } } };
    const schema = {
      type: 'object',
      properties: { a: leaf, list: { type: 'array', items: { type: 'string' } }, rows: { type: 'array', items: leaf } },
    };
    const leaves = fc.record({
      n: fc.maxSafeInteger(),
      s: fc.string({ minLength: 1 }).filter((made) => !made.includes('{') && !made.includes('[')),
    });
    const value = fc.record({
      a: leaves,
      list: fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 3 }),
      rows: fc.array(leaves, { minLength: 1, maxLength: 3 }),
    });
    fc.assert(
      fc.property(value, (made) => {
        expect(read('query', 'deepObject', true, schema, deep('p', made as Json, true))).toEqual(made);
      }),
    );
  });

  it('lists whose marks a client has encoded', () => {
    const schema = { type: 'array', items: { type: 'integer' } };
    expect(read('query', 'form', false, schema, 'p=1%2C2')).toEqual([1, 2]);
    expect(read('query', 'pipeDelimited', false, schema, 'p=1%7C2')).toEqual([1, 2]);
    expect(read('query', 'spaceDelimited', false, schema, 'p=1+2')).toEqual([1, 2]);
    expect(read('query', 'form', true, schema, 'p=1%2C2')).toEqual([1, 2]);
    expect(read('query', 'form', true, { type: 'array', items: { type: 'string' } }, 'p=a,b')).toEqual(['a,b']);
    expect(read('cookie', 'form', true, schema, 'p=1&p=2')).toEqual([1, 2]);
    expect(read('path', 'matrix', false, { type: 'string' }, 'bare')).toBe('bare');
  });
});
