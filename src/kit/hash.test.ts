import { describe, expect, it } from 'vitest';
import { addressOf, canonicalJson, sharedPart } from './hash.js';

describe('canonical JSON', () => {
  it('sorts keys and leaves out what is undefined', () => {
    expect(canonicalJson({ b: [1, undefined, -0], a: { z: null, y: undefined }, c: 'x"\u2028' })).toBe(
      '{"a":{"z":null},"b":[1,null,0],"c":"x\\"\u2028"}',
    );
    expect([canonicalJson({}), canonicalJson([]), canonicalJson({ a: undefined })]).toEqual(['{}', '[]', '{}']);
  });

  it.each([
    [{ rows: [1, { price: Number.NaN }] }, '.rows[1].price', 'NaN'],
    [{ b: 1, run: 7n }, '.run', '7'],
    [undefined, 'the root', 'undefined'],
  ])('says where something is no JSON: %#', (value, path, found) => {
    expect(() => canonicalJson(value)).toThrow(
      expect.objectContaining({ code: 'not_json', value: found, message: `The value at ${path} is not JSON` }),
    );
  });

  it('is the same of a shared part as of its copy', () => {
    const steps = sharedPart([{ let: { b: 1, a: 2 } }]);
    expect(canonicalJson({ steps })).toBe(canonicalJson({ steps: structuredClone(steps) }));
    expect(addressOf({ steps })).toBe(addressOf({ steps: structuredClone(steps) }));
    expect(Object.isFrozen(steps[0])).toBe(true);
  });
});
