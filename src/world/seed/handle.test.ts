import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Column } from '../../artifacts/table.js';
import { rng } from '../../kit/rng.js';
import { handleOf } from './handle.js';
import type { Cell } from './types.js';

const cellOf = (name: string, column: Partial<Column>, draw = '1', noun = 'gadget'): Cell =>
  ({
    w: {},
    h: { plan: { noun, words: noun, kind: 'document' }, meta: { index: 3 } },
    col: { name, norm: name, column: { type: 'text', ...column } },
    r: rng('handles', draw),
  }) as unknown as Cell;

const made = (name: string, column: Partial<Column>, usual?: string, rule?: string, draw?: string): string =>
  String(handleOf(cellOf(name, column, draw), usual, rule));

describe('keys that callers write', () => {
  it.each<[string, RegExp]>([
    ['SKU-4821', /^SKU-[1-9]\d{3}$/],
    ['test-feature', /^[a-z]+-[a-z]+$/],
    ['acme_prod', /^[a-z]+_[a-z]+$/],
    ['BTC-USD', /^[A-Z]{2,3}-[A-Z]{2,3}$/],
    ['production', /^[a-z]+$/],
    ['Basic', /^[A-Z][a-z]+$/],
    ['read-nyc3-01', /^read-nyc\d-\d\d$/],
    ['s-1vcpu-1gb', /^s-\dvcpu-\dgb$/],
    ['example.com', /^[a-z]+-[a-z]+\.example$/],
    ['9f86d081884c7d65', /^[0-9a-f]{16}$/],
    ['1.16.13-do.0', /^\d\.\d\d\.\d\d-do\.\d$/],
    ['user@corp', /^[a-z]+@[a-z]+$/],
  ])('are written like %s', (example, form) => {
    for (let n = 0; n < 20; n++) expect(made('name', { example }, undefined, undefined, String(n))).toMatch(form);
  });

  it('go by the name where there is no example', () => {
    expect(made('ticker', {})).toMatch(/^[A-Z]{3,4}$/);
    expect(made('code', {})).toMatch(/^GDG-\d{4}$/);
    expect(made('member_id', {})).toMatch(/^[0-9a-z]{12}$/);
    expect(made('filepath', {})).toMatch(/^[a-z]+-[a-z]+\.txt$/);
    expect(made('sku', {}, 'CHR-OAK-M', 'sku')).toBe('CHR-OAK-M');
    expect(made('name', {})).toMatch(/^[a-z]+-[a-z]+$/);
    expect(String(handleOf(cellOf('name', {}, '1', 'customer'), 'Ana Torres Bäckerei', 'name'))).toMatch(
      /^[a-z]+-[a-z-]+$/,
    );
    expect(made('level', { enum: ['a', 'b'] })).toBe('a');
  });

  it('fit any pattern and lengths, without a space or what a URL would have to escape', () => {
    const pattern = fc.constantFrom(
      undefined,
      '^[a-z][a-z0-9-]*$',
      '^[A-Z_]+$',
      '^[a-z]+$',
      '^[A-Z][a-zA-Z0-9]+$',
      '^\\d+$',
      '^[\\w .]+$',
      '^(?!-)[a-z0-9-]+(?<!-)$',
      '^[^/]+$',
      '^[a-z]+\\.[a-z]+$',
    );
    const example = fc.option(fc.string({ maxLength: 20 }), { nil: undefined });
    fc.assert(
      fc.property(
        pattern,
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 40 }),
        example,
        fc.string(),
        (one, least, more, sample, draw) => {
          const column = {
            minLength: least,
            maxLength: least + more + 3,
            ...(one === undefined ? {} : { pattern: one }),
            ...(sample === undefined ? {} : { example: sample }),
          };
          const text = made('name', column, undefined, undefined, draw);
          expect(text).toMatch(/^[A-Za-z0-9._~:@+-]+$/);
          expect(text.length).toBeGreaterThanOrEqual(least);
          expect(text.length).toBeLessThanOrEqual(least + more + 3);
          if (one !== undefined) expect(text).toMatch(new RegExp(one));
        },
      ),
      { numRuns: 300, seed: 3 },
    );
  });
});
