/**
 * The agents' door of a front: requests go to the worker that has the session which their token names, and the worker's own door reads
 * them as if they had come there. Tokens are not checked here, only where they lead; what leads nowhere is refused here.
 */
import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import type { TreadleError } from '../../../errors.js';
import type { AgentsDoor } from '../../doors.js';
import { type AgentDoorForms, agentDoor } from '../../http/agent-door.js';
import { readBody } from '../../http/body.js';
import type { Found } from '../../http/keeper.js';
import type { PlainReply } from '../../http/plain/lines.js';
import { hasBody, refuse, sendJson } from '../../http/reply.js';
import { bearerOf } from '../../http/tokens.js';
import { mcpHandler } from '../../mcp/handler.js';
import { ErrorCode, failure } from '../../mcp/messages.js';
import { bodyGate } from '../../rest/pending.js';
import { statusOf } from '../../rest/problem.js';
import { claimOf } from '../../sessions/server/tokens.js';
import type { ReplyHead, VisitHead } from '../protocol.js';
import type { Entry, Router } from './router.js';

/** What a worker's door reads of a request's head. */
const READ = [
  'accept',
  'authorization',
  'content-encoding',
  'content-type',
  'idempotency-key',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
] as const;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const textOf = (method: string, url: string, headers: Headers): string => {
  const read: Record<string, string> = {};
  for (const name of READ) {
    const value = headers[name];
    if (value !== undefined) read[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return JSON.stringify({ method, url, headers: read } satisfies VisitHead);
};

/** Connections send the same head again and again, as one object. */
const keptHeads = () => {
  const known = new WeakMap<object, { url: string; text: string; id: string | undefined }>();
  return (url: string, headers: Headers): { text: string; id: string | undefined } => {
    const last = known.get(headers);
    if (last?.url === url) return last;
    const made = { url, text: textOf('POST', url, headers), id: idOf(headers.authorization) };
    known.set(headers, made);
    return made;
  };
};

const idOf = (authorization: string | string[] | undefined): string | undefined => {
  const token = typeof authorization === 'string' ? bearerOf(authorization) : undefined;
  return token === undefined ? undefined : claimOf(token)?.id;
};

const OK_JSON = '{"status":200,"type":"application/json"}';
const OK: ReplyHead = { status: 200, type: 'application/json' };

const headOf = (text: string): ReplyHead => (text === OK_JSON ? OK : (JSON.parse(text) as ReplyHead));

/** What is said instead of a worker's answer. */
const refusal = (why: TreadleError): { status: number; body: string; headers: Record<string, string> } => {
  const status = why.code === 'unknown_session' ? 404 : statusOf(why);
  const message = why.code === 'unknown_session' ? 'The session has ended' : why.message;
  return {
    status,
    body: failure(null, ErrorCode.refused, message).body,
    headers: status === 503 ? { 'retry-after': '1' } : {},
  };
};

const send = (response: ServerResponse, { status, type, headers }: ReplyHead, body: Buffer): void => {
  if (type === undefined) sendJson(response, status, undefined, headers);
  else sendJson(response, status, [body], { 'content-type': type, ...headers });
};

/** Who knows no session but which of them were here once: for what leads nowhere. */
const strangers = (router: Router) => ({
  find: (token: string): Found => {
    const id = claimOf(token)?.id;
    return { state: id !== undefined && router.isGone(id) ? 'gone' : 'unknown' };
  },
});

export const frontDoor = (router: Router, door: AgentsDoor): AgentDoorForms => {
  const { guard, limits, queue } = door;
  const nowhere = agentDoor({ handler: mcpHandler(), keeper: strangers(router), ...door });
  const gate = bodyGate(limits.pendingBodies);
  const plainHead = keptHeads();

  const isFit = ({ host, origin }: IncomingHttpHeaders): boolean => guard.isHost(host) && guard.isOrigin(origin);

  const rankOf = (entry: Entry): number | undefined => (entry.isFresh ? entry.number : undefined);

  const forwardPlain = (entry: Entry, head: string, content: Buffer, reply: PlainReply): void =>
    router.visit(entry, head, [content], (said, body, failed) => {
      if (failed) {
        const { status, body: why, headers } = refusal(failed);
        reply.json(status, why, headers);
        return;
      }
      const { status, type, headers } = headOf(said);
      reply.send(status, type ?? '', type === undefined ? undefined : [body], headers);
    });

  const forward = (entry: Entry, head: string, text: string, response: ServerResponse): void =>
    router.visit(entry, head, [text], (said, body, failed) => {
      if (response.destroyed) return;
      if (failed) {
        const { status, body: why, headers } = refusal(failed);
        sendJson(response, status, why, headers);
      } else send(response, headOf(said), body);
    });

  const listener: RequestListener = (request, response) => {
    const { headers, method = 'GET', url = '' } = request;
    const id = isFit(headers) ? idOf(headers.authorization) : undefined;
    const entry = id === undefined ? undefined : router.find(id);
    if (entry === undefined) {
      nowhere.listener(request, response);
      return;
    }
    const head = textOf(method, url, headers);
    if (!hasBody(request)) {
      queue.add(() => forward(entry, head, '', response), rankOf(entry));
      return;
    }
    const no = (status: number, message: string, more?: Record<string, string>): void =>
      refuse(request, response, status, failure(null, ErrorCode.refused, message).body, more);
    const release = gate.enter(request, limits.bodyBytes);
    if (!release) {
      no(503, 'Too many requests at once', { 'retry-after': '1' });
      return;
    }
    readBody(request, limits.bodyBytes, (body) => {
      release();
      if ('text' in body) queue.add(() => forward(entry, head, body.text, response), rankOf(entry));
      else if (body.fault === 'too_large') no(413, `A body has at most ${limits.bodyBytes} bytes`);
      else sendJson(response, 400, failure(null, ErrorCode.parse, 'The body is not UTF-8').body);
    });
  };

  return {
    listener,
    plain: (head, body, reply) => {
      const { url, headers } = head;
      const { text: own, id } = plainHead(url, headers);
      const entry = id !== undefined && isFit(headers) ? router.find(id) : undefined;
      if (entry === undefined) nowhere.plain(head, body, reply);
      else queue.add(() => forwardPlain(entry, own, body, reply), rankOf(entry));
    },
  };
};
