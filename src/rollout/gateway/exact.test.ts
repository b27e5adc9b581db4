import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  decode,
  END,
  encode,
  type FakeIdServer,
  fakeIdServer,
  logprobOf,
} from '../../models/exact/fake-id-server.fixture.js';
import type { ExactKind } from '../../models/exact/token-client.js';
import { startGateway } from './gateway.js';
import type { Gateway, GatewayRollout } from './types.js';

let gateway: Gateway;
let backend: FakeIdServer | undefined;
beforeEach(async () => {
  gateway = await startGateway({ retries: 1, backoffMs: 1 });
});
afterEach(async () => {
  await gateway.close();
  await backend?.close();
});

const calling = {
  ids: [...encode('<think>\nWhere?\n</think>\n\n<tool_call>\n{"name": "look", "arguments": {}}\n</tool_call>'), END],
};
const answering = { ids: [...encode('hel'), ...encode('lo'), END] };
const opened = async (kind: ExactKind): Promise<GatewayRollout> => {
  backend = await fakeIdServer(kind, [calling, answering]);
  return gateway.open({ backend: { kind, baseUrl: `${backend.url}/v1`, model: 'm1' } });
};
const ask = ({ openaiBaseUrl, token }: GatewayRollout, body: object, path = '/chat/completions') =>
  fetch(`${openaiBaseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
interface Body {
  choices: { message: { content: string } }[];
  input_tokens: number;
}
const bodyOf = async (response: Promise<Response>): Promise<Body> => (await (await response).json()) as Body;
const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
const opening = [{ role: 'user', content: 'hello' }];
const history = [
  ...opening,
  { role: 'assistant', content: null, tool_calls: [{ id: 'c', function: { name: 'look', arguments: '{}' } }] },
  { role: 'tool', tool_call_id: 'c', content: 'nothing' },
];

describe.each<ExactKind>(['vllm', 'sglang', 'llamacpp'])('%s', (kind) => {
  it('keeps one sequence of exact tokens over the turns of a harness', async () => {
    const rollout = await opened(kind);
    const first = await bodyOf(ask(rollout, { messages: opening, tools }));
    expect(first.choices[0]).toMatchObject({
      message: {
        content: null,
        reasoning_content: 'Where?',
        tool_calls: [{ function: { name: 'look', arguments: '{}' } }],
      },
      finish_reason: 'tool_calls',
    });
    const second = await bodyOf(ask(rollout, { messages: history, tools }));
    expect(second.choices[0]?.message.content).toBe('hello');
    const { tokens, facts, messages } = rollout.close();
    const [prompt = [], next = []] = backend?.prompts ?? [];
    expect(tokens?.inputIds).toEqual([...next, ...answering.ids]);
    expect(next.slice(0, prompt.length + calling.ids.length)).toEqual([...prompt, ...calling.ids]);
    const own = tokens?.inputIds.filter((_, at) => tokens.mask[at] === 1);
    expect(own).toEqual([...calling.ids, ...answering.ids]);
    expect(tokens?.logprobs?.filter((_, at) => tokens.mask[at] === 1)).toEqual([
      ...calling.ids.map(logprobOf),
      ...answering.ids.map(logprobOf),
    ]);
    expect(facts.rewritten).toBe(false);
    expect(facts.weights).toEqual(kind === 'sglang' ? ['w7'] : undefined);
    expect(messages).toMatchObject([
      {},
      { reasoning: 'Where?', toolCalls: [{ name: 'look' }] },
      {},
      { content: 'hello' },
    ]);
  });

  it('streams, and counts prompts exactly', async () => {
    const rollout = await opened(kind);
    const body = { messages: opening, tools, stream: true, stream_options: { include_usage: true } };
    const text = await (await ask(rollout, body)).text();
    const events = text.split('\n\n').filter(Boolean);
    expect(events.at(-1)).toBe('data: [DONE]');
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event.slice(6)));
    expect(chunks.flatMap(({ choices }) => choices[0]?.delta?.tool_calls ?? [])).toMatchObject([
      { index: 0, function: { name: 'look', arguments: '{}' } },
    ]);
    expect(chunks.at(-1).usage.completion_tokens).toBe(calling.ids.length);
    const counting = ask(rollout, { messages: opening, max_tokens: 5 }, '/messages/count_tokens');
    const { input_tokens: n } = await bodyOf(counting);
    expect(decode(backend?.prompts[0] ?? [])).toContain('hello');
    expect(n).toBe(encode('<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n').length);
  });

  it('says that history was rewritten, and gives no tokens then', async () => {
    const rollout = await opened(kind);
    await ask(rollout, { messages: opening, tools });
    const shortened = [...opening, { role: 'assistant', content: 'I looked.' }, { role: 'user', content: 'And?' }];
    await ask(rollout, { messages: shortened, tools });
    const { tokens, facts, messages } = rollout.close();
    expect(facts.rewritten).toBe(true);
    expect(tokens).toBeUndefined();
    expect(messages.map(({ content }) => content)).toEqual(['hello', 'I looked.', 'And?', 'hello']);
  });
});
