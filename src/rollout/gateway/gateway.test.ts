import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeServer, fakeServer, reply, toolCall } from '../../models/fake-server.fixture.js';
import { startGateway } from './gateway.js';
import type { Gateway, GatewayRollout } from './types.js';

let backend: FakeServer;
let gateway: Gateway;
beforeEach(async () => {
  backend = await fakeServer((seen, response) => reply(seen, response, { content: 'Hello.' }));
  gateway = await startGateway({ retries: 2, backoffMs: 1 });
});
afterEach(async () => {
  await gateway.close();
  await backend.close();
});

const opened = (more: Partial<Parameters<Gateway['open']>[0]> = {}): GatewayRollout =>
  gateway.open({ backend: { kind: 'openai', baseUrl: `${backend.url}/v1`, model: 'm1', apiKey: 'secret' }, ...more });
const client = ({ openaiBaseUrl, token }: GatewayRollout): OpenAI =>
  new OpenAI({ baseURL: openaiBaseUrl, apiKey: token, maxRetries: 0 });

const tools: OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'look', description: 'Looks.', parameters: { type: 'object' } } },
];
const calls = [toolCall('c1', 'look', '{"at":1}'), toolCall('c2', 'look', '{"at":')];
const opening: OpenAI.ChatCompletionMessageParam[] = [
  { role: 'developer', content: 'Be brief.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Look ' },
      { type: 'text', text: 'twice.' },
    ],
  },
];
const second = (assistant: object): OpenAI.ChatCompletionMessageParam[] => [
  ...opening,
  assistant as OpenAI.ChatCompletionMessageParam,
  { role: 'tool', tool_call_id: 'c1', content: 'one' },
  { role: 'tool', tool_call_id: 'c2', content: 'no JSON' },
];
const whole = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Look twice.' },
  {
    role: 'assistant',
    content: '',
    toolCalls: [
      { id: 'c1', name: 'look', arguments: { at: 1 } },
      { id: 'c2', name: 'look', arguments: {}, malformed: '{"at":' },
    ],
  },
  { role: 'tool', content: 'one', toolCallId: 'c1' },
  { role: 'tool', content: 'no JSON', toolCallId: 'c2' },
  { role: 'assistant', content: 'Done.' },
];
const conversing = (): void => {
  backend.handle = (seen, response) =>
    reply(seen, response, (seen.body.messages as object[]).length < 3 ? { tool_calls: calls } : { content: 'Done.' });
};

describe('an OpenAI client', () => {
  it('is answered by the backend, with its model, sampling and key, and recorded', async () => {
    conversing();
    const rollout = opened({
      backend: { kind: 'openai', baseUrl: `${backend.url}/v1/`, model: 'm1', apiKey: 'secret', sampling: { seed: 3 } },
    });
    const ask = client(rollout).chat.completions;
    const first = await ask.create({ model: 'any', messages: opening, tools, temperature: 0.5 });
    expect(first.choices[0]?.message.tool_calls).toEqual(calls);
    const last = await ask.create({ model: 'any', messages: second(first.choices[0]!.message), tools });
    expect(last.choices[0]?.message.content).toBe('Done.');
    expect(backend.seen[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer secret' },
      body: { model: 'm1', temperature: 0.5, seed: 3, stream: false },
    });
    expect(rollout.close()).toEqual({
      messages: whole,
      tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }],
      usage: { turns: 2, promptTokens: 14, completionTokens: 6 },
      facts: { dialect: 'openai', exchanges: 2, retried: 0, rewritten: false },
    });
  });

  it('is streamed to, and the same is recorded', async () => {
    conversing();
    const rollout = opened();
    const runner = client(rollout).chat.completions.stream({ model: 'any', messages: opening, tools });
    const { choices } = await runner.finalChatCompletion();
    expect(choices[0]?.message.tool_calls).toMatchObject(calls);
    const events = await client(rollout).chat.completions.create({
      model: 'any',
      messages: second({ role: 'assistant', content: null, tool_calls: calls }),
      stream: true,
      stream_options: { include_usage: true },
    });
    let [text, total] = ['', 0];
    for await (const { choices: parts, usage } of events) {
      text += parts[0]?.delta.content ?? '';
      total = usage?.total_tokens ?? total;
    }
    expect([text, total]).toEqual(['Done.', 10]);
    const { messages, usage } = rollout.close();
    expect(messages).toEqual(whole);
    expect(usage).toEqual({ turns: 2, promptTokens: 14, completionTokens: 6 });
  });

  it('sees one model', async () => {
    const rollout = opened();
    const models = await client(rollout).models.list();
    expect(models.data.map(({ id }) => id)).toEqual(['m1']);
    expect((await client(rollout).models.retrieve('m1')).id).toBe('m1');
    await expect(client(rollout).models.retrieve('m2')).rejects.toMatchObject({ status: 404 });
  });
});

describe('tokens', () => {
  it('are needed, are one a rollout, and open nothing once closed', async () => {
    const [one, two] = [opened(), opened()];
    expect(one.token).not.toBe(two.token);
    const ask = (token: string | undefined, header = 'authorization') =>
      fetch(`${one.openaiBaseUrl}/chat/completions`, {
        method: 'POST',
        headers: token === undefined ? {} : { [header]: header === 'x-api-key' ? token : `Bearer ${token}` },
        body: JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] }),
      }).then(({ status }) => status);
    expect(await ask(undefined)).toBe(401);
    expect(await ask('trd_wrong')).toBe(401);
    expect(await ask(one.token)).toBe(200);
    expect(await ask(two.token, 'x-api-key')).toBe(200);
    expect(one.close().usage.turns).toBe(1);
    expect(await ask(one.token)).toBe(401);
    expect(two.close().usage.turns).toBe(1);
    expect(backend.seen).toHaveLength(2);
  });
});
