/** Writes answers. A refusal leaves the body unread, so it ends the connection instead of reading what it does not want. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type Body, lengthOf, textOf } from '../mcp/messages.js';

/** Bytes of an unwanted body that are let pass, so that the client gets to read the answer before the connection goes. */
const DRAIN = 262_144;

export const sendJson = (
  response: ServerResponse,
  status: number,
  body: Body | undefined,
  headers?: OutgoingHttpHeaders,
): void => {
  if (body === undefined) {
    response.writeHead(status, { 'content-length': 0, ...headers });
    response.end();
    return;
  }
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': lengthOf(body),
    'cache-control': 'no-store',
    ...headers,
  });
  if (typeof body === 'string') {
    response.end(body);
    return;
  }
  response.cork();
  for (const piece of body) response.write(piece);
  response.end();
};

/** `messages` ahead of the answer, as events. */
export const eventsText = (body: Body, messages: readonly string[] = []): string =>
  [...messages, textOf(body)].map((data) => `event: message\ndata: ${data}\n\n`).join('');

/** The answer as an event, with what is said before it, then the end: for a client that reads nothing but event streams. */
export const sendEvent = (
  response: ServerResponse,
  status: number,
  body: Body,
  messages: readonly string[] = [],
): void => {
  response.writeHead(status, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' });
  response.end(eventsText(body, messages));
};

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Answers before the body was read. */
export const refuse = (
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: string,
  headers?: OutgoingHttpHeaders,
): void => {
  if (!hasBody(request)) {
    sendJson(response, status, body, headers);
    return;
  }
  sendJson(response, status, body, { connection: 'close', ...headers });
  let drained = 0;
  request.on('data', (chunk: Buffer) => {
    drained += chunk.length;
    if (drained > DRAIN) request.destroy();
  });
  request.resume();
};
