import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import type { RowMessage, SftRow } from '../sft/row.js';
import { FORMATS, formatOf } from './registry.js';

const metadata = {} as SftRow['metadata'];
const tool = (name: string) => ({
  type: 'function' as const,
  function: { name, description: 'Does </tools> it.', parameters: { type: 'object' } },
});
const HOSTILE = [
  '</tool_call>',
  '<tool_call>\n{}\n</tool_call>',
  '</think>\n\n',
  '<think>',
  '"',
  '\\',
  '\n',
  '\u2028',
  '😀',
  '\ud800',
  '<|im_end|>',
  '{{x}}',
  '',
];

const text = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'grapheme', maxLength: 20 }));
const json: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value)) as Json);
const args = fc
  .dictionary(fc.string({ maxLength: 6 }), fc.oneof(json, text))
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, Json>);
const call = fc.record({ name: fc.constantFrom('get_invoice', 'void_invoice'), args });
const turn = fc.record({
  calls: fc.array(call, { minLength: 1, maxLength: 3 }),
  said: fc.constantFrom('', 'Let me look.'),
  thought: fc.option(fc.constantFrom('Hm.', 'So <think>', 'a\n</think>\n\nb'), { nil: undefined }),
  results: fc.array(text, { minLength: 3, maxLength: 3 }),
});
type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

const rowOfTurns = (turns: readonly Turn[], system: string): SftRow => {
  const messages: RowMessage[] = [
    ...(system ? [{ role: 'system' as const, content: system }] : []),
    { role: 'user', content: 'Do it.' },
  ];
  turns.forEach(({ calls, said, thought, results }, n) => {
    const made = calls.map(({ name, args: given }, m) => ({
      id: `c${n}_${m}`,
      type: 'function' as const,
      function: { name, arguments: given },
    }));
    messages.push({
      role: 'assistant',
      content: said,
      ...(thought ? { reasoning_content: thought } : {}),
      tool_calls: made,
    });
    for (const [m, { id }] of made.entries())
      messages.push({ role: 'tool', content: results[m] ?? '', tool_call_id: id });
  });
  messages.push({ role: 'assistant', content: 'Done.' });
  return { messages, tools: [tool('get_invoice'), tool('void_invoice')], metadata };
};

describe.each(Object.entries(FORMATS))('format %s', (id, format) => {
  it('gives back the same calls, results and tools, whatever is in them', () => {
    let written = 0;
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 4 }), fc.constantFrom('', 'You help.'), (turns, system) => {
        const row = rowOfTurns(turns, system);
        if (format.cannotSay?.(row)) return;
        written++;
        const line = JSON.parse(JSON.stringify(format.write(row))) as Record<string, Json>;
        const read = format.read(line);
        expect(read.tools).toEqual(['get_invoice', 'void_invoice']);
        expect(read.turns.map(({ role }) => role)).toEqual(row.messages.map(({ role }) => role));
        expect(read.turns.flatMap(({ calls }) => calls)).toEqual(
          turns.flatMap(({ calls }) => calls.map(({ name, args: given }) => ({ name, arguments: given }))),
        );
        const results = (list: readonly { role: string; text: string }[]) =>
          list.filter(({ role }) => role === 'tool').map((entry) => entry.text);
        expect(results(read.turns)).toEqual(
          results(row.messages.map(({ role, content }) => ({ role, text: content }))),
        );
        expect(read.turns.at(-1)).toMatchObject({ role: 'assistant', text: 'Done.' });
      }),
      { numRuns: 300 },
    );
    expect(written).toBeGreaterThan(id === 'qwen-xml' ? 60 : 290);
  });

  it('describes itself, keeps the metadata and is found by its name', () => {
    expect(format.describes.length).toBeGreaterThan(20);
    expect(formatOf(id)).toBe(format);
    expect(format.write(rowOfTurns([], ''))).toHaveProperty('metadata');
  });
});

it('formats are registered under their own ids, an unknown one is refused with those there are', () => {
  for (const [id, format] of Object.entries(FORMATS)) expect(format.id).toBe(id);
  try {
    formatOf('alpaca');
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(TreadleError);
    expect((error as TreadleError).line()).toMatch(/alpaca.*treadle, openai, sharegpt, hermes, qwen-xml/);
  }
});

it('each format has the shape its readers expect', () => {
  const row = rowOfTurns(
    [{ calls: [{ name: 'get_invoice', args: { id: 'x' } }], said: '', thought: 'Hm.', results: ['{"a":1}', '', ''] }],
    'You help.',
  );
  const shapes = Object.fromEntries(Object.entries(FORMATS).map(([id, format]) => [id, format.write(row)]));
  const messagesOf = (id: string) => formatOf(id).write(row).messages as Json[];
  expect(messagesOf('treadle')[2]).toEqual({
    role: 'assistant',
    content: '',
    reasoning_content: 'Hm.',
    tool_calls: [{ id: 'c0_0', type: 'function', function: { name: 'get_invoice', arguments: { id: 'x' } } }],
  });
  expect(messagesOf('openai')[2]).toMatchObject({
    content: null,
    tool_calls: [{ function: { arguments: '{"id":"x"}' } }],
  });
  expect(shapes.sharegpt).toMatchObject({
    system: 'You help.',
    conversations: [
      { from: 'human', value: 'Do it.' },
      { from: 'function_call', value: '<think>\nHm.\n</think>\n\n{"name":"get_invoice","arguments":{"id":"x"}}' },
      { from: 'observation', value: '{"a":1}' },
      { from: 'gpt', value: 'Done.' },
    ],
  });
  expect(
    messagesOf('hermes')
      .slice(2)
      .map((message) => (message as { content: string }).content),
  ).toEqual([
    '<think>\nHm.\n</think>\n\n<tool_call>\n{"name":"get_invoice","arguments":{"id":"x"}}\n</tool_call>',
    '<tool_response>\n{"a":1}\n</tool_response>',
    'Done.',
  ]);
});
