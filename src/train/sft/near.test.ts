/** Near duplicates, text that is no Unicode, and tools that were called. */
import { describe, expect, it } from 'vitest';
import { nearIndex, sketchOf } from './near.js';
import { toolsCovering } from './offered.js';
import type { RowMessage, RowTool } from './row.js';
import { wellFormed } from './well-formed.js';

const words = (n: number, seed: number): string =>
  Array.from(
    { length: n },
    (_, i) =>
      `w${String.fromCharCode(97 + ((i * 7 + seed * 13) % 26))}${(i * 31 + seed) % 97 > 48 ? 'x' : 'y'}${String.fromCharCode(97 + (i % 26))}`,
  ).join(' ');
const row = (said: string, result = ''): { messages: RowMessage[] } => ({
  messages: [
    { role: 'system', content: 'The same in all of them.' },
    { role: 'user', content: said },
    { role: 'tool', content: result },
    { role: 'assistant', content: 'Done.' },
  ],
});

describe('near duplicates', () => {
  it('one word of three hundred, other digits, another result: nearly the same; other words: not', () => {
    const base = words(300, 1);
    const index = nearIndex();
    expect(index.isNear(row(base))).toBe(false);
    expect(index.isNear(row(base.replace('w', 'v')))).toBe(true);
    expect(index.isNear(row(base, 'a quite different result'))).toBe(true);
    expect(index.isNear(row(words(300, 2)))).toBe(false);
    expect(index.isNear(row(`${base} ${words(200, 3)}`))).toBe(false);
    const numbered = nearIndex();
    expect(numbered.isNear(row('Pay invoice 1234 of 5 May, please.'))).toBe(false);
    expect(numbered.isNear(row('Pay invoice 9876 of 7 May, please.'))).toBe(true);
    expect(numbered.isNear(row('Pay invoice 12345 of 5 May, please.'))).toBe(false);
  });

  it('empty texts, and a message of 10 MB', () => {
    const index = nearIndex();
    expect(index.isNear(row(''))).toBe(false);
    expect(index.isNear(row(''))).toBe(true);
    const long = 'lorem ipsum dolor '.repeat(600_000);
    expect(long.length).toBeGreaterThan(10_000_000);
    expect(index.isNear(row(long))).toBe(false);
    expect(index.isNear(row(`${long}!`))).toBe(true);
  });

  it('the sketch is the same for ever', () => {
    expect([...sketchOf(row('Void the invoice of Brandt.'))].slice(0, 3)).toEqual(
      [...sketchOf(row('void THE invoice of Brandt.'))].slice(0, 3),
    );
  });
});

describe('text that is no Unicode', () => {
  it('has its halves replaced, and nothing else', () => {
    expect(wellFormed({ a: ['\ud800x', 'x\udc00'], '\udfff': 1, b: null })).toEqual({
      a: ['\ufffdx', 'x\ufffd'],
      '\ufffd': 1,
      b: null,
    });
    const fine = { a: '😀 \\ud800 \u2028' };
    expect(wellFormed(fine)).toEqual(fine);
  });
});

describe('tools of a row', () => {
  const tool = (name: string): RowTool => ({
    type: 'function',
    function: { name, description: '', parameters: { type: 'object', properties: {} } },
  });
  const names = (tools: readonly RowTool[]): string[] => tools.map(({ function: { name } }) => name);

  it('are those offered, as a harness shows them, and what was called besides', () => {
    const offered = [tool('get_invoice'), tool('void_invoice')];
    expect(names(toolsCovering(offered, ['get_invoice']))).toEqual(['get_invoice', 'void_invoice']);
    expect(names(toolsCovering(offered, ['submit_answer', '']))).toEqual([
      'get_invoice',
      'void_invoice',
      'submit_answer',
    ]);
    const shown = toolsCovering(offered, ['treadle__get_invoice', 'read_file', 'read_file']);
    expect(names(shown)).toEqual(['treadle__get_invoice', 'treadle__void_invoice', 'read_file']);
    expect(shown[0]?.function.parameters).toEqual({ type: 'object', properties: {} });
    expect(names(toolsCovering(offered, ['mcp__treadle__void_invoice', 'get_invoice']))).toEqual([
      'mcp__treadle__get_invoice',
      'mcp__treadle__void_invoice',
      'get_invoice',
    ]);
  });
});
