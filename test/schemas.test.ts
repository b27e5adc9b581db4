/** The published JSON Schemas are those of the code. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { publishedSchemas } from '../src/artifacts/publish.js';
import { NOUNS, parseArtifact } from '../src/artifacts/registry.js';
import { TreadleError } from '../src/errors.js';
import { addressOf, canonicalJson, deepFreeze } from '../src/kit/hash.js';
import { serviceData } from './fixtures/services.js';

const folder = fileURLToPath(new URL('../schemas/', import.meta.url));

describe('published schemas', () => {
  const made = publishedSchemas();
  it('are one a noun', () =>
    expect(readdirSync(folder).sort()).toEqual(
      Object.keys(NOUNS)
        .map((kind) => `${kind}.schema.json`)
        .sort(),
    ));
  it.each(Object.keys(made))('%s is up to date (npm run schemas)', (name) =>
    expect(readFileSync(folder + name, 'utf8')).toBe(made[name]),
  );
  it('compile, and accept what zod accepts', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const validate = ajv.compile(JSON.parse(made['service.schema.json'] as string));
    expect(validate(serviceData('billing')), ajv.errorsText(validate.errors)).toBe(true);
    expect(validate({ ...serviceData('billing'), treadle: 'service/0' })).toBe(false);
  });
});

describe('artifacts', () => {
  it('are frozen all the way down', () => {
    const spec = parseArtifact('service', serviceData('billing'), 'billing');
    expect(Object.isFrozen(spec)).toBe(true);
    expect(Object.isFrozen(spec.tables.invoice?.cols.total)).toBe(true);
  });
  it('name the offending path, and tell another version from a broken file', () => {
    const broken = serviceData('billing') as { tables: { invoice: { noun: unknown } } };
    broken.tables.invoice.noun = 7;
    expect(() => parseArtifact('service', broken, 'x.json')).toThrow(/tables\.invoice\.noun/);
    try {
      parseArtifact('service', { treadle: 'service/0' }, 'x.json');
      expect.unreachable();
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(TreadleError);
      expect((thrown as TreadleError).code).toBe('other_version');
    }
  });
  it.each([[null], [42], ['text'], [[]], [{}]])('refuse %j', (value) =>
    expect(() => parseArtifact('task', value, 'x')).toThrow(TreadleError),
  );
});

describe('content addresses', () => {
  it('do not depend on the order of keys, nor on absent ones', () => {
    expect(addressOf({ a: 1, b: { c: [1, 2], d: undefined } })).toBe(addressOf({ b: { c: [1, 2] }, a: 1 }));
    expect(addressOf({ a: 1 })).not.toBe(addressOf({ a: 2 }));
    expect(addressOf([1, 2])).not.toBe(addressOf([2, 1]));
  });
  it('treat minus zero as zero and refuse what is no JSON', () => {
    expect(canonicalJson(-0)).toBe('0');
    for (const odd of [Number.NaN, Number.POSITIVE_INFINITY, 1n, () => 1, Symbol('x')])
      expect(() => canonicalJson({ at: [odd] })).toThrow(/\.at\[0\]/);
  });
  it('freeze what they are given', () => expect(Object.isFrozen(deepFreeze({ a: { b: [1] } }).a.b)).toBe(true));
});
