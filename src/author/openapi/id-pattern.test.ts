import { describe, expect, it } from 'vitest';
import { patternStyle } from './id-pattern.js';

describe('ids that a pattern describes', () => {
  it.each([
    ['^AC[0-9a-fA-F]{32}$', { style: 'hex', prefix: 'AC', length: 32 }],
    ['^(SM|MM)[0-9a-fA-F]{32}$', { style: 'hex', prefix: 'SM', length: 32 }],
    ['^(?:i|v)-[0-9a-f]{17}$', undefined],
    ['^fs-[0-9a-f]{8,}$', { style: 'hex', prefix: 'fs-', length: 12 }],
    ['^\\d{6}$', { style: 'digits', length: 6 }],
    ['^[a-z0-9]{10}$', { style: 'base36', length: 10 }],
    ['^[A-Z0-9]{4,8}$', { style: 'upper', length: 8 }],
    ['[a-zA-Z0-9_-]+', { style: 'base62', length: 12 }],
    ['^\\w+$', { style: 'base62', length: 12 }],
    ['^[CGD][A-Z0-9]{8,}$', { style: 'upper', prefix: 'C', length: 12 }],
    ['^[U][A-Z0-9]{2,}$', { style: 'upper', prefix: 'U', length: 12 }],
    ['^\\d{10}\\.\\d{6}$', { style: 'digits', prefix: '1700000000.', length: 6 }],
    ['\\d{4}-[0-9a-f]{8}', { style: 'hex', prefix: '1700-', length: 8 }],
  ])('%s', (pattern, style) => {
    expect(patternStyle(pattern)).toEqual(style);
  });

  it.each([
    '^.*$',
    '^[CG][A-Z]{1,2}$',
    '^\\d{99}\\.\\d{6}$',
    '^[0-9]{1,2}$',
    '^[a-f0-9]{64}$',
    '^[a-z]{3}-[0-9]{4}$',
    '^([0-9]{3})?$',
    '^[^/]+$',
    '^(?!x)[a-z0-9]+$',
    '(',
    '',
  ])('leaves %s alone', (pattern) => {
    expect(patternStyle(pattern)).toBeUndefined();
  });
});
