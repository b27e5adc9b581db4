/** The owners' door, on a port and with a token of its own: opens and closes sessions. No session's token works here. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { asTreadleError, boundary, TreadleError } from '../../errors.js';
import { hazardOf } from '../mcp/hazards.js';
import { isJsonBody, readBody } from './body.js';
import type { Lease, SessionDirectory } from './directory.js';
import type { Guard } from './guard.js';
import type { HttpLimits } from './limits.js';
import { hasBody, refuse, sendJson } from './reply.js';
import { bearerOf, digestOf, sameDigest } from './tokens.js';

/** Makes the session that a request asks for (which world, which task). What it throws is told to the owner. */
export type OpenSession = (request: unknown) => Promise<Lease> | Lease;

export interface AdminDoor {
  open: OpenSession;
  /** Digest of the admin token. */
  digest: string;
  /** Where agents go. */
  agentOrigin: string;
  directory: SessionDirectory;
  guard: Guard;
  limits: HttpLimits;
  onDefect?: ((error: TreadleError) => void) | undefined;
}

const problem = (code: string, message: string): string => JSON.stringify({ error: { code, message } });

const answer = (response: ServerResponse, status: number, body: unknown): void =>
  sendJson(response, status, JSON.stringify(body));

const tell = (response: ServerResponse, thrown: unknown): void => {
  if (!(thrown instanceof TreadleError)) {
    sendJson(response, 500, problem('unexpected', 'The session could not be made'));
    return;
  }
  const status = thrown.isRetryable ? 503 : thrown.fault === 'input' ? 422 : 500;
  const headers = status === 503 ? { 'retry-after': '5' } : undefined;
  sendJson(response, status, JSON.stringify({ error: thrown.toJSON() }), headers);
};

export const adminDoor = ({
  open,
  digest,
  agentOrigin,
  directory,
  guard,
  limits,
  onDefect,
}: AdminDoor): RequestListener => {
  const create = async (response: ServerResponse, value: unknown): Promise<void> => {
    let lease: Lease | undefined;
    try {
      directory.needRoom();
      lease = await open(value);
      const opened = directory.open(lease);
      answer(response, 201, { ...opened, url: `${agentOrigin}/s/${opened.id}/mcp` });
    } catch (thrown) {
      // Full by the time the session was made: it goes back, and what that throws is of no use to the owner.
      await boundary('infrastructure', () => lease?.drop?.());
      if (!(thrown instanceof TreadleError)) onDefect?.(asTreadleError(thrown, 'infrastructure'));
      tell(response, thrown);
    }
  };

  const read = (request: IncomingMessage, response: ServerResponse): void =>
    readBody(request, limits.bodyBytes, (body) => {
      if ('fault' in body) {
        if (body.fault === 'too_large') refuse(request, response, 413, problem('too_large', 'The body is too large'));
        else sendJson(response, 400, problem('not_utf8', 'The body is not UTF-8'));
        return;
      }
      let value: unknown;
      try {
        value = body.text === '' ? {} : JSON.parse(body.text);
      } catch {
        sendJson(response, 400, problem('not_json', 'The body is not JSON'));
        return;
      }
      const hazard = hazardOf(value);
      if (hazard === undefined) void create(response, value);
      else sendJson(response, 400, problem('bad_json', hazard));
    });

  return (request, response) => {
    const { headers, method, url = '' } = request;
    const say = (status: number, code: string, message: string, extra?: Record<string, string>): void =>
      refuse(request, response, status, problem(code, message), extra);
    if (!guard.isHost(headers.host)) return say(403, 'wrong_host', 'This server is not called that');
    if (!guard.isOrigin(headers.origin)) return say(403, 'wrong_origin', 'Requests from this origin are not taken');
    const token = bearerOf(headers.authorization);
    const isOwner = token !== undefined && sameDigest(digestOf(token), digest);
    // Liveness is for probes that hold no token; numbers are for the owner.
    if (url === '/health' && method === 'GET' && !isOwner) return answer(response, 200, { status: 'ok' });
    if (!isOwner)
      return say(401, 'unauthorized', 'The admin token is needed', {
        'www-authenticate': 'Bearer realm="treadle admin"',
      });
    if (url === '/health' && method === 'GET')
      return answer(response, 200, { status: 'ok', sessions: directory.size, capacity: directory.capacity });
    if (url === '/sessions' && method === 'POST') {
      if (hasBody(request) && !isJsonBody(request)) return say(415, 'not_json', 'The body must be application/json');
      return read(request, response);
    }
    const id = /^\/sessions\/([A-Za-z0-9_-]{1,64})$/.exec(url)?.[1];
    if (id === undefined || method !== 'DELETE')
      return say(404, 'not_found', 'POST /sessions, DELETE /sessions/:id, GET /health');
    if (!directory.close(id)) return say(404, 'unknown_session', 'There is no such session');
    sendJson(response, 204, undefined);
  };
};
