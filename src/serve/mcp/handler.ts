/** The MCP protocol core: one parsed JSON value in, one reply out, for whichever host and revision. No transport, no state of its own. */
import { asTreadleError } from '../../errors.js';
import type { ToolHost } from '../tool-host.js';
import { claimsEnvelope, metaOf, VERSION_KEY } from './envelope.js';
import { hazardOf } from './hazards.js';
import { contradiction } from './headers.js';
import {
  ACCEPTED,
  ErrorCode,
  failure,
  isObject,
  type Message,
  type Params,
  type Reply,
  readMessage,
  textOf,
} from './messages.js';
import { answersOf, type McpOptions } from './methods.js';
import { isModern } from './revisions.js';
import { classicOf, type Exchange, routeOf, unsupportedClassic } from './route.js';

export type McpHandler = (host: ToolHost, value: unknown, exchange: Exchange) => Reply | Promise<Reply>;

const LARGEST_BATCH = 100;

/** A client of an earlier revision takes a request back; since 2026-07-28 it ends the stream instead. */
const cancelled = ({ requestId, reason }: Params, { connection }: Exchange): void => {
  if (typeof requestId === 'string' || typeof requestId === 'number')
    connection?.running?.get(requestId)?.abort(typeof reason === 'string' ? reason : undefined);
};

/** Of the requests of a batch each has a name of its own. */
const within = (exchange: Exchange, i: number): Exchange =>
  exchange.forwarded === undefined ? exchange : { ...exchange, forwarded: `${exchange.forwarded}.${i}` };

/** Notifications change little here; a contradiction between header and body is still told. */
const notified = (message: Message & { kind: 'notification' }, exchange: Exchange): Reply => {
  const { headers } = exchange;
  if (message.method === 'notifications/cancelled') cancelled(message.params, exchange);
  if (headers?.version === undefined) return ACCEPTED;
  const claimed = claimsEnvelope(message.params) ? metaOf(message.params)?.[VERSION_KEY] : undefined;
  const modern = typeof claimed === 'string' || isModern(headers.version);
  const version = typeof claimed === 'string' ? claimed : headers.version;
  const against = modern ? contradiction(headers, message.method, version) : undefined;
  if (against === undefined) return ACCEPTED;
  return failure(
    null,
    ErrorCode.headerMismatch,
    `Header and body disagree: ${against.header} against ${against.body}`,
    400,
    {
      mismatch: against,
    },
  );
};

/** A handler that serves all revisions. Never throws; what a host throws becomes an internal error and goes to `onDefect`. */
export const mcpHandler = (options: McpOptions = {}): McpHandler => {
  const answer = answersOf(options);

  const one = (host: ToolHost, value: unknown, exchange: Exchange): Reply | Promise<Reply> => {
    const message = readMessage(value);
    if (message.kind === 'invalid') return failure(message.id, ErrorCode.invalidRequest, message.why, 400);
    if (message.kind === 'response') {
      // Only sessions of earlier revisions are asked anything; they take any other response in silence.
      const modern = exchange.headers?.version !== undefined && isModern(exchange.headers.version);
      if (modern) return failure(null, ErrorCode.invalidRequest, 'No response was asked for', 400);
      const asks = exchange.connection?.asks;
      if (asks === undefined) return ACCEPTED;
      const unfit = hazardOf(message.result);
      if (unfit !== undefined) return failure(null, ErrorCode.invalidParams, unfit, 400);
      asks.answered(message);
      return ACCEPTED;
    }
    if (message.kind === 'notification') return notified(message, exchange);
    const hazard = hazardOf(message.params);
    if (hazard !== undefined) return failure(message.id, ErrorCode.invalidParams, hazard, 400);
    const route = routeOf(message.id, message.method, message.params, exchange);
    if ('refused' in route) return route.refused;
    const { id, method, params } = message;
    const broke = (thrown: unknown): Reply => {
      options.onDefect?.(asTreadleError(thrown, 'world'));
      return failure(id, ErrorCode.internal, 'The server could not answer');
    };
    try {
      const reply = answer(host, { id, method, params, revision: route.revision, exchange });
      return reply instanceof Promise ? reply.catch(broke) : reply;
    } catch (thrown) {
      return broke(thrown);
    }
  };

  const many = (host: ToolHost, values: unknown[], exchange: Exchange): Reply | Promise<Reply> => {
    const revision = classicOf(exchange);
    const named = exchange.headers?.version;
    if (revision === undefined && !isModern(named!)) return unsupportedClassic(null, named!);
    const refuse = (why: string): Reply => failure(null, ErrorCode.invalidRequest, why, 400);
    if (!revision?.batches) return refuse(`Revision ${revision?.version ?? named} has no batches`);
    if (values.length === 0) return refuse('An empty batch');
    if (values.length > LARGEST_BATCH) return refuse(`A batch holds at most ${LARGEST_BATCH} messages`);
    const unfit = (value: unknown): boolean =>
      isObject(value) && (value.method === 'initialize' || (isObject(value.params) && claimsEnvelope(value.params)));
    if (values.some(unfit)) return refuse('Handshakes and modern requests do not go in a batch');
    return Promise.all(values.map((value, i) => one(host, value, within(exchange, i)))).then((replies) => {
      const bodies = replies.flatMap(({ body }) => (body === undefined ? [] : [textOf(body)]));
      return bodies.length === 0 ? ACCEPTED : { status: 200, body: `[${bodies.join(',')}]` };
    });
  };

  return (host, value, exchange) => (Array.isArray(value) ? many(host, value, exchange) : one(host, value, exchange));
};
