/** A backend that fails in every way that one can (issue 6, "Bad input"). */
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  completion,
  delta,
  type FakeServer,
  fakeServer,
  type Handle,
  json,
  reply,
  stream,
  toolCall,
} from '../../models/fake-server.fixture.js';
import { startGateway } from './gateway.js';
import type { Gateway, GatewayRollout } from './types.js';

let backend: FakeServer;
let gateway: Gateway;
let rollout: GatewayRollout;
const well: Handle = (seen, response) => reply(seen, response, { content: 'Hello.' });
beforeEach(async () => {
  backend = await fakeServer(well);
  gateway = await startGateway({ retries: 2, backoffMs: 1 });
  rollout = gateway.open({
    backend: { kind: 'openai', baseUrl: `${backend.url}/v1`, model: 'm1', apiKey: 'sk-secret' },
  });
});
afterEach(async () => {
  await gateway.close();
  await backend.close();
});

const ask = (isStream: boolean) => {
  const client = new OpenAI({ baseURL: rollout.openaiBaseUrl, apiKey: rollout.token, maxRetries: 2 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hi' }];
  return isStream
    ? client.chat.completions.stream({ model: 'm', messages }).finalChatCompletion()
    : client.chat.completions.create({ model: 'm', messages });
};
const failing = (work: Promise<unknown>) =>
  work.then(
    () => {
      throw new Error('it was answered');
    },
    (error: InstanceType<typeof OpenAI.APIError>) => error,
  );
const cutJson: Handle = (_, response) => {
  const text = JSON.stringify(completion({ content: 'Hello.' }));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
  response.write(text.slice(0, 40));
  setImmediate(() => response.destroy());
};

/** Failures that may be over the next time. */
const PASSING: Record<string, Handle> = {
  'drops the connection': (_, response) => response.destroy(),
  'answers 429': (_, response) => json(response, { error: { message: 'slow down' } }, 429, { 'retry-after-ms': '1' }),
  'answers 500': (_, response) => json(response, 'Internal Server Error', 500),
  'answers 503 and HTML': (_, response) => json(response, '<html>busy</html>', 503),
  'cuts its JSON': cutJson,
  'answers broken JSON': (_, response) => json(response, '{"choices": [{"message"'),
  'answers nothing': (_, response) => json(response, ''),
  'answers something else': (_, response) => json(response, { detail: 'no choices' }),
};
const PASSING_STREAMS: Record<string, Handle> = {
  ...PASSING,
  'streams nothing': (_, response) => stream(response, []),
  'ends its stream at once': (_, response) => stream(response, ['[DONE]']),
  'streams an error': (_, response) => stream(response, [{ error: { message: 'out of memory' } }]),
  'streams no JSON': (_, response) => stream(response, ['{"choices": [']),
  'streams null': (_, response) => stream(response, ['null']),
};

describe.each([
  [false, Object.entries(PASSING)],
  [true, Object.entries(PASSING_STREAMS)],
])('streaming %s', (isStream, ways) => {
  it.each(ways)('a backend that %s is asked again', async (_, fail) => {
    backend.handle = (seen, response, nth) => (nth <= 2 ? fail : well)(seen, response, nth);
    expect((await ask(isStream)).choices[0]?.message.content).toBe('Hello.');
    const { facts, problem, messages } = rollout.close();
    expect(facts).toMatchObject({ exchanges: 1, retried: 2 });
    expect(problem).toBeUndefined();
    expect(messages).toHaveLength(2);
  });

  it.each(ways)('a backend that always %s ends the rollout, and is to blame', async (_, fail) => {
    backend.handle = fail;
    const error = await failing(ask(isStream));
    expect([429, 502, 504]).toContain(error.status);
    expect(error.error).toMatchObject({ message: expect.any(String), code: expect.stringMatching(/^(endpoint|bad)_/) });
    // The gateway's own attempts were enough: the client made none of its own.
    expect(backend.seen).toHaveLength(3);
    expect(await rollout.spent).toMatchObject({ fault: 'infrastructure' });
    const again = await failing(ask(isStream));
    expect(again.status).toBe(error.status);
    expect(backend.seen).toHaveLength(3);
    const { problem, facts, messages } = rollout.close();
    expect(problem).toMatchObject({ fault: 'infrastructure' });
    expect(facts).toMatchObject({ exchanges: 0, retried: 2 });
    expect(messages).toEqual([]);
  });
});

it.each([false, true])('a backend that stays silent is given up, streaming %s', async (isStream) => {
  const impatient = await startGateway({ retries: 1, backoffMs: 1, silenceMs: 100 });
  try {
    rollout = impatient.open({ backend: { kind: 'openai', baseUrl: backend.url, model: 'm1' } });
    backend.handle = () => {};
    expect(await failing(ask(isStream))).toMatchObject({ status: 504, code: 'endpoint_timeout' });
    expect(backend.seen).toHaveLength(2);
    expect(rollout.close().problem).toMatchObject({ code: 'endpoint_timeout', fault: 'infrastructure' });
  } finally {
    await impatient.close();
  }
});

describe('a stream that breaks off in the middle', () => {
  const half: Handle = (_, response) => stream(response, [delta({ content: 'Hel' }), delta({ content: 'lo' }), 'cut']);

  it('is told to the client, and is forgotten when it is asked again', async () => {
    backend.handle = (seen, response, nth) => (nth === 1 ? half : well)(seen, response, nth);
    await failing(ask(true));
    expect((await ask(true)).choices[0]?.message.content).toBe('Hello.');
    const { messages, problem, usage } = rollout.close();
    expect(messages.map(({ content }) => content)).toEqual(['Hi', 'Hello.']);
    expect(problem).toBeUndefined();
    expect(usage.turns).toBe(1);
  });

  it('is the backend’s failure where nothing comes after it', async () => {
    backend.handle = half;
    await failing(ask(true));
    expect(rollout.close().problem).toMatchObject({ fault: 'infrastructure' });
  });

  it('ends the rollout when it happens again and again', async () => {
    backend.handle = half;
    for (let n = 0; n < 3; n++) await failing(ask(true));
    expect(await rollout.spent).toMatchObject({ fault: 'infrastructure' });
  });
});

describe('what is no failure', () => {
  it.each([
    [400, 'maximum context length is 8 tokens', 'context_length_exceeded'],
    [400, 'unknown parameter', 'endpoint_rejected'],
    [422, 'bad schema', 'endpoint_rejected'],
  ])('a refusal of the request itself (%i, %s) is the client’s', async (status, message, code) => {
    backend.handle = (_, response) => json(response, { error: { message } }, status);
    const error = await failing(ask(false));
    expect([error.status, error.code]).toEqual([status, code]);
    expect(error.message).toContain(message);
    backend.handle = well;
    await ask(false);
    expect(rollout.close().problem).toBeUndefined();
  });

  it('a refused key or an unknown model is the backend’s, and no key is shown', async () => {
    backend.handle = (_, response) => json(response, { error: { message: 'no such key: sk-secret' } }, 401);
    const error = await failing(ask(false));
    expect(error.status).toBe(502);
    expect(error.message).not.toContain('sk-secret');
    expect(JSON.stringify(rollout.close())).not.toContain('sk-secret');
  });

  it('an empty reply, and one of ten thousand tokens of repetition', async () => {
    backend.handle = (seen, response) => reply(seen, response, { content: '' });
    expect((await ask(true)).choices[0]?.message.content).toBeFalsy();
    const long = 'again '.repeat(10_000);
    backend.handle = (_, response) =>
      stream(response, [
        ...Array.from({ length: 10_000 }, () => delta({ content: 'again ' })),
        delta({}, 'length'),
        { choices: [], usage: { prompt_tokens: 5, completion_tokens: 10_000 } },
        '[DONE]',
      ]);
    const client = new OpenAI({ baseURL: rollout.openaiBaseUrl, apiKey: rollout.token });
    let read = '';
    const events = await client.chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
    });
    for await (const { choices } of events) read += choices[0]?.delta.content ?? '';
    expect(read).toBe(long);
    const { messages, usage } = rollout.close();
    expect(messages.at(-1)?.content).toBe(long);
    expect(usage).toEqual({ turns: 2, promptTokens: 12, completionTokens: 10_003 });
  });

  it('calls of tools that do not exist, and calls that are written badly', async () => {
    const calls = [
      toolCall('a', 'no_such_tool', '{}'),
      toolCall('b', 'look', '[1]'),
      toolCall('c', 'look', '{"a": tru'),
    ];
    backend.handle = (seen, response) => reply(seen, response, { tool_calls: calls });
    expect((await ask(true)).choices[0]?.message.tool_calls).toMatchObject(calls);
    expect(rollout.close().messages[1]?.toolCalls).toEqual([
      { id: 'a', name: 'no_such_tool', arguments: {} },
      { id: 'b', name: 'look', arguments: {}, malformed: '[1]' },
      { id: 'c', name: 'look', arguments: {}, malformed: '{"a": tru' },
    ]);
  });

  it('a backend that leaves the indices of calls out', async () => {
    backend.handle = (_, response) =>
      stream(response, [
        delta({ tool_calls: [{ id: 'a', function: { name: 'one', arguments: '{' } }] }),
        delta({ tool_calls: [{ function: { arguments: '}' } }] }),
        delta({ tool_calls: [{ id: 'b', function: { name: 'two', arguments: '{}' } }] }),
        delta({}, 'tool_calls'),
      ]);
    const client = new OpenAI({ baseURL: rollout.openaiBaseUrl, apiKey: rollout.token });
    for await (const _ of await client.chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
    })) {
      // Read to its end.
    }
    expect(rollout.close().messages[1]?.toolCalls).toEqual([
      { id: 'a', name: 'one', arguments: {} },
      { id: 'b', name: 'two', arguments: {} },
    ]);
  });
});
