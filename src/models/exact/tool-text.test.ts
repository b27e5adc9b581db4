import { expect, it } from 'vitest';
import { isTurnEnd, readToolText } from './tool-text.js';

const tools = [
  {
    name: 'book',
    description: '',
    parameters: { type: 'object', properties: { code: { type: 'string' }, seats: { type: 'integer' } } },
  },
];
const read = (text: string) => readToolText(text, tools);
const book = (args: string) => ({ name: 'book', arguments: args });

it('reads Hermes calls, several of them, around text', () => {
  const one = '<tool_call>\n{"name": "book", "arguments": {"seats": 2}}\n</tool_call>';
  expect(read(`I book.\n${one}\n${one}<|im_end|>`)).toEqual({
    content: 'I book.',
    calls: [book('{"seats":2}'), book('{"seats":2}')],
  });
  expect(read('<tool_call>{"name": "book", "arguments": "{\\"seats\\": 2}"}</tool_call>').calls).toEqual([
    book('{"seats": 2}'),
  ]);
});

it('keeps what was written badly as a call where it names a tool, else as text', () => {
  expect(read('<tool_call>{"name": "book", "arguments": {"seats": tw</tool_call>').calls).toEqual([
    book('{"seats": tw'),
  ]);
  expect(read('<tool_call>{"name": "book", "arguments": {"seats": 2}').calls).toEqual(
    [book('{"seats": 2}')].map((call) => ({ ...call, arguments: '{"seats": 2}' })),
  );
  expect(read('<tool_call>book two seats</tool_call>')).toEqual({
    content: '<tool_call>book two seats</tool_call>',
    calls: [],
  });
  expect(read('<tool_call>[1, 2]</tool_call>').calls).toEqual([]);
});

it("reads Qwen 3.5's XML by the tool's schema", () => {
  const text =
    '<tool_call>\n<function=book>\n<parameter=code>\n007\n</parameter>\n<parameter=seats>\n2\n</parameter>\n<parameter=note>\nline one\nline two\n</parameter>\n</function>\n</tool_call>';
  expect(read(text).calls).toEqual([book('{"code":"007","seats":2,"note":"line one\\nline two"}')]);
  expect(read('So: <function=book><parameter=seats>2</parameter>')).toEqual({
    content: 'So:',
    calls: [book('{"seats":2}')],
  });
});

it("reads Llama's and Mistral's calls; bare JSON only where it names a tool", () => {
  expect(read('<|python_tag|>{"name": "book", "parameters": {"seats": 2}}<|eom_id|>').calls).toEqual([
    book('{"seats":2}'),
  ]);
  expect(read('{"name": "book", "parameters": {}}; {"name": "book", "parameters": {"seats": 1}}').calls).toHaveLength(
    2,
  );
  expect(read('[TOOL_CALLS][{"name": "book", "arguments": {"seats": 2}}]</s>').calls).toEqual([book('{"seats":2}')]);
  const bare = '{"name": "Ada", "parameters": {}}';
  expect(read(bare)).toEqual({ content: bare, calls: [] });
  expect(read('{"total": 3}')).toEqual({ content: '{"total": 3}', calls: [] });
});

it('tells reasoning from what is said, also where the template opened it or a limit cut it', () => {
  expect(read('<think>\nHm.\n</think>\n\nYes.<|im_end|>')).toEqual({ content: 'Yes.', reasoning: 'Hm.', calls: [] });
  expect(read('Hm.\n</think>\n\nYes.')).toEqual({ content: 'Yes.', reasoning: 'Hm.', calls: [] });
  expect(read('<think>Hm, and')).toEqual({ content: '', reasoning: 'Hm, and', calls: [] });
  expect(read('')).toEqual({ content: '', calls: [] });
});

it('is quick with ten thousand tokens of repetition', () => {
  for (const piece of [
    ' ',
    '<function=',
    '<tool_call>',
    '"name" :',
    '<think>',
    '<|im_end|> ',
    '; {',
    '<parameter=a>',
  ]) {
    const said = read(piece.repeat(10_000));
    expect(said.calls.length).toBeLessThanOrEqual(1);
  }
});

it('knows what ends a turn', () => {
  expect(['<|im_end|>', '<|eot_id|>', '</s>', ' <|im_end|>'].every(isTurnEnd)).toBe(true);
  expect(['', 'x', '<|im_start|>', 'x<|im_end|>'].some(isTurnEnd)).toBe(false);
});
