/** However a conversation goes, each prompt begins with all that was seen and said before (rollout.md, token-in/token-out). */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ChatMessage } from '../types.js';
import { END, encode, fakeIdServer, type Turn, template } from './fake-id-server.fixture.js';
import { type ExactKind, tokenClient } from './token-client.js';

const tools = [{ name: 'look', description: '', parameters: { type: 'object' } }];
const word = fc.constantFrom(
  'hello',
  'hel',
  'lo',
  ' ',
  '\n',
  '\n\n',
  'x',
  '<think>',
  '</think>',
  '{}',
  '<tool_call>',
  'é',
);
const said = fc.array(word, { maxLength: 6 });
const call = '<tool_call>\n{"name": "look", "arguments": {"a": 1}}\n</tool_call>';
const turn = fc.record({ words: said, calls: fc.nat(2), isCut: fc.boolean() });
const next = fc.record({ turn, text: fc.constantFrom('Go on.', ' spaces ', '') });

it.each<ExactKind>(['vllm', 'sglang', 'llamacpp'])('%s', async (kind) => {
  const server = await fakeIdServer(kind, []);
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(next, { minLength: 1, maxLength: 4 }), fc.boolean(), async (steps, isStrict) => {
        server.isStrict = isStrict;
        server.prompts = [];
        server.turns = steps.map(({ turn: { words, calls, isCut } }): Turn => {
          // Word by word: ids that no encoding of the whole text would give.
          const ids = [...words, ...Array.from({ length: calls }, () => call)].flatMap(encode);
          return isCut ? { ids, finish: 'length' } : { ids: [...ids, END] };
        });
        const client = tokenClient({ kind, baseUrl: server.url, model: 'm' }, { retries: 0 });
        const messages: ChatMessage[] = [{ role: 'user', content: 'hello' }];
        for (const { text } of steps) {
          const { content, calls } = await client.chat({ messages, tools });
          messages.push({ role: 'assistant', content, ...(calls.length > 0 ? { calls } : {}) });
          for (const { id } of calls) messages.push({ role: 'tool', content: text, toolCallId: id });
          if (calls.length === 0) messages.push({ role: 'user', content: text });
        }
        for (const [n, prompt] of server.prompts.entries()) {
          const before = server.prompts[n - 1];
          if (!before) continue;
          const seen = [...before, ...(server.turns[n - 1]?.ids ?? [])];
          expect(prompt.slice(0, seen.length)).toEqual(seen);
          // What follows is the template's: the end of the turn, where the model did not write it, and what was added.
          const added = messages.slice(
            messages.indexOf(messages.filter(({ role }) => role === 'assistant')[n - 1]!) + 1,
          );
          const own = added.slice(
            0,
            added.findIndex(({ role }) => role === 'assistant'),
          );
          const suffix = encode(template(own as never, []));
          expect(prompt.slice(-suffix.length)).toEqual(suffix);
          expect(prompt.length - seen.length - suffix.length).toBeLessThanOrEqual(2);
        }
      }),
      { numRuns: 12 },
    );
  } finally {
    await server.close();
  }
});
