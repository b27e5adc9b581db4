/** The MCP endpoint of a seeded session: for agents that bring their own tool loop, with a token that reaches tools and nothing else. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendEvent, sendJson } from '../../http/reply.js';
import { mcpHandler } from '../../mcp/handler.js';
import { ErrorCode, failure, type Reply } from '../../mcp/messages.js';
import type { JsonReader } from '../json-request.js';
import { refuseWith } from '../problem.js';
import type { GymSessions } from './sessions.js';

export const TOKEN_HEADER = 'X-NeMo-Gym-Session-Token';

const one = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(', ') : header;

/** Whether the client reads nothing but event streams. */
const wantsEvents = (accept: string | undefined): boolean =>
  accept !== undefined &&
  !/application\/json|application\/\*|\*\/\*/i.test(accept) &&
  /text\/event-stream/i.test(accept);

export type McpRoute = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export const mcpRoute = (sessions: GymSessions, reader: JsonReader, bodyBytes: number): McpRoute => {
  const handler = mcpHandler();
  return async (request, response) => {
    const no = (status: number, code: string, message: string): void =>
      refuseWith(request, response, { status, code, message });
    const { headers } = request;
    const token = one(headers[TOKEN_HEADER.toLowerCase()]);
    if (token === undefined) return no(401, 'no_token', `${TOKEN_HEADER} is needed; /seed_session gives it`);
    const found = sessions.byToken(token);
    if (found.state === 'unknown') return no(401, 'unknown_token', 'This session token is not known');
    if (found.state === 'gone') return no(404, 'unknown_session', 'The session has ended');
    if (request.method !== 'POST') return no(405, 'wrong_method', 'Only POST: there is no stream to open here');
    const read = await reader.read(request, response, bodyBytes);
    if (read === undefined) return;
    const operation = one(headers['idempotency-key']);
    const exchange = {
      headers: {
        ...(headers['mcp-protocol-version'] === undefined ? {} : { version: one(headers['mcp-protocol-version'])! }),
        ...(headers['mcp-method'] === undefined ? {} : { method: one(headers['mcp-method'])! }),
        ...(headers['mcp-name'] === undefined ? {} : { name: one(headers['mcp-name'])! }),
      },
      ...(operation === undefined ? {} : { operation }),
    };
    const ended = (): Reply => failure(null, ErrorCode.refused, 'The session has ended', 404);
    const { session } = found;
    const reply = session.ended ? ended() : await handler(session.host, read.value, exchange);
    if (reply.status === 200 && reply.body !== undefined && wantsEvents(headers.accept))
      sendEvent(response, 200, reply.body);
    else sendJson(response, reply.status, reply.body);
  };
};
