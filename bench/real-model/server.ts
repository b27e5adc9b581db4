/**
 * llama.cpp server's endpoints on a local model, in its shapes (tools/server/README.md of llama.cpp): `/health`, `/props`,
 * `/v1/models`, `/tokenize`, `/detokenize`, `/apply-template`, `/completion` (ids in, ids and log probabilities out, streaming
 * too) and `/v1/chat/completions`. One generation at a time. For `npm run bench -- real-model`: it listens on 127.0.0.1 only.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { completionOf, endOf, type Made, pieceOf } from './completion.js';
import type { LocalModel } from './engine.js';
import { promptOf, readReply, TEMPLATE, type WireMessage } from './template.js';

type Body = Record<string, unknown>;

export interface LlamaServer {
  /** Ends in /v1. */
  url: string;
  /** A GBNF grammar for requests that bring none (llama-server's --grammar). */
  grammar: string | undefined;
  close(): Promise<void>;
}

const MOST_BYTES = 16 * 1024 * 1024;

class BadRequest extends Error {}

const read = async (request: IncomingMessage): Promise<Body> => {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MOST_BYTES) throw new BadRequest('The body is too large');
    parts.push(part);
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(parts).toString('utf8') || '{}');
    if (body !== null && typeof body === 'object' && !Array.isArray(body)) return body as Body;
  } catch {}
  throw new BadRequest('The body is no JSON object');
};

const send = (response: ServerResponse, status: number, body: unknown): void => {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

const errorBody = (code: number, message: string, more: Body = {}): Body => ({
  error: { code, message, type: code < 500 ? 'invalid_request_error' : 'server_error', ...more },
});

const messagesOf = (body: Body): WireMessage[] => {
  if (!Array.isArray(body.messages) || body.messages.length === 0) throw new BadRequest("'messages' must be a list");
  return body.messages as WireMessage[];
};
const toolsOf = ({ tools }: Body): unknown[] => (Array.isArray(tools) ? tools : []);

const chatBody = ({ text, drawn, isCut, prompt }: Made, body: Body): Body => {
  const { content, calls } = readReply(text);
  const isCalling = calls.length > 0;
  return {
    id: 'chatcmpl-local',
    object: 'chat.completion',
    model: body.model ?? 'local',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: content === '' && isCalling ? null : content,
          ...(isCalling
            ? { tool_calls: calls.map((call, n) => ({ id: `call_${n}`, type: 'function', function: call })) }
            : {}),
        },
        finish_reason: isCut ? 'length' : isCalling ? 'tool_calls' : 'stop',
      },
    ],
    usage: {
      prompt_tokens: prompt.length,
      completion_tokens: drawn.length,
      total_tokens: prompt.length + drawn.length,
    },
  };
};

/** The same reply as one chunk: enough for a client that asks for a stream. */
const chatChunks = (whole: Body): Body[] => {
  const choice = (whole.choices as { message: { tool_calls?: object[] }; finish_reason: string }[])[0];
  const { tool_calls: calls, ...message } = choice?.message ?? {};
  const delta = { ...message, ...(calls ? { tool_calls: calls.map((call, index) => ({ index, ...call })) } : {}) };
  const chunk = (more: object, finish: string | null): Body => ({
    ...whole,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: more, finish_reason: finish }],
    usage: null,
  });
  return [chunk(delta, null), { ...chunk({}, choice?.finish_reason ?? 'stop'), usage: whole.usage }];
};

const stream = (response: ServerResponse, events: readonly Body[]): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
  response.end('data: [DONE]\n\n');
};

/** Listens on a free port of 127.0.0.1. */
export const startLlamaServer = async (model: LocalModel): Promise<LlamaServer> => {
  const own: { grammar: string | undefined } = { grammar: undefined };
  const withOwn = (body: Body): Body => (own.grammar === undefined ? body : { grammar: own.grammar, ...body });
  const idsOf = ({ prompt }: Body): number[] => {
    if (typeof prompt === 'string') return model.tokenize(prompt, true);
    if (Array.isArray(prompt) && prompt.length > 0 && prompt.every((id) => Number.isInteger(id) && id >= 0))
      return prompt as number[];
    throw new BadRequest("'prompt' must be a text or a list of token ids");
  };
  const routes: Record<string, (body: Body, response: ServerResponse, signal: AbortSignal) => Promise<void> | void> = {
    'GET /health': (_, response) => send(response, 200, { status: 'ok' }),
    'GET /props': (_, response) =>
      send(response, 200, {
        default_generation_settings: { n_ctx: model.contextSize },
        total_slots: 1,
        chat_template: TEMPLATE,
      }),
    'GET /v1/models': (_, response) =>
      send(response, 200, { object: 'list', data: [{ id: 'local', object: 'model' }] }),
    'POST /tokenize': ({ content, parse_special: special }, response) =>
      send(response, 200, { tokens: model.tokenize(String(content ?? ''), special !== false) }),
    'POST /detokenize': ({ tokens }, response) =>
      send(response, 200, { content: model.detokenize(Array.isArray(tokens) ? (tokens as number[]) : [], true) }),
    'POST /apply-template': (body, response) =>
      send(response, 200, {
        prompt: promptOf(messagesOf(body), toolsOf(body), body.add_generation_prompt !== false),
      }),
    'POST /completion': async (body, response, signal) => {
      const made = await completionOf(model, idsOf(body), withOwn(body), signal);
      const last = endOf(model, made, body);
      if (body.stream === true) {
        // As llama.cpp's server does: a piece for each token, then the end with everything else.
        stream(response, [...made.drawn.map((one) => pieceOf(model, one)), { ...last, content: '', tokens: [] }]);
      } else send(response, 200, last);
    },
    'POST /v1/chat/completions': async (body, response, signal) => {
      const prompt = model.tokenize(promptOf(messagesOf(body), toolsOf(body)), true);
      const whole = chatBody(await completionOf(model, prompt, withOwn(body), signal), body);
      if (body.stream === true) stream(response, chatChunks(whole));
      else send(response, 200, whole);
    },
  };
  const server = createServer(async (request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      const route = routes[`${request.method} ${new URL(request.url ?? '/', 'http://local').pathname}`];
      if (!route) return send(response, 404, errorBody(404, 'There is no such endpoint'));
      await route(request.method === 'POST' ? await read(request) : {}, response, gone.signal);
    } catch (thrown) {
      if (thrown instanceof RangeError) {
        send(response, 400, errorBody(400, thrown.message, { type: 'exceed_context_size_error' }));
      } else if (thrown instanceof BadRequest) send(response, 400, errorBody(400, thrown.message));
      else send(response, 500, errorBody(500, thrown instanceof Error ? thrown.message : String(thrown)));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    get grammar() {
      return own.grammar;
    },
    set grammar(text) {
      own.grammar = text;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
