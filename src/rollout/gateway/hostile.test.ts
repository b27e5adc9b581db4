/** Whatever bytes arrive, in whatever pieces. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TreadleError } from '../../errors.js';
import { readToolText } from '../../models/exact/tool-text.js';
import { collect } from './collect.js';
import { eventData } from './events.js';
import { readAnthropic } from './read-anthropic.js';
import { readOpenai } from './read-openai.js';
import { readResponses } from './read-responses.js';

async function* inPieces(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (const [n, start] of at.entries()) if (n + 1 < at.length) yield bytes.subarray(start, at[n + 1]);
}
const eventsIn = async (text: string, cuts: readonly number[]): Promise<string[]> => {
  const events: string[] = [];
  for await (const some of eventData(inPieces(Buffer.from(text), cuts))) events.push(...some);
  return events;
};

it('events are the same, however the network cuts them', async () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n]/g, ''));
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.array(fc.nat()), fc.constantFrom('\n', '\r\n'), async (lines, cuts, end) => {
      const text = lines.map((each) => `: note${end}event: x${end}data: ${each}${end}${end}`).join('');
      expect(await eventsIn(`${text}data: cut of`, cuts)).toEqual(lines);
    }),
    { numRuns: 60 },
  );
  expect(await eventsIn('data: a\ndata:b\n\n\n\n', [])).toEqual(['a\nb']);
});

it('an event without end is given up', async () => {
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) yield Buffer.alloc(4 * 1024 * 1024, 'x');
  }
  await expect(eventData(endless()).next()).rejects.toThrow('without end');
});

/** Any JSON, with the names that requests have, so that it comes far. */
const nearly = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(
      'user',
      'assistant',
      'tool',
      'text',
      'tool_use',
      'tool_result',
      'image',
      '',
      '{"a":',
      null,
      true,
      3,
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.constantFrom(
        'messages',
        'role',
        'content',
        'type',
        'text',
        'tool_calls',
        'function',
        'name',
        'arguments',
        'id',
        'input',
        'tool_use_id',
        'source',
        'tools',
        'system',
        'input_schema',
        'tool_choice',
        'n',
        'stream',
        'thinking',
        'is_error',
      ),
      tie('value'),
      { maxKeys: 6 },
    ),
  ),
}));

it('a request is read, or refused with a reason', () => {
  fc.assert(
    fc.property(fc.array(nearly.value, { minLength: 1, maxLength: 3 }), nearly.value, (messages, other) => {
      for (const read of [readOpenai, readAnthropic, readResponses])
        for (const body of [other, { messages }, { input: messages }, { ...(other as object | null), messages }]) {
          try {
            const asked = read(body);
            expect(asked.messages.every(({ content }) => typeof content === 'string')).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(TreadleError);
            expect(error).toMatchObject({ code: 'bad_request', fault: 'agent' });
          }
        }
    }),
    { numRuns: 300 },
  );
});

it('a stream of odd events is put together, or is no chat completion', () => {
  const chunk = fc.record(
    {
      choices: fc.array(
        fc.record(
          {
            delta: fc.record(
              {
                content: fc.option(fc.string()),
                tool_calls: fc.array(
                  fc.record(
                    {
                      index: fc.nat(3),
                      id: fc.string(),
                      function: fc.record({ name: fc.string(), arguments: fc.string() }),
                    },
                    { requiredKeys: [] },
                  ),
                ),
              },
              { requiredKeys: [] },
            ),
            finish_reason: fc.option(fc.constantFrom('stop', 'length', 'odd')),
          },
          { requiredKeys: [] },
        ),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(chunk), (chunks) => {
      const collected = collect();
      for (const each of chunks) collected.add(each);
      const text = chunks.map(({ choices }) => choices?.[0]?.delta?.content ?? '').join('');
      expect(collected.reply().content).toBe(text);
    }),
  );
});

it('any text of a model is read, and none of it is lost where it calls nothing', () => {
  const piece = fc.constantFrom(
    '<tool_call>',
    '</tool_call>',
    '<function=a>',
    '</function>',
    '<parameter=b>',
    '</parameter>',
    '<|python_tag|>',
    '[TOOL_CALLS]',
    '{"name": "a", "arguments": {}}',
    '{"name": "a"',
    '[',
    '{',
    '; ',
    'x',
    '\n',
    '"name"',
  );
  const tools = [{ name: 'a', description: '', parameters: { type: 'object' } }];
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      const { calls, content } = readToolText(text, tools);
      for (const { name, arguments: args } of calls) expect([typeof name, typeof args]).toEqual(['string', 'string']);
      if (calls.length === 0) expect(content.trim()).toBe(text.trim());
    }),
    { numRuns: 500 },
  );
});
