/** Whatever comes over the wire is a value or a fault, never an exception. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DecodedRequest, FaceError } from '../types.js';
import { isFaceError } from './decode.js';
import { serviceOf } from './request.fixture.js';

const anything = {
  type: 'object',
  properties: {
    n: { type: 'integer' },
    s: { type: 'string', pattern: '^a+$' },
    tree: { $ref: '#/components/schemas/Tree' },
    either: { oneOf: [{ type: 'array', items: { type: 'number' } }, { type: 'boolean' }, { type: 'object' }] },
  },
  additionalProperties: { anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/Tree' }] },
};

const service = serviceOf({
  components: {
    schemas: {
      Tree: { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } } },
    },
  },
  paths: {
    '/x/{id}': {
      post: {
        parameters: [
          ...['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'].map((style) => ({
            name: style,
            in: 'query',
            style,
            schema: anything,
          })),
          { name: 'list', in: 'query', schema: { type: 'array', items: anything } },
          { name: 'id', in: 'path', required: true, style: 'matrix', explode: true, schema: anything },
          { name: 'h', in: 'header', schema: anything },
          { name: 'c', in: 'cookie', explode: true, schema: anything },
        ],
        requestBody: {
          content: Object.fromEntries(
            ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain', '*/*'].map(
              (type) => [type, { schema: anything }],
            ),
          ),
        },
        responses: {},
      },
    },
  },
});

const sound = (answer: DecodedRequest | FaceError): void => {
  if (isFaceError(answer)) {
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.message.length).toBeGreaterThan(0);
    expect(answer.faults?.length ?? 0).toBeLessThanOrEqual(20);
  } else expect(() => JSON.stringify(answer)).not.toThrow();
};

const piece = fc.oneof(
  fc.constantFrom(
    'n',
    's',
    'tree',
    'either',
    'kids',
    'form',
    'deepObject',
    'list',
    '[',
    ']',
    '[]',
    '[0]',
    '[n]',
    '=',
    '&',
    ',',
    ';',
    '.',
    '%',
    '%2C',
    '%ff',
    '{',
    '}',
    '"',
    '1',
    'true',
    '',
    '__proto__',
    'constructor',
    '[__proto__]',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const wire = fc.array(piece, { maxLength: 24 }).map((parts) => parts.join(''));

it('queries, paths, headers and cookies', () => {
  fc.assert(
    fc.property(wire, wire, wire, (query, path, header) => {
      // Paths with broken percent signs have no operation (router.test.ts).
      const bare = path.replace(/[/?#%\ud800-\udfff]/g, '') || 'a';
      sound(service.ask('POST', `/x/${bare}?${query}`, { headers: { h: header, cookie: header } }) as DecodedRequest);
    }),
    { numRuns: 400 },
  );
});

it('bodies of every type', async () => {
  const types = [
    'application/json',
    'application/x-www-form-urlencoded',
    'text/plain',
    'multipart/form-data; boundary=b',
    'image/png',
    'application/json; charset=utf-16le',
  ];
  const parts = wire.map(
    (inside) =>
      `--b\r\ncontent-disposition: form-data; name="${inside.replace(/["\r\n]/g, '')}"\r\n\r\n${inside}\r\n--b--`,
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...types), fc.oneof(wire, parts, fc.json()), async (type, body) => {
      sound(await service.ask('POST', '/x/1', { type, body }));
    }),
    { numRuns: 300 },
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...types), fc.uint8Array({ maxLength: 64 }), async (type, body) => {
      sound(await service.ask('POST', '/x/1', { type, body }));
    }),
  );
  expect(({} as Record<string, unknown>).n).toBeUndefined();
});
