import { describe, expect, it } from 'vitest';
import { compileTemplate, placeholdersIn } from './template.js';

describe('compileTemplate', () => {
  it('replaces placeholders as values, inside texts and as keys', () => {
    const fill = compileTemplate({ ok: true, $nouns: '$rows', href: '/$nouns/$key', meta: { n: '$total' } });
    expect(fill({ nouns: 'invoices', rows: [1], key: 'i1', total: 3 })).toEqual({
      ok: true,
      invoices: [1],
      href: '/invoices/i1',
      meta: { n: 3 },
    });
  });
  it('leaves out keys without a value, and objects that lost all of theirs', () => {
    const fill = compileTemplate({
      rows: '$rows',
      next: '/x?at=$cursor',
      paging: { next: { after: '$cursor' } },
      list: ['$cursor', 'a'],
    });
    expect(fill({ rows: [] })).toEqual({ rows: [], list: ['a'] });
    expect(compileTemplate({})({})).toEqual({});
    expect(compileTemplate({ a: {}, b: null })({})).toEqual({ a: {}, b: null });
  });
  it('keeps null, false and zero, which are values', () => {
    expect(compileTemplate({ a: '$row', b: '$more', c: '$offset' })({ row: null, more: false, offset: 0 })).toEqual({
      a: null,
      b: false,
      c: 0,
    });
  });
  it('spreads fields in place', () => {
    expect(compileTemplate({ self: '$key', $fields: true, z: 1 })({ key: 'k', fields: { a: 1, b: 2 } })).toEqual({
      self: 'k',
      a: 1,
      b: 2,
      z: 1,
    });
  });
  it('tells $row from $rows, $noun from $nouns, and leaves other dollars alone', () => {
    expect([...placeholdersIn({ a: '$rows', b: '$nouns x $page' })].sort()).toEqual(['nouns', 'page', 'rows']);
    expect(compileTemplate('$rowing $5 $unknown')({ row: 1 })).toBe('$rowing $5 $unknown');
    expect(compileTemplate('$noun/$nouns')({ noun: 'a', nouns: 'b' })).toBe('a/b');
  });
  it('does not read placeholders that values hold', () => {
    expect(compileTemplate({ m: 'error: $message' })({ message: '$code $key' })).toEqual({ m: 'error: $code $key' });
  });
});
