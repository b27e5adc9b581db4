import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TreadleError } from '../errors.js';
import { type EndpointOptions, endpoint } from './client.js';
import type { ChatRequest } from './types.js';

interface Seen {
  url: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}
type Answer = (response: ServerResponse, nth: number) => void;

let server: Server;
let base: string;
let seen: Seen[];
let answer: Answer;

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
const completion = (message: object, more: object = {}, choice: object = {}) => ({
  id: 'c1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: 'stop', ...choice }],
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
  ...more,
});

beforeEach(async () => {
  seen = [];
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      seen.push({ url: request.url ?? '', headers: request.headers, body: JSON.parse(text) });
      answer(response, seen.length);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

const client = (more: Partial<EndpointOptions> = {}) =>
  endpoint({ baseUrl: base, model: 'm1', maxRetries: 0, backoffMs: 1, ...more });
const request: ChatRequest = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: '', reasoning: 'Look.', calls: [{ id: 'c9', name: 'look', arguments: '{"a": ' }] },
    { role: 'tool', content: '{"error":1}', toolCallId: 'c9' },
  ],
  tools: [{ name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }],
};
const failing = async (work: Promise<unknown>): Promise<TreadleError> => {
  const error = await work.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toMatchObject({ name: 'TreadleError', fault: 'infrastructure' });
  return error as TreadleError;
};

describe('a healthy endpoint', () => {
  it('is asked in its own form and answers with text, reasoning, calls, usage and tokens', async () => {
    const message = {
      content: 'Hm.',
      reasoning_content: 'Think.',
      tool_calls: [{ id: 'x', type: 'function', function: { name: 'look', arguments: '{"q":1}' } }],
    };
    answer = json(
      200,
      completion(
        message,
        { prompt_token_ids: [1, 2, 3] },
        {
          finish_reason: 'tool_calls',
          token_ids: [4, 5],
          logprobs: {
            content: [
              { token: 'a', logprob: -0.5 },
              { token: 'b', logprob: -1 },
            ],
          },
        },
      ),
    );
    const reply = await client({ sampling: { temperature: 0.5, return_token_ids: true } }).chat({
      ...request,
      sampling: { seed: 3 },
    });
    expect(reply).toEqual({
      content: 'Hm.',
      reasoning: 'Think.',
      calls: [{ id: 'x', name: 'look', arguments: '{"q":1}' }],
      finish: 'tool_calls',
      usage: { promptTokens: 7, completionTokens: 3 },
      tokens: { prompt: [1, 2, 3], output: [4, 5], logprobs: [-0.5, -1] },
    });
    expect(seen[0]?.url).toBe('/v1/chat/completions');
    expect(seen[0]?.body).toMatchObject({
      model: 'm1',
      temperature: 0.5,
      seed: 3,
      return_token_ids: true,
      tools: [{ type: 'function', function: { name: 'look' } }],
    });
    expect((seen[0] as Seen & { body: { messages: object[] } }).body.messages[2]).toEqual({
      role: 'assistant',
      content: '',
      reasoning_content: 'Look.',
      tool_calls: [{ id: 'c9', type: 'function', function: { name: 'look', arguments: '{"a": ' } }],
    });
  });

  it('keeps badly written tool arguments as the model wrote them', async () => {
    answer = json(
      200,
      completion({
        tool_calls: [
          { function: { name: 'look', arguments: '{"a": tru' } },
          { id: '', function: { name: 'look', arguments: { b: 1 } } },
          { function: { name: 'look' } },
        ],
      }),
    );
    expect((await client().chat(request)).calls).toEqual([
      { id: 'call_0', name: 'look', arguments: '{"a": tru' },
      { id: 'call_1', name: 'look', arguments: '{"b":1}' },
      { id: 'call_2', name: 'look', arguments: '' },
    ]);
  });

  it('never takes a key from the environment', async () => {
    answer = json(200, completion({ content: 'ok' }));
    process.env.OPENAI_API_KEY = 'sk-from-the-environment';
    try {
      await client().chat(request);
      await client({ apiKey: 'mine' }).chat(request);
    } finally {
      delete process.env.OPENAI_API_KEY;
    }
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer mine']);
  });

  it('leaves tools out when there are none, and log probabilities that do not fit the tokens', async () => {
    answer = json(
      200,
      completion(
        {
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
        { prompt_token_ids: [1] },
        { token_ids: [2, 3], logprobs: { content: [{ logprob: -1 }] }, finish_reason: 'length' },
      ),
    );
    const reply = await client().chat({ messages: request.messages, tools: [] });
    expect(reply).toMatchObject({ content: 'ab', finish: 'length', tokens: { prompt: [1], output: [2, 3] } });
    expect(reply.tokens).not.toHaveProperty('logprobs');
    expect(seen[0]?.body).not.toHaveProperty('tools');
  });
});

describe('an endpoint in trouble', () => {
  const flaky =
    (first: Answer): Answer =>
    (response, nth) =>
      nth === 1 ? first(response, nth) : json(200, completion({ content: 'ok' }))(response, nth);
  const hangUp: Answer = (response) => response.destroy();

  it.each<[string, Answer]>([
    ['500', json(500, { error: { message: 'boom' } })],
    ['503 in HTML', (response) => response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>down</h1>')],
    ['429 with Retry-After', json(429, { error: { message: 'slow down' } }, { 'retry-after': '0' })],
    ['a dropped connection', hangUp],
    ['cut-off JSON', json(200, '{"choices": [{"mess')],
  ])('%s: is asked again', async (_, first) => {
    answer = flaky(first);
    expect((await client({ maxRetries: 2 }).chat(request)).content).toBe('ok');
    expect(seen).toHaveLength(2);
  });

  it.each<[string, Answer, string, boolean, RegExp]>([
    ['500', json(500, { error: { message: 'boom' } }), 'endpoint_down', true, /answered 500: .*boom/],
    ['429', json(429, { error: { message: 'quota' } }), 'endpoint_busy', true, /quota/],
    [
      '401',
      json(401, { error: { message: 'Incorrect API key: sekret-key' } }),
      'endpoint_rejected',
      false,
      /401.*Incorrect API key: \*\*\*/,
    ],
    ['403', json(403, { error: { message: 'no access' } }), 'endpoint_rejected', false, /no access/],
    ['404', json(404, { message: 'model m1 not found' }), 'endpoint_rejected', false, /404/],
    ['404 in plain text', (response) => response.writeHead(404).end('nope'), 'endpoint_rejected', false, /nope/],
    [
      '400 for a long prompt',
      json(400, { error: { message: "This model's maximum context length is 4096 tokens." } }),
      'context_exceeded',
      false,
      /maximum context length/,
    ],
    ['422', json(422, { detail: [{ loc: ['temperature'] }] }), 'endpoint_rejected', false, /422/],
    [
      'HTML',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>hello</html>'),
      'bad_response',
      true,
      /no chat completion/,
    ],
    ['no choices', json(200, { choices: [] }), 'bad_response', true, /choices/],
    ['null', json(200, 'null'), 'bad_response', true, /no chat completion/],
    ['an empty body', json(200, ''), 'bad_response', true, /./],
    ['204', (response) => response.writeHead(204).end(), 'bad_response', true, /./],
    ['choices of nonsense', json(200, { choices: [{ message: 7 }] }), 'bad_response', true, /choices\.0\.message/],
    ['an error with status 200', json(200, { error: { message: 'overloaded' } }), 'bad_response', true, /choices/],
    ['cut-off JSON', json(200, '{"choices": [{"mess'), 'bad_response', true, /JSON/],
    [
      'a stream of garbage',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (let n = 0; n < 50; n++) response.write('\u0000\ufffd data: {{{ garbage\n\n');
        response.end();
      },
      'bad_response',
      true,
      /no chat completion/,
    ],
    ['a dropped connection', hangUp, 'endpoint_down', true, /cannot be reached/],
  ])('%s: is a typed failure', async (_, broken, code, isRetryable, message) => {
    answer = broken;
    const error = await failing(client({ apiKey: 'sekret-key' }).chat(request));
    expect(error).toMatchObject({ code, isRetryable, message: expect.stringMatching(message) });
    expect(error.value).toBeDefined();
    expect(error.next).toBeTruthy();
    expect(error.line()).not.toContain('sekret-key');
  });

  it('gives up after the retries it was allowed', async () => {
    answer = json(500, { error: { message: 'boom' } });
    expect(await failing(client({ maxRetries: 2 }).chat(request))).toMatchObject({ code: 'endpoint_down' });
    expect(seen).toHaveLength(3);
  });

  it('one that never answered is not waited for a second time, one that did is', async () => {
    answer = json(500, {});
    const dead = client({ maxRetries: 2 });
    await failing(dead.chat(request));
    await failing(dead.chat(request));
    expect(seen).toHaveLength(4);
    answer = json(200, completion({ content: 'back' }));
    expect((await dead.chat(request)).content).toBe('back');
    answer = json(500, {});
    await failing(dead.chat(request));
    expect(seen).toHaveLength(8);
  });

  it('a refusal is not tried again', async () => {
    answer = json(401, {});
    await failing(client({ maxRetries: 3 }).chat(request));
    expect(seen).toHaveLength(1);
  });

  it('one that never answers, or never ends its answer, runs into the timeout', async () => {
    answer = () => undefined;
    expect(await failing(client({ timeoutMs: 60 }).chat(request))).toMatchObject({
      code: 'endpoint_timeout',
      isRetryable: true,
    });
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"choices": [');
    };
    expect(await failing(client({ timeoutMs: 60 }).chat(request))).toMatchObject({ code: 'endpoint_timeout' });
  });

  it('nothing listens', async () => {
    await new Promise((done) => server.close(done));
    const error = await failing(client().chat(request));
    expect(error).toMatchObject({
      code: 'endpoint_down',
      message: expect.stringContaining('ECONNREFUSED'),
      value: `m1 at ${base}`,
    });
  });

  it('can be called off', async () => {
    answer = () => undefined;
    const stop = new AbortController();
    const work = failing(client({ maxRetries: 5 }).chat(request, stop.signal));
    stop.abort();
    expect(await work).toMatchObject({ code: 'cut' });
  });
});

it('a URL that is none is refused, without its password', () => {
  for (const baseUrl of ['', 'nonsense', 'ftp://x/v1', 'localhost:8000']) {
    expect(() => endpoint({ baseUrl, model: 'm' })).toThrowError(expect.objectContaining({ code: 'bad_endpoint' }));
  }
  try {
    endpoint({ baseUrl: 'ftp://me:sekret@x/v1', model: 'm' });
  } catch (error) {
    expect((error as TreadleError).line()).not.toContain('sekret');
  }
});
