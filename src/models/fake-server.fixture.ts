/** A small HTTP server that stands for a model backend, and what it saw. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Seen {
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}
export type Handle = (seen: Seen, response: ServerResponse, nth: number) => void;

export interface FakeServer {
  url: string;
  seen: Seen[];
  /** Replaced in the middle of a test. */
  handle: Handle;
  close(): Promise<void>;
}

export const fakeServer = async (handle: Handle): Promise<FakeServer> => {
  const fake: FakeServer = { url: '', seen: [], handle, close: async () => {} };
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const seen = { path: request.url ?? '', headers: request.headers, body: text ? JSON.parse(text) : {} };
      fake.seen.push(seen);
      fake.handle(seen, response, fake.seen.length);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  fake.close = async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  return fake;
};

export const json = (response: ServerResponse, body: unknown, status = 200, headers: object = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};

export const completion = (message: object, finish = 'stop', more: object = {}): object => ({
  id: 'c1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: finish }],
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
  ...more,
});

export const toolCall = (id: string, name: string, args: string) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

/** The events of a stream; a number ends it there, in the middle, with the connection. */
export const stream = (response: ServerResponse, events: (object | string | 'cut')[]): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    if (event === 'cut') {
      // What was written goes out first.
      setImmediate(() => response.destroy());
      return;
    }
    response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  }
  response.end();
};

export const delta = (part: object, finish: string | null = null): object => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: part, finish_reason: finish }],
});

export const usageEvent = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } };

/** Streams or answers `message` as the request wants it. */
export const reply = (
  seen: Seen,
  response: ServerResponse,
  message: { content?: string; tool_calls?: object[] },
): void => {
  const finish = message.tool_calls ? 'tool_calls' : 'stop';
  if (seen.body.stream !== true) {
    json(response, completion(message, finish));
    return;
  }
  stream(response, [
    delta({ role: 'assistant', content: '' }),
    ...(message.content === undefined ? [] : [...message.content].map((content) => delta({ content }))),
    ...(message.tool_calls ?? []).map((call, index) => delta({ tool_calls: [{ index, ...call }] })),
    delta({}, finish),
    usageEvent,
    '[DONE]',
  ]);
};
