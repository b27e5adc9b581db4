/** The recording gateway on the network (rollout.md, "The recording gateway"). */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asTreadleError, TreadleError } from '../../errors.js';
import { readBody } from '../../serve/http/body.js';
import { bearerOf, digestOf } from '../../serve/http/tokens.js';
import { type Asked, badRequest, type Dialect, NO_RETRY, sendJson, type Writer } from './asked.js';
import { errorBody, statusOf } from './failures.js';
import { modelList } from './model-list.js';
import { type OpenRollout, openRollout } from './open-rollout.js';
import { readAnthropic } from './read-anthropic.js';
import { readOpenai } from './read-openai.js';
import { readResponses } from './read-responses.js';
import { drain } from './relay.js';
import type { Gateway, GatewayRollout } from './types.js';
import { anthropicWriter } from './write-anthropic.js';
import { openaiWriter } from './write-openai.js';
import { responsesWriter } from './write-responses.js';

export interface GatewayOptions {
  host?: string;
  /** 0, the default: any free one. */
  port?: number;
  /** Further attempts at a backend that fails, for one request. */
  retries?: number;
  /** The first pause between them; it doubles. */
  backoffMs?: number;
  /** Milliseconds without a byte from the backend until an attempt is given up. */
  silenceMs?: number;
  /** Bytes of one request. */
  bodyBytes?: number;
}

const notFound = (path: string): TreadleError =>
  new TreadleError({
    code: 'not_found',
    message: 'There is nothing at this path',
    value: path,
    next: 'Use /v1/chat/completions, /v1/responses, /v1/messages, /v1/messages/count_tokens or /v1/models.',
    fault: 'agent',
  });

const badToken = (): TreadleError =>
  new TreadleError({
    code: 'bad_token',
    message: 'This token opens no rollout, or one that is closed',
    next: 'Send the token of an open rollout as Authorization: Bearer or as x-api-key.',
    fault: 'agent',
  });

const tooLarge = (limit: number): TreadleError =>
  new TreadleError({
    code: 'too_large',
    message: `A request may have ${limit} bytes`,
    value: limit,
    next: 'Shorten the history.',
    fault: 'agent',
  });

const one = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header);

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest('The body is no JSON', (error as Error).message, 'Send a JSON object.');
  }
};

interface Door {
  dialect: Dialect;
  read(body: unknown): Asked;
  writer(asked: Asked, response: ServerResponse, nth: number, model: string): Writer;
}

const openaiDoor: Door = {
  dialect: 'openai',
  read: readOpenai,
  writer: (asked, response, nth, model) => openaiWriter(asked, response, `chatcmpl-${nth}`, model),
};
const anthropicDoor: Door = {
  dialect: 'anthropic',
  read: readAnthropic,
  writer: (asked, response, nth, model) => anthropicWriter(asked, response, `msg_${nth}`, model),
};

const responsesDoor: Door = {
  dialect: 'openai',
  read: readResponses,
  writer: (asked, response, nth, model) => responsesWriter(asked, response, `${nth}`, model),
};

/** What is asked for below each path. */
const DOORS: Record<string, Door> = {
  '/v1/chat/completions': openaiDoor,
  '/v1/responses': responsesDoor,
  '/v1/messages': anthropicDoor,
};

/** Listens on 127.0.0.1 unless told otherwise. Throws `cannot_listen`. */
export const startGateway = async (options: GatewayOptions = {}): Promise<Gateway> => {
  const { host = '127.0.0.1', port = 0, bodyBytes = 64 * 1024 * 1024, silenceMs = 600_000 } = options;
  const retries = { most: options.retries ?? 4, backoffMs: options.backoffMs ?? 500 };
  const rollouts = new Map<string, OpenRollout>();
  let asks = 0;

  const say = (response: ServerResponse, error: TreadleError, dialect: Dialect): void =>
    sendJson(response, statusOf(error), JSON.stringify(errorBody(error, dialect)), NO_RETRY);

  const rolloutOf = ({ headers }: IncomingMessage): OpenRollout | undefined => {
    const token = one(headers['x-api-key']) ?? bearerOf(headers.authorization);
    return token === undefined ? undefined : rollouts.get(digestOf(token));
  };

  const take = (rollout: OpenRollout, door: Door, text: string, response: ServerResponse): void => {
    let asked: Asked;
    try {
      asked = door.read(parsed(text));
    } catch (thrown) {
      say(response, thrown as TreadleError, door.dialect);
      return;
    }
    const calling = new AbortController();
    response.on('close', () => {
      if (!response.writableFinished) calling.abort();
    });
    const writer = door.writer(asked, response, ++asks, rollout.backend.model);
    void rollout.answer({ asked, writer, calling, drained: (signal) => drain(response, signal) });
  };

  /** How long a prompt is, which Claude Code asks for before it shortens its history. */
  const count = async (rollout: OpenRollout, text: string, response: ServerResponse): Promise<void> => {
    try {
      const tokens = await rollout.count(readAnthropic(parsed(text)));
      sendJson(response, 200, JSON.stringify({ input_tokens: tokens }));
    } catch (thrown) {
      say(response, asTreadleError(thrown, 'infrastructure'), 'anthropic');
    }
  };

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const [path = ''] = (request.url ?? '').split('?');
    response.on('error', () => {});
    const isCount = path === '/v1/messages/count_tokens';
    const door = isCount ? anthropicDoor : DOORS[path];
    const dialect = door?.dialect ?? (request.headers['anthropic-version'] ? 'anthropic' : 'openai');
    const rollout = rolloutOf(request);
    if (!rollout) {
      request.resume();
      say(response, badToken(), dialect);
    } else if (request.method === 'GET' && path.startsWith('/v1/models')) {
      const list = modelList(path, rollout.backend.model, dialect);
      if (list) sendJson(response, 200, JSON.stringify(list));
      else say(response, notFound(path), dialect);
    } else if (request.method !== 'POST' || !door) {
      request.resume();
      say(response, notFound(path), dialect);
    } else
      readBody(request, bodyBytes, (body) => {
        if ('text' in body && isCount) void count(rollout, body.text, response);
        else if ('text' in body) take(rollout, door, body.text, response);
        else if (body.fault === 'not_utf8')
          say(response, badRequest('The body is no UTF-8', body.fault, 'Send UTF-8.'), dialect);
        else {
          // What is left of it is not waited for.
          response.once('finish', () => request.destroy());
          say(response, tooLarge(bodyBytes), dialect);
        }
      });
  };

  const server = createServer({ keepAliveTimeout: 600_000, headersTimeout: 60_000, requestTimeout: 300_000 }, serve);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new TreadleError({
          code: 'cannot_listen',
          message: `The gateway cannot listen on ${host}:${port} (${cause.code})`,
          value: port,
          next: 'Choose another port, or 0 for any free one.',
          cause,
        }),
      ),
    );
    server.listen({ port, host, backlog: 4_096 }, resolve);
  });
  // A connection that cannot be accepted is that client's loss, not the end of the process.
  server.on('error', () => {});
  const { address, family, port: bound } = server.address() as AddressInfo;
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`;
  return {
    url,
    open: (opening): GatewayRollout => {
      const rollout = openRollout(opening, retries, silenceMs, () => rollouts.delete(digestOf(rollout.token)));
      rollouts.set(digestOf(rollout.token), rollout);
      const { token, spent, close } = rollout;
      return { token, spent, close, openaiBaseUrl: `${url}/v1`, anthropicBaseUrl: url };
    },
    close: async () => {
      for (const rollout of [...rollouts.values()]) rollout.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
};
