import OpenAI from 'openai';
import { afterEach, beforeEach, expect, it } from 'vitest';
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
let rollout: GatewayRollout;
let client: OpenAI;
beforeEach(async () => {
  backend = await fakeServer((seen, response) => reply(seen, response, { content: 'Hello.' }));
  gateway = await startGateway({ retries: 1, backoffMs: 1 });
  rollout = gateway.open({
    backend: { kind: 'openai', baseUrl: `${backend.url}/v1`, model: 'm1' },
    budget: { turns: 2 },
  });
  client = new OpenAI({ baseURL: rollout.openaiBaseUrl, apiKey: rollout.token, maxRetries: 0 });
});
afterEach(async () => {
  await gateway.close();
  await backend.close();
});

const calls = [toolCall('c1', 'look', '{"at":1}'), toolCall('c2', 'look', '{"at":')];
const tools: OpenAI.Responses.Tool[] = [
  { type: 'function', name: 'look', description: 'Looks.', parameters: { type: 'object' }, strict: false },
  { type: 'web_search' },
];
const opening: OpenAI.Responses.ResponseInputItem[] = [
  { role: 'user', content: [{ type: 'input_text', text: 'Look twice.' }] },
];
const request = { model: 'any', instructions: 'Be brief.', tools, max_output_tokens: 50, store: false };
const whole = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Look twice.' },
  {
    role: 'assistant',
    content: 'I look.',
    reasoning: 'Hm.',
    toolCalls: [
      { id: 'c1', name: 'look', arguments: { at: 1 } },
      { id: 'c2', name: 'look', arguments: {}, malformed: '{"at":' },
    ],
  },
  { role: 'tool', content: 'one', toolCallId: 'c1' },
  { role: 'tool', content: 'no', toolCallId: 'c2' },
  { role: 'assistant', content: 'Done.' },
];
const results: OpenAI.Responses.ResponseInputItem[] = [
  { type: 'function_call_output', call_id: 'c1', output: 'one' },
  { type: 'function_call_output', call_id: 'c2', output: 'no' },
];

it('answers whole responses, and several items are one turn', async () => {
  backend.handle = (seen, response, nth) =>
    nth > 1
      ? reply(seen, response, { content: 'Done.' })
      : json(response, {
          choices: [
            {
              message: { content: 'I look.', reasoning_content: 'Hm.', tool_calls: calls },
              finish_reason: 'tool_calls',
            },
          ],
          usage: { prompt_tokens: 7, completion_tokens: 3 },
        });
  const first = await client.responses.create({ ...request, input: opening });
  expect(first.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call', 'function_call']);
  expect(first).toMatchObject({ status: 'completed', output_text: 'I look.', usage: { total_tokens: 10 } });
  expect(backend.seen[0]?.body).toMatchObject({ max_tokens: 50, tools: [{ function: { name: 'look' } }] });
  const second = await client.responses.create({
    ...request,
    input: [...opening, ...(first.output as OpenAI.Responses.ResponseInputItem[]), ...results],
  });
  expect(second.output_text).toBe('Done.');
  const { messages, facts } = rollout.close();
  expect(messages).toEqual(whole);
  expect(facts).toMatchObject({ dialect: 'openai', exchanges: 2, rewritten: false });
});

it('streams them as events that the client package puts together', async () => {
  backend.handle = (_, response) =>
    stream(response, [
      delta({ reasoning_content: 'Hm.' }),
      delta({ content: 'I ' }),
      delta({ content: 'look.' }),
      ...calls.map((call, index) => delta({ tool_calls: [{ index, ...call }] })),
      delta({}, 'tool_calls'),
      usageEvent,
      '[DONE]',
    ]);
  const types: string[] = [];
  const events = client.responses.stream({ ...request, input: 'Look twice.', tools: tools.slice(0, 1) });
  events.on('event', ({ type }) => types.push(type));
  const final = await events.finalResponse();
  expect(final.output_text).toBe('I look.');
  expect(final.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call', 'function_call']);
  expect(types.filter((type) => type === 'response.output_text.delta')).toHaveLength(2);
  expect([types[0], types.at(-1)]).toEqual(['response.created', 'response.completed']);
  expect(rollout.close().messages).toEqual(whole.slice(0, 3));
});

it('tells of answers that were cut, streams that break off, and budgets', async () => {
  backend.handle = (_, response) => stream(response, [delta({ content: 'Hel' }), delta({}, 'length'), '[DONE]']);
  const cut = await client.responses.stream({ model: 'm', input: 'Hi' }).finalResponse();
  expect(cut).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
  backend.handle = (_, response) => stream(response, [delta({ content: 'Hel' }), 'cut']);
  let last: OpenAI.Responses.ResponseStreamEvent | undefined;
  for await (const event of await client.responses.create({ model: 'm', input: 'Hi', stream: true })) last = event;
  expect(last).toMatchObject({ type: 'response.failed', response: { error: { message: expect.any(String) } } });
  backend.handle = (seen, response) => reply(seen, response, { content: '' });
  expect((await client.responses.create({ model: 'm', input: 'Hi' })).output_text).toBe('');
  await expect(client.responses.create({ model: 'm', input: 'Hi' })).rejects.toMatchObject({
    status: 402,
    code: 'turn_budget',
  });
});

it.each([
  [{ input: [] }, 'input is empty'],
  [{ input: [3] }, 'input[0] is no object'],
  [{ input: [{ role: 'robot', content: 'x' }] }, 'no role that is known'],
  [{ input: 'Hi', previous_response_id: 'resp_1' }, 'not stored'],
])('refuses %j', async (body, why) => {
  await expect(client.responses.create({ model: 'm', ...body } as never)).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining(why),
  });
  expect(backend.seen).toHaveLength(0);
});
