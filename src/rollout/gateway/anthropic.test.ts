import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  delta,
  type FakeServer,
  fakeServer,
  json,
  reply,
  stream,
  toolCall,
  usageEvent,
} from '../../models/fake-server.fixture.js';
import { startGateway } from './gateway.js';
import type { Gateway, GatewayRollout } from './types.js';

let backend: FakeServer;
let gateway: Gateway;
beforeEach(async () => {
  backend = await fakeServer((seen, response) => reply(seen, response, { content: 'Hello.' }));
  gateway = await startGateway({ retries: 1, backoffMs: 1 });
});
afterEach(async () => {
  await gateway.close();
  await backend.close();
});

const opened = (): GatewayRollout =>
  gateway.open({ backend: { kind: 'openai', baseUrl: `${backend.url}/v1`, model: 'm1' } });
const ask = ({ anthropicBaseUrl, token }: GatewayRollout, body: object, path = '/v1/messages?beta=true') =>
  fetch(`${anthropicBaseUrl}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': token, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

interface Body {
  content: object[];
  error: { type: string; message: string };
  input_tokens: number;
  data: object[];
}
const bodyOf = async (response: Response | Promise<Response>): Promise<Body> => (await (await response).json()) as Body;

interface Event {
  type: string;
  [field: string]: unknown;
}
const eventsOf = async (response: Response): Promise<Event[]> =>
  (await response.text())
    .split('\n\n')
    .filter(Boolean)
    .map((event) => {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
      const parsed = JSON.parse(data ?? '') as Event;
      expect(parsed.type).toBe(name);
      return parsed;
    });

const tools = [
  { name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: { at: { type: 'number' } } } },
  { type: 'web_search_20250305', name: 'web_search' },
];
const request = {
  model: 'claude-any',
  max_tokens: 100,
  system: [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=1; cch=4f2;' },
    { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
    { type: 'text', text: 'Be kind.' },
  ],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Look twice.' }] }],
  tools,
  tool_choice: { type: 'any', disable_parallel_tool_use: true },
  stop_sequences: ['END'],
  metadata: { user_id: 'u' },
};
const calls = [toolCall('toolu_1', 'look', '{"at":1}'), toolCall('toolu_2', 'look', '{"at":')];
const malformed = { _malformed_arguments: '{"at":' };
const followUp = (content: object[]) => ({
  ...request,
  messages: [
    ...request.messages,
    { role: 'assistant', content },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'one' }] },
        { type: 'tool_result', tool_use_id: 'toolu_2', content: 'no object', is_error: true },
        { type: 'text', text: 'Go on.' },
      ],
    },
  ],
});
const whole = [
  { role: 'system', content: 'Be brief.\n\nBe kind.' },
  { role: 'user', content: 'Look twice.' },
  {
    role: 'assistant',
    content: '',
    reasoning: 'Hm.',
    toolCalls: [
      { id: 'toolu_1', name: 'look', arguments: { at: 1 } },
      { id: 'toolu_2', name: 'look', arguments: {}, malformed: '{"at":' },
    ],
  },
  { role: 'tool', content: 'one', toolCallId: 'toolu_1' },
  { role: 'tool', content: 'Error: no object', toolCallId: 'toolu_2' },
  { role: 'user', content: 'Go on.' },
  { role: 'assistant', content: 'Done.' },
];

describe('an Anthropic client', () => {
  it('speaks to an OpenAI backend, and is recorded in the same form', async () => {
    backend.handle = (seen, response, nth) =>
      nth === 1
        ? json(response, {
            choices: [
              { message: { content: null, reasoning_content: 'Hm.', tool_calls: calls }, finish_reason: 'tool_calls' },
            ],
            usage: { prompt_tokens: 7, completion_tokens: 3 },
          })
        : reply(seen, response, { content: 'Done.' });
    const rollout = opened();
    const first = await bodyOf(ask(rollout, request));
    expect(first).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'm1',
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 1 } },
        { type: 'tool_use', id: 'toolu_2', name: 'look', input: malformed },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 7, output_tokens: 3 },
    });
    expect(backend.seen[0]?.body).toEqual({
      model: 'm1',
      messages: [
        { role: 'system', content: 'Be brief.\n\nBe kind.' },
        { role: 'user', content: 'Look twice.' },
      ],
      tools: [
        { type: 'function', function: { name: 'look', description: 'Looks.', parameters: tools[0]?.input_schema } },
      ],
      tool_choice: 'required',
      parallel_tool_calls: false,
      max_tokens: 100,
      stop: ['END'],
      stream: false,
    });
    const second = await bodyOf(ask(rollout, followUp(first.content)));
    expect(second).toMatchObject({ content: [{ type: 'text', text: 'Done.' }], stop_reason: 'end_turn' });
    // What was malformed goes back as the model wrote it.
    expect(backend.seen[1]?.body.messages).toMatchObject([
      {},
      {},
      { role: 'assistant', reasoning_content: 'Hm.', tool_calls: calls },
      { role: 'tool', tool_call_id: 'toolu_1', content: 'one' },
      { role: 'tool', tool_call_id: 'toolu_2', content: 'Error: no object' },
      { role: 'user', content: 'Go on.' },
    ]);
    const { messages, facts } = rollout.close();
    expect(messages).toEqual(whole);
    expect(facts).toEqual({ dialect: 'anthropic', exchanges: 2, retried: 0, rewritten: false });
  });

  it('is streamed to in named events', async () => {
    backend.handle = (_, response) =>
      stream(response, [
        delta({ role: 'assistant', content: '' }),
        delta({ reasoning_content: 'H' }),
        delta({ reasoning_content: 'm.' }),
        delta({ content: 'I ' }),
        delta({ content: 'look.' }),
        delta({
          tool_calls: [{ index: 0, id: 'toolu_1', type: 'function', function: { name: 'look', arguments: '' } }],
        }),
        delta({ tool_calls: [{ index: 0, function: { arguments: '{"at"' } }] }),
        delta({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
        delta({ tool_calls: [{ index: 1, id: 'toolu_2', function: { name: 'look', arguments: '{"at":' } }] }),
        delta({}, 'tool_calls'),
        usageEvent,
        '[DONE]',
      ]);
    const rollout = opened();
    const events = await eventsOf(await ask(rollout, { ...request, stream: true }));
    expect(events.map(({ type, index }) => (index === undefined ? type : `${type} ${index}`))).toEqual([
      'message_start',
      'content_block_start 0',
      'content_block_delta 0',
      'content_block_delta 0',
      'content_block_delta 0',
      'content_block_stop 0',
      'content_block_start 1',
      'content_block_delta 1',
      'content_block_delta 1',
      'content_block_stop 1',
      'content_block_start 2',
      'content_block_delta 2',
      'content_block_stop 2',
      'content_block_start 3',
      'content_block_delta 3',
      'content_block_stop 3',
      'message_delta',
      'message_stop',
    ]);
    const deltas = events.flatMap(({ type, delta: part }) => (type === 'content_block_delta' ? [part] : []));
    expect(deltas).toEqual([
      { type: 'thinking_delta', thinking: 'H' },
      { type: 'thinking_delta', thinking: 'm.' },
      { type: 'signature_delta', signature: '' },
      { type: 'text_delta', text: 'I ' },
      { type: 'text_delta', text: 'look.' },
      { type: 'input_json_delta', partial_json: '{"at":1}' },
      { type: 'input_json_delta', partial_json: JSON.stringify(malformed) },
    ]);
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: 'tool_use' },
      usage: { input_tokens: 7, output_tokens: 3 },
    });
    const { messages } = rollout.close();
    expect(messages.at(-1)).toEqual({ ...whole[2], content: 'I look.' });
  });

  it('is told of failures and budgets in its own form', async () => {
    backend.handle = (_, response) => json(response, { error: { message: 'maximum context length is 8' } }, 400);
    const rollout = gateway.open({
      backend: { kind: 'openai', baseUrl: backend.url, model: 'm1' },
      budget: { turns: 1 },
    });
    const long = await ask(rollout, request);
    expect([long.status, (await bodyOf(long)).error]).toMatchObject([
      400,
      { type: 'invalid_request_error', message: expect.stringMatching(/^prompt is too long/) },
    ]);
    backend.handle = (seen, response) => reply(seen, response, { content: 'Hi' });
    expect((await ask(rollout, request)).status).toBe(200);
    const over = await ask(rollout, { ...request, stream: true });
    expect([over.status, over.headers.get('x-should-retry'), await bodyOf(over)]).toMatchObject([
      402,
      'false',
      { type: 'error', error: { type: 'billing_error' } },
    ]);
    const unknown = await ask({ ...rollout, token: 'x' }, request);
    expect([unknown.status, (await bodyOf(unknown)).error.type]).toEqual([401, 'authentication_error']);
  });

  it('hears of a stream that breaks off', async () => {
    backend.handle = (_, response) => stream(response, [delta({ content: 'I am' }), 'cut']);
    const events = await eventsOf(await ask(opened(), { ...request, stream: true }));
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: 'api_error' } });
  });

  it('counts tokens and lists the model', async () => {
    const rollout = opened();
    const counted = await bodyOf(ask(rollout, request, '/v1/messages/count_tokens'));
    expect(counted.input_tokens).toBeGreaterThan(10);
    expect((await ask(rollout, { messages: 3 }, '/v1/messages/count_tokens')).status).toBe(400);
    const headers = { 'x-api-key': rollout.token, 'anthropic-version': '2023-06-01' };
    const models = await fetch(`${rollout.anthropicBaseUrl}/v1/models`, { headers });
    expect((await bodyOf(models)).data).toMatchObject([{ type: 'model', id: 'm1' }]);
    expect(rollout.close().facts.exchanges).toBe(0);
  });

  it.each([
    [{ ...request, messages: [] }, 'messages is empty'],
    [{ ...request, messages: ['Hi'] }, 'messages[0] is no object'],
    [{ ...request, messages: [{ role: 'tool', content: 'x' }] }, 'no role that is known'],
    [{ ...request, messages: [{ role: 'user', content: 3 }] }, 'neither text nor a list'],
    [{ ...request, system: 4 }, 'system is neither text'],
    [[], 'no JSON object'],
  ])('refuses %j', async (body, why) => {
    const rollout = opened();
    const response = await ask(rollout, body);
    expect([response.status, (await bodyOf(response)).error.message]).toEqual([400, expect.stringContaining(why)]);
    expect(backend.seen).toHaveLength(0);
    expect(rollout.close().problem).toBeUndefined();
  });
});
