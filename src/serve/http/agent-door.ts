/** The agents' door: MCP over Streamable HTTP for whoever holds a session's token. This is the hot path; nothing privileged is here. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { McpHandler } from '../mcp/handler.js';
import { ErrorCode, failure, type Reply } from '../mcp/messages.js';
import { isJsonBody, readBody } from './body.js';
import type { LiveSession, SessionDirectory } from './directory.js';
import type { Guard } from './guard.js';
import type { HttpLimits } from './limits.js';
import { refuse, sendEvent, sendJson } from './reply.js';
import { bearerOf } from './tokens.js';

export interface AgentDoor {
  handler: McpHandler;
  directory: SessionDirectory;
  guard: Guard;
  limits: HttpLimits;
}

const PATH = /^(?:\/s\/([A-Za-z0-9_-]{1,64}))?\/mcp$/;

const ENDED = 'The session has ended';

const no = (message: string, code: number = ErrorCode.refused): string => failure(null, code, message).body!;

/** JSON unless the client reads nothing but event streams; undefined when it reads neither. */
const formOf = (accept: string | undefined): 'json' | 'events' | undefined => {
  if (accept === undefined || /application\/json|application\/\*|\*\/\*/i.test(accept)) return 'json';
  return /text\/event-stream|text\/\*/i.test(accept) ? 'events' : undefined;
};

const one = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(', ') : header;

export const agentDoor = ({ handler, directory, guard, limits }: AgentDoor): RequestListener => {
  let pending = 0;

  /** The session behind a request, or undefined when it was refused. */
  const admit = (request: IncomingMessage, response: ServerResponse): LiveSession | undefined => {
    const { headers, method, url = '' } = request;
    const say = (status: number, message: string, extra?: Record<string, string>): undefined =>
      refuse(request, response, status, no(message), extra) as undefined;
    if (!guard.isHost(headers.host)) return say(403, 'This server is not called that');
    if (!guard.isOrigin(headers.origin)) return say(403, 'Requests from this origin are not taken');
    const path = PATH.exec(url);
    if (path === null) return say(404, 'Nothing is here; MCP is at /mcp');
    const token = bearerOf(headers.authorization);
    if (token === undefined)
      return say(401, 'A bearer token is needed', { 'www-authenticate': 'Bearer realm="treadle"' });
    const found = directory.find(token);
    if (found.state === 'unknown')
      return say(401, 'This token is not known', {
        'www-authenticate': 'Bearer realm="treadle", error="invalid_token"',
      });
    if (found.state === 'gone') return say(404, ENDED);
    if (path[1] !== undefined && path[1] !== found.session.id) return say(403, 'This token opens another session');
    if (method !== 'POST')
      return say(405, 'Only POST: there is no stream to open and no session to end here', { allow: 'POST' });
    if (!isJsonBody(request)) return say(415, 'The body must be application/json, not compressed');
    if (pending >= limits.pendingBodies) return say(503, 'Too many requests at once', { 'retry-after': '1' });
    return found.session;
  };

  return (request, response) => {
    const session = admit(request, response);
    if (session === undefined) return;
    const form = formOf(request.headers.accept);
    if (form === undefined) {
      refuse(request, response, 406, no('Answers are application/json or text/event-stream'));
      return;
    }
    pending += 1;
    let isReading = true;
    const release = (): void => {
      if (isReading) pending -= 1;
      isReading = false;
    };
    request.once('close', release);
    readBody(request, limits.bodyBytes, (body) => {
      release();
      if ('fault' in body) {
        if (body.fault === 'too_large')
          refuse(request, response, 413, no(`A body has at most ${limits.bodyBytes} bytes`));
        else sendJson(response, 400, no('The body is not UTF-8', ErrorCode.parse));
        return;
      }
      // The body may have taken longer than the session had.
      if (session.ended) {
        sendJson(response, 404, no(ENDED));
        return;
      }
      let value: unknown;
      try {
        value = JSON.parse(body.text);
      } catch {
        sendJson(response, 400, no('The body is not JSON', ErrorCode.parse));
        return;
      }
      const { headers } = request;
      const operation = one(headers['idempotency-key']);
      const send = (reply: Reply): void => {
        if (form === 'events' && reply.body !== undefined && reply.status === 200) sendEvent(response, 200, reply.body);
        else sendJson(response, reply.status, reply.body);
      };
      const reply = handler(session.host, value, {
        headers: {
          version: one(headers['mcp-protocol-version']),
          method: one(headers['mcp-method']),
          name: one(headers['mcp-name']),
        },
        ...(operation === undefined ? {} : { operation }),
      });
      if (reply instanceof Promise) void reply.then(send);
      else send(reply);
    });
  };
};
