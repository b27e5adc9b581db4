/** The agents' door: MCP over Streamable HTTP for whoever holds a session's token. This is the hot path; nothing privileged is here. */
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import type { Outlet } from '../mcp/connection.js';
import type { McpHandler } from '../mcp/handler.js';
import { ErrorCode, failure, type Reply } from '../mcp/messages.js';
import type { Exchange } from '../mcp/route.js';
import { bodyGate } from '../rest/pending.js';
import { isJsonBody, readBody } from './body.js';
import type { FairQueue } from './fair-queue.js';
import type { Guard } from './guard.js';
import type { Admitted, Doorkeeper } from './keeper.js';
import type { HttpLimits } from './limits.js';
import type { PlainHandler, PlainReply } from './plain/lines.js';
import { refuse, sendEvent, sendJson } from './reply.js';
import { bearerOf } from './tokens.js';

export interface AgentDoor {
  handler: McpHandler;
  keeper: Doorkeeper;
  guard: Guard;
  limits: HttpLimits;
  /** Where requests that were read wait for their turn. */
  queue: FairQueue;
}

const PATH = /^(?:\/s\/([A-Za-z0-9_-]{1,64})(?:\/([a-z][a-z0-9_]{0,63}))?)?\/mcp$/;

const ENDED = 'The session has ended';
const RECOVERING = 'The session is being recovered';
const WAITS = { paused: 'The session is paused', forked: 'The session was forked and lives on in its branches' };

const no = (message: string, code: number = ErrorCode.refused): string => failure(null, code, message).body;

/** JSON unless the client reads nothing but event streams; undefined when it reads neither. */
const formOf = (accept: string | undefined): 'json' | 'events' | undefined => {
  if (accept === undefined || /application\/json|application\/\*|\*\/\*/i.test(accept)) return 'json';
  return /text\/event-stream|text\/\*/i.test(accept) ? 'events' : undefined;
};

const readsEvents = (accept: string | undefined): boolean => accept !== undefined && /text\/event-stream/i.test(accept);

const NEVER = new AbortController().signal;

/** Keeps what is said ahead of the answer and goes out with it: there is no stream here that outlives the request. */
const heldOutlet = (ahead: string[]): Outlet => ({
  send: (message) => ahead.push(message) > 0,
  gone: NEVER,
});

const one = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(', ') : header;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const exchangeOf = (headers: Headers, forwarded: string | undefined): Exchange => {
  const operation = one(headers['idempotency-key']);
  return {
    headers: {
      version: one(headers['mcp-protocol-version']),
      method: one(headers['mcp-method']),
      name: one(headers['mcp-name']),
    },
    ...(operation === undefined ? {} : { operation }),
    ...(forwarded === undefined ? {} : { forwarded }),
  };
};

type Say = (status: number, message: string, extra?: Record<string, string>) => undefined;

/** The session behind a request's token, or undefined when it was refused. */
const sessionOf = (authorization: string | undefined, path: RegExpExecArray, keeper: Doorkeeper, say: Say) => {
  const token = bearerOf(authorization);
  if (token === undefined)
    return say(401, 'A bearer token is needed', { 'www-authenticate': 'Bearer realm="treadle"' });
  const found = keeper.find(token);
  if (found.state === 'unknown')
    return say(401, 'This token is not known', {
      'www-authenticate': 'Bearer realm="treadle", error="invalid_token"',
    });
  if (found.state === 'gone') return say(404, ENDED);
  if (found.state === 'recovering') return say(503, RECOVERING, { 'retry-after': '1' });
  if (found.state !== 'open')
    return say(409, WAITS[found.state], found.state === 'paused' ? { 'retry-after': '5' } : {});
  const { session } = found;
  const [, id, service] = path;
  if (id !== undefined && id !== session.id) return say(403, 'This token opens another session');
  if (service !== undefined && service !== session.service) return say(403, 'This token opens another service');
  return session;
};

type McpReply = Pick<PlainReply, 'json' | 'event'>;

/** The door in its two forms: for node's server, and for the connections served without it. */
export interface AgentDoorForms {
  listener: RequestListener;
  plain: PlainHandler;
}

export const agentDoor = ({ handler, keeper, guard, limits, queue }: AgentDoor): AgentDoorForms => {
  const gate = bodyGate(limits.pendingBodies);

  /** The session behind a request that may go on, or undefined when it was refused. */
  const admit = (
    method: string | undefined,
    url: string,
    headers: IncomingHttpHeaders,
    say: Say,
  ): Admitted | undefined => {
    if (!guard.isHost(headers.host)) return say(403, 'This server is not called that');
    if (!guard.isOrigin(headers.origin)) return say(403, 'Requests from this origin are not taken');
    const path = PATH.exec(url);
    if (path === null) return say(404, 'Nothing is here; MCP is at /mcp');
    const session = sessionOf(headers.authorization, path, keeper, say);
    if (session === undefined) return undefined;
    if (method !== 'POST')
      return say(405, 'Only POST: there is no stream to open and no session to end here', { allow: 'POST' });
    if (!isJsonBody(headers)) return say(415, 'The body must be application/json, not compressed');
    if (formOf(headers.accept) === undefined) return say(406, 'Answers are application/json or text/event-stream');
    return session;
  };

  const answer = (
    headers: Headers,
    reply: McpReply,
    session: Admitted,
    text: string,
    forwarded?: string | undefined,
  ): void => {
    // The body may have taken longer than the session had.
    if (session.ended) {
      reply.json(404, no(ENDED));
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      reply.json(400, no('The body is not JSON', ErrorCode.parse));
      return;
    }
    const accept = one(headers.accept);
    const ahead: string[] = [];
    const send = ({ status, body }: Reply): void => {
      const isStream = formOf(accept) === 'events' || ahead.length > 0;
      if (body !== undefined && status === 200 && isStream) reply.event(body, ahead);
      else reply.json(status, body);
    };
    const exchange = exchangeOf(headers, forwarded);
    if (session.host.hearing && readsEvents(accept)) exchange.outlet = heldOutlet(ahead);
    const said = handler(session.host, value, exchange);
    if (said instanceof Promise) void said.then(send);
    else send(said);
  };

  return {
    listener: (request, response) => {
      const { method, url = '', headers } = request;
      const session = admit(method, url, headers, (status, message, extra) => {
        refuse(request, response, status, no(message), extra);
      });
      if (session === undefined) return;
      const release = gate.enter(request, limits.bodyBytes);
      if (!release) {
        refuse(request, response, 503, no('Too many requests at once'), { 'retry-after': '1' });
        return;
      }
      const reply: McpReply = {
        json: (status, body) => sendJson(response, status, body),
        event: (body, messages) => sendEvent(response, 200, body, messages),
      };
      readBody(request, limits.bodyBytes, (body) => {
        release();
        if ('text' in body) queue.add(() => answer(headers, reply, session, body.text), session.rank);
        else if (body.fault === 'too_large')
          refuse(request, response, 413, no(`A body has at most ${limits.bodyBytes} bytes`));
        else reply.json(400, no('The body is not UTF-8', ErrorCode.parse));
      });
    },
    plain: ({ method = 'POST', url, headers, forwarded }, body, reply) => {
      const session = admit(method, url, headers, (status, message, extra) => {
        reply.json(status, no(message), extra);
      });
      if (session === undefined) return;
      if (body.length > limits.bodyBytes) reply.json(413, no(`A body has at most ${limits.bodyBytes} bytes`));
      else queue.add(() => answer(headers, reply, session, body.toString('utf8'), forwarded), session.rank);
    },
  };
};
