import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultIn, KEYWORDS, type Schema } from './fault.js';

const ajv = new Ajv({ strict: false, ownProperties: true, validateFormats: false, logger: false });

const NAMES = ['a', 'b', 'c.d', '__proto__', 'constructor'];
const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'];
const name = fc.constantFrom(...NAMES.slice(0, 3));

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('', 'a', 'ab', 'näher', '😀', '😀😀', 'x'.repeat(9)),
    fc.integer({ min: -3, max: 12 }),
    fc.constantFrom(0.5, -0, 1e300, null, true, false),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c.d', 'constructor'), tie('value'), { maxKeys: 4 }),
  ),
})).value;

const schema = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ type: fc.constantFrom(...TYPES) }),
    fc.record({ type: fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 3 }) }),
    fc.record({ enum: fc.uniqueArray(fc.constantFrom('a', 'ab', 1, null, true), { minLength: 1 }) }),
    fc.record({ minimum: fc.integer({ min: -2, max: 5 }), maximum: fc.integer({ min: 0, max: 9 }) }),
    fc.record({ minLength: fc.integer({ min: 0, max: 3 }), maxLength: fc.integer({ min: 0, max: 8 }) }),
    fc.record({ pattern: fc.constantFrom('^a', 'b$', '^.$', '^\\p{L}+$') }),
    fc.record({ items: tie('schema'), maxItems: fc.integer({ min: 0, max: 3 }), minItems: fc.constantFrom(0, 1) }),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
        required: fc.uniqueArray(name, { maxLength: 2 }),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
      },
      { requiredKeys: ['type'] },
    ),
  ) as fc.Arbitrary<Schema>,
})).schema;

describe('faults of a value against a schema', () => {
  it('are found where a compiled validator finds one', () => {
    fc.assert(
      fc.property(schema, value, (wanted, given) => {
        const isValid = ajv.compile(wanted)(given) as boolean;
        expect(faultIn(wanted, given) === undefined).toBe(isValid);
      }),
      { numRuns: 1_500 },
    );
  });

  const nested: Schema = {
    type: 'object',
    properties: {
      list: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer', maximum: 3 } } } },
    },
    required: ['list'],
    additionalProperties: false,
  };
  it.each([
    [{}, 'required', [], 'list'],
    [{ list: [], more: 1 }, 'additionalProperties', [], 'more'],
    [{ list: {} }, 'type', ['list'], 'array'],
    [{ list: [{ n: 1 }, { n: 7 }] }, 'maximum', ['list', '1', 'n'], 3],
    [{ list: [{ n: 1.5 }] }, 'type', ['list', '0', 'n'], 'integer'],
    [[], 'type', [], 'object'],
    [null, 'type', [], 'object'],
  ] as const)('name the place and what was wanted: %j', (given, keyword, path, wanted) => {
    expect(faultIn(nested, given)).toMatchObject({ keyword, path, wanted });
  });

  it('take own properties only', () => {
    const strict: Schema = { type: 'object', properties: {}, additionalProperties: false };
    expect(faultIn(strict, JSON.parse('{"__proto__": 1}'))).toMatchObject({ wanted: '__proto__' });
    expect(faultIn({ type: 'object', required: ['toString'] }, {})).toMatchObject({ keyword: 'required' });
    expect(faultIn({ ...strict, properties: { constructor: { type: 'string' } } } as never, {})).toBeUndefined();
  });

  it('refuse numbers that JSON has not', () => {
    for (const odd of [Number.NaN, Number.POSITIVE_INFINITY, 3n, () => 1, undefined])
      for (const type of TYPES) expect(faultIn({ type }, odd)).toMatchObject({ keyword: 'type' });
  });

  it('look at each keyword once', () => {
    expect(new Set(KEYWORDS).size).toBe(KEYWORDS.length);
  });
});
