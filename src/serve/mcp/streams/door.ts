/** Streamable HTTP with all its optional parts: event streams, and in the revisions before 2026-07-28 sessions and a GET stream. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isJsonBody, readBody } from '../../http/body.js';
import type { Guard } from '../../http/guard.js';
import { refuse, sendJson } from '../../http/reply.js';
import type { ToolHost } from '../../tool-host.js';
import { allLists, changeMessage, wants } from '../features/changes.js';
import type { Features } from '../features/features.js';
import type { McpHandler } from '../handler.js';
import { ErrorCode, failure, isObject, type Reply } from '../messages.js';
import { isModern } from '../revisions.js';
import { readEventId } from './event-stream.js';
import { DEFAULT_STREAM_LIMITS, type StreamLimits } from './limits.js';
import { postOutlet } from './post-outlet.js';
import { type ClientSession, clientSessions } from './sessions.js';

export interface StreamDoorOptions {
  handler: McpHandler;
  /** Those of the handler. */
  features: Features;
  /** The host that a request may speak to; undefined answers 401. The same object for the same caller, since it owns its sessions. */
  hostOf: (request: IncomingMessage) => ToolHost | undefined;
  guard: Guard;
  limits?: Partial<StreamLimits>;
}

export interface StreamDoor {
  listener: RequestListener;
  /** Ends subscriptions, sessions and streams. */
  close(): void;
  readonly streams: number;
  readonly sessions: number;
}

interface Refusal {
  status: number;
  message: string;
  headers?: Record<string, string>;
}

const FULL: Refusal = { status: 503, message: 'Too many streams', headers: { 'retry-after': '5' } };

/** Milliseconds after which a client that was hung up on comes back. */
const RETRY_MS = 500;

const no = (message: string, code: number = ErrorCode.refused): string => failure(null, code, message).body;

const one = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(', ') : header;

/** By its header: since 2026-07-28 there are no sessions and no streams of GET. */
const isStateless = ({ headers }: IncomingMessage): boolean => {
  const version = one(headers['mcp-protocol-version']);
  return version !== undefined && isModern(version);
};

const formOf = (accept: string | undefined): { json: boolean; events: boolean } => ({
  json: accept === undefined || /application\/json|application\/\*|\*\/\*/i.test(accept),
  events: accept !== undefined && /text\/event-stream|text\/\*|\*\/\*/i.test(accept),
});

export const streamDoor = ({ handler, features, hostOf, guard, limits: given }: StreamDoorOptions): StreamDoor => {
  const limits = { ...DEFAULT_STREAM_LIMITS, ...given };
  const stream = { bufferedBytes: limits.bufferedBytes, retryMs: RETRY_MS };
  const sessions = clientSessions({
    capacity: limits.sessions,
    idleSeconds: limits.idleSeconds,
    askMs: limits.askMs,
    stream,
  });
  const open = new Set<ServerResponse>();
  const beat = setInterval(() => {
    // A comment: it keeps proxies awake, and a half-open connection fails on it.
    for (const response of open) if (!response.writableEnded) response.write(':\n\n');
    sessions.reap();
  }, limits.beatMs);
  beat.unref();

  const admit = (response: ServerResponse): boolean => {
    if (open.size >= limits.streams) return false;
    open.add(response);
    response.once('close', () => open.delete(response));
    return true;
  };

  /** The client's unasked-for notifications, on its GET stream. */
  const follow = (session: ClientSession): void => {
    if (features.changes === undefined) return;
    const wanted = { ...allLists(features), resourceSubscriptions: session.connection.watched };
    session.onEnd(
      features.changes.listen((change) => {
        if (wants(wanted, change)) session.standing.send(changeMessage(change));
      }),
    );
  };

  /** The session that a request names, or why it gets none. */
  const named = ({ headers }: IncomingMessage, host: ToolHost): ClientSession | Refusal => {
    const id = one(headers['mcp-session-id']);
    if (id === undefined) return { status: 400, message: 'Mcp-Session-Id is missing' };
    // 404 tells a client to begin anew.
    return sessions.find(id, host) ?? { status: 404, message: 'This session is not known, or has ended' };
  };

  const get = (request: IncomingMessage, response: ServerResponse, host: ToolHost): Refusal | undefined => {
    if (!formOf(request.headers.accept).events) return { status: 406, message: 'A stream is text/event-stream' };
    const session = named(request, host);
    if ('status' in session) return session;
    const last = one(request.headers['last-event-id']);
    const event = last === undefined ? undefined : readEventId(last);
    const resumed = last === undefined ? session.standing : event && session.stream(event.name);
    if (resumed === undefined) return { status: 400, message: 'Last-Event-ID is none of this session' };
    if (!admit(response)) return FULL;
    resumed.carry(response, event?.seen);
    return undefined;
  };

  const end = (request: IncomingMessage, response: ServerResponse, host: ToolHost): Refusal | undefined => {
    const session = named(request, host);
    if ('status' in session) return session;
    sessions.end(session);
    sendJson(response, 204, undefined);
    return undefined;
  };

  /** Answers one parsed body. */
  const answer = (value: unknown, request: IncomingMessage, response: ServerResponse, host: ToolHost): void => {
    const { headers } = request;
    const isOpening = !isStateless(request) && isObject(value) && value.method === 'initialize';
    let session: ClientSession | undefined;
    if (isOpening) session = sessions.make(host);
    else if (!isStateless(request) && headers['mcp-session-id'] !== undefined) {
      const found = named(request, host);
      if ('status' in found) {
        sendJson(response, found.status, no(found.message));
        return;
      }
      session = found;
    }
    const { outlet, finish } = postOutlet({ response, session, form: formOf(headers.accept), admit, stream });
    const send = (reply: Reply): void => {
      if (isOpening && session?.connection.agreed !== undefined && reply.status === 200) {
        if (!sessions.keep(session)) {
          sendJson(response, FULL.status, no('Too many sessions'), FULL.headers);
          return;
        }
        follow(session);
        response.setHeader('mcp-session-id', session.id);
      }
      finish(reply);
    };
    const reply = handler(host, value, {
      headers: {
        version: one(headers['mcp-protocol-version']),
        method: one(headers['mcp-method']),
        name: one(headers['mcp-name']),
        param: (name) => one(headers[`mcp-param-${name.toLowerCase()}`]),
      },
      ...(session && { connection: session.connection }),
      ...(outlet && { outlet }),
    });
    if (reply instanceof Promise) void reply.then(send);
    else send(reply);
  };

  const post = (request: IncomingMessage, response: ServerResponse, host: ToolHost): Refusal | undefined => {
    if (!isJsonBody(request.headers))
      return { status: 415, message: 'The body must be application/json, not compressed' };
    const form = formOf(request.headers.accept);
    if (!form.json && !form.events)
      return { status: 406, message: 'Answers are application/json or text/event-stream' };
    readBody(request, limits.bodyBytes, (body) => {
      if ('fault' in body) {
        if (body.fault === 'too_large')
          refuse(request, response, 413, no(`A body has at most ${limits.bodyBytes} bytes`));
        else sendJson(response, 400, no('The body is not UTF-8', ErrorCode.parse));
        return;
      }
      let value: unknown;
      try {
        value = JSON.parse(body.text);
      } catch {
        sendJson(response, 400, no('The body is not JSON', ErrorCode.parse));
        return;
      }
      answer(value, request, response, host);
    });
    return undefined;
  };

  const route = (request: IncomingMessage, response: ServerResponse): Refusal | undefined => {
    const { headers, method, url } = request;
    if (!guard.isHost(headers.host)) return { status: 403, message: 'This server is not called that' };
    if (!guard.isOrigin(headers.origin)) return { status: 403, message: 'Requests from this origin are not taken' };
    if (url !== '/mcp') return { status: 404, message: 'Nothing is here; MCP is at /mcp' };
    const host = hostOf(request);
    if (host === undefined)
      return { status: 401, message: 'A bearer token is needed', headers: { 'www-authenticate': 'Bearer' } };
    if (method === 'POST') return post(request, response, host);
    const stateless = isStateless(request);
    if (method === 'GET' && !stateless) return get(request, response, host);
    if (method === 'DELETE' && !stateless) return end(request, response, host);
    const allow = stateless ? 'POST' : 'POST, GET, DELETE';
    return { status: 405, message: 'Not in this revision', headers: { allow } };
  };

  return {
    listener: (request, response) => {
      const refusal = route(request, response);
      if (refusal !== undefined) refuse(request, response, refusal.status, no(refusal.message), refusal.headers);
    },
    close: () => {
      clearInterval(beat);
      features.changes?.close();
      sessions.closeAll();
      // The last answers of subscriptions are still on their way here.
      setImmediate(() => {
        for (const response of open) response.end();
      });
    },
    get streams() {
      return open.size;
    },
    get sessions() {
      return sessions.size;
    },
  };
};
