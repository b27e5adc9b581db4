import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultRule, matches } from './rule.js';

describe('a rule', () => {
  it.each([
    ['get_*=P1@5%', { tool: 'get_*', profile: 'P1', rate: 0.05, times: 1 }],
    ['list_orders=P3x2@0.1', { tool: 'list_orders', profile: 'P3', rate: 0.1, times: 2 }],
    ['*=P2', { tool: '*', profile: 'P2', times: 1 }],
    [' a=P4@100% ', { text: 'a=P4@100%', tool: 'a', profile: 'P4', rate: 1 }],
  ])('%s is read', (text, rule) => expect(faultRule(text)).toMatchObject(rule));

  it.each([
    '',
    'P1',
    'get=P5',
    'get=P1@',
    'get=P1@0',
    'get=P1@101%',
    'get=P1@1.5',
    'get=P1@-5%',
    'get=P1@100%',
    'get=P3@1',
    'get=P2x3',
    'get=P1x0',
    'get=P1@5%%',
    'get it=P1',
    '=P1',
    `${'x'.repeat(500)}=P1`,
  ])('%j is refused', (text) =>
    expect(() => faultRule(text)).toThrow(expect.objectContaining({ code: 'bad_fault', value: text.slice(0, 120) })),
  );
});

describe('a pattern', () => {
  it.each<[string, string, boolean]>([
    ['get_*', 'get_order', true],
    ['get_*', 'forget_order', false],
    ['*_order', 'get_order', true],
    ['*order*', 'list_orders', true],
    ['a*b*c', 'a1b2c', true],
    ['a*b*c', 'acb', false],
    ['ab*ba', 'aba', false],
    ['*', '', true],
    ['**', 'x', true],
    ['get', 'get_order', false],
    ['constructor', 'constructor', true],
  ])('%s on %s: %s', (tool, name, is) => expect(matches({ tool }, name)).toBe(is));

  it('says what a regular expression says', () => {
    const piece = fc.stringMatching(/^[ab*]{0,12}$/);
    fc.assert(
      fc.property(piece, fc.stringMatching(/^[ab]{0,12}$/), (tool, name) => {
        const same = new RegExp(`^${tool.replaceAll('*', '.*')}$`).test(name);
        expect(matches({ tool }, name)).toBe(same);
      }),
    );
  });
});
