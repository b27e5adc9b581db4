import { afterEach, describe, expect, it } from 'vitest';
import { json } from '../fake-server.fixture.js';
import type { ChatMessage, ChatReply, ChatTool } from '../types.js';
import {
  decode,
  END,
  encode,
  type FakeIdServer,
  fakeIdServer,
  logprobOf,
  type Turn,
  template,
} from './fake-id-server.fixture.js';
import { type ExactKind, tokenClient } from './token-client.js';

const KINDS: ExactKind[] = ['vllm', 'sglang', 'llamacpp'];
const tools: ChatTool[] = [
  { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: { at: { type: 'string' } } } },
];
const opening: ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'hello' },
];
const turn = (text: string): Turn => ({ ids: [...encode(text), END] });
const calling = turn(
  '<think>\nWhere?\n</think>\n\n<tool_call>\n{"name": "look", "arguments": {"at": "x"}}\n</tool_call>\n',
);
// The tokenizer would write "hello" as one token: decoding and encoding this again gives other ids.
const answering: Turn = { ids: [...encode('hel'), ...encode('lo'), END] };

let server: FakeIdServer;
afterEach(() => server?.close());
const clientOf = async (kind: ExactKind, turns: Turn[]) => {
  server = await fakeIdServer(kind, turns);
  return tokenClient({ kind, baseUrl: `${server.url}/v1`, model: 'm1' }, { retries: 2, backoffMs: 1 });
};
const asMessage = ({ content, calls }: ChatReply): ChatMessage => ({ role: 'assistant', content, calls });

describe.each(KINDS)('%s', (kind) => {
  it('gives ids and log probabilities, and reads reasoning and tool calls from the text', async () => {
    const client = await clientOf(kind, [calling]);
    const reply = await client.chat({ messages: opening, tools, sampling: { max_tokens: 50, seed: 4, n: 1 } });
    const wire = tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters },
    }));
    expect(reply).toMatchObject({
      content: '',
      reasoning: 'Where?',
      calls: [{ name: 'look', arguments: '{"at":"x"}' }],
      finish: 'tool_calls',
      tokens: { output: calling.ids, logprobs: calling.ids.map(logprobOf) },
    });
    expect(decode(reply.tokens?.prompt ?? [])).toBe(template(opening as never, wire));
    expect(reply.usage).toEqual({ promptTokens: reply.tokens?.prompt.length, completionTokens: calling.ids.length });
  });

  it('builds the next prompt from ids, where a transcript would lose what the template strips', async () => {
    const client = await clientOf(kind, [calling, answering, turn('Done.')]);
    const first = await client.chat({ messages: opening, tools });
    // As harnesses send it back: no reasoning, another id, other spaces in the arguments.
    const history: ChatMessage[] = [
      ...opening,
      { role: 'assistant', content: '', calls: [{ id: 'call1', name: 'look', arguments: '{ "at": "x" }' }] },
      { role: 'tool', content: 'nothing', toolCallId: 'call1' },
      { role: 'tool', content: 'at all', toolCallId: 'call2' },
    ];
    const second = await client.chat({ messages: history, tools });
    const results = ['nothing', 'at all'].map(
      (text) => `<|im_start|>user\n<tool_response>\n${text}\n</tool_response><|im_end|>\n`,
    );
    const suffix = encode(`\n${results.join('')}<|im_start|>assistant\n`);
    expect(second.tokens?.prompt).toEqual([...(first.tokens?.prompt ?? []), ...calling.ids, ...suffix]);
    const third = [...history, asMessage(second), { role: 'user' as const, content: 'hello' }];
    await client.chat({ messages: third, tools });
    const more = encode('\n<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n');
    expect(server.prompts[2]).toEqual([...(server.prompts[1] ?? []), ...answering.ids, ...more]);
    // The transcript, rendered and encoded again, has no reasoning, and other ids for what reads the same.
    const again = await tokenClient({ kind, baseUrl: server.url, model: 'm1' }).prompt({ messages: third, tools });
    expect(decode(server.prompts[2] ?? [])).toContain('<think>\nWhere?\n</think>');
    expect(decode(again)).not.toContain('Where?');
    expect(again.join()).toContain(encode('hello').join());
    expect(again.join()).not.toContain(answering.ids.join());
  });

  it('ends a turn that was cut as the template would, and one that ended otherwise as it is', async () => {
    const cut: Turn = { ids: encode('hello'), finish: 'length' };
    const other: Turn = { ids: encode('hello<|eom_id|>') };
    const client = await clientOf(kind, [cut, other, turn('x')]);
    const first = await client.chat({ messages: opening, tools: [] });
    expect(first.finish).toBe('length');
    const go: ChatMessage = { role: 'user', content: 'Go on.' };
    const second = await client.chat({ messages: [...opening, asMessage(first), go], tools: [] });
    expect(second.content).toBe('hello');
    await client.chat({ messages: [...opening, asMessage(first), go, asMessage(second), go], tools: [] });
    const ids = encode('<|im_end|>\n<|im_start|>user\nGo on.<|im_end|>\n<|im_start|>assistant\n');
    expect(server.prompts[1]).toEqual([...(server.prompts[0] ?? []), ...cut.ids, ...ids]);
    expect(server.prompts[2]).toEqual([...(server.prompts[1] ?? []), ...other.ids, ...ids.slice(1)]);
  });

  it('takes a template that allows results only after calls', async () => {
    const client = await clientOf(kind, [calling, answering]);
    server.isStrict = true;
    const first = await client.chat({ messages: opening, tools });
    const history = [...opening, asMessage(first), { role: 'tool' as const, content: 'none', toolCallId: 'c' }];
    await client.chat({ messages: history, tools });
    const suffix = encode(
      '\n<|im_start|>user\n<tool_response>\nnone\n</tool_response><|im_end|>\n<|im_start|>assistant\n',
    );
    expect(server.prompts[1]).toEqual([...(server.prompts[0] ?? []), ...calling.ids, ...suffix]);
  });

  it('lets branches go on from one history, and renders a history afresh that it does not know', async () => {
    const client = await clientOf(kind, [turn('one'), turn('two'), turn('three'), turn('four')]);
    const ask = async (messages: ChatMessage[]) => (await client.chat({ messages, tools: [] })).tokens?.prompt ?? [];
    const start = await ask(opening);
    const other = await ask(opening);
    expect(other).toEqual(start);
    const following = (word: string): ChatMessage[] => [
      ...opening,
      { role: 'assistant', content: word },
      { role: 'user', content: 'And?' },
    ];
    const more = encode('\n<|im_start|>user\nAnd?<|im_end|>\n<|im_start|>assistant\n');
    expect(await ask(following('one'))).toEqual([...start, ...turn('one').ids, ...more]);
    expect(await ask(following('two'))).toEqual([...start, ...turn('two').ids, ...more]);
    expect(await ask(following('nobody said this'))).toEqual(encode(template(following('nobody said this') as never)));
  });

  it('tries again when the server fails, a limited number of times', async () => {
    const client = await clientOf(kind, [answering]);
    server.before = (_, response, nth) => {
      if (nth > 2) return false;
      if (nth === 1) json(response, { error: 'busy' }, 429, { 'retry-after-ms': '1' });
      else response.destroy();
      return true;
    };
    expect((await client.chat({ messages: opening, tools: [] })).content).toBe('hello');
    server.before = (_, response) => {
      json(response, '{"tokens": [1, 2', 200);
      return true;
    };
    await expect(client.chat({ messages: opening, tools: [] })).rejects.toMatchObject({ code: 'bad_response' });
    server.before = (_, response) => {
      json(response, { tokens: ['a'], choices: 3 });
      return true;
    };
    await expect(client.chat({ messages: opening, tools: [] })).rejects.toMatchObject({
      code: 'bad_response',
      fault: 'infrastructure',
    });
  });
});

it('asks vLLM for no more tokens than its context has room for', async () => {
  const client = await clientOf('vllm', [answering]);
  const { tokens } = await client.chat({ messages: opening, tools: [], sampling: { max_tokens: 32_000 } });
  expect(server.seen.at(-1)?.body.max_tokens).toBe(2000 - (tokens?.prompt.length ?? 0));
});

it('refuses a server that went on from another prompt', async () => {
  const client = await clientOf('vllm', [answering]);
  server.before = ({ path }, response) => {
    if (path !== '/v1/completions') return false;
    json(response, { choices: [{ text: 'x', token_ids: [1], prompt_token_ids: [9] }] });
    return true;
  };
  await expect(client.chat({ messages: opening, tools: [] })).rejects.toThrow('changed the prompt');
});
