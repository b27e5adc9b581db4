/**
 * What a scenario's events tell, as MCP carries it: one more text block at the end of the result of the call after which it is
 * told, and a log message ahead of the answer for clients that have asked to hear such.
 */
import type { Notice } from '../../artifacts/firing.js';
import { noticeText } from '../sessions/notices.js';
import type { ToolHost } from '../tool-host.js';
import { LOG_LEVEL_KEY, LOG_LEVELS, metaOf } from './envelope.js';
import { ErrorCode, failure, type Reply, success } from './messages.js';
import type { Request } from './methods.js';

/** Of every notice, by the scale of RFC 5424: normal, and worth looking at. */
const LEVEL = 'notice';

/** Members of the `content` array. */
export const noticeBlocks = (notices: readonly Notice[]): string[] =>
  notices.map((notice) => JSON.stringify({ type: 'text', text: noticeText(notice) }));

const rank = (level: unknown): number => LOG_LEVELS.indexOf(level as never);

/** What was asked for: in the request itself since 2026-07-28, before by `logging/setLevel`. Without it nothing is sent. */
const leastLevel = ({ hearing }: ToolHost, { revision, params, exchange }: Request): unknown =>
  revision.era === 'modern' ? metaOf(params)?.[LOG_LEVEL_KEY] : (exchange.connection?.logLevel ?? hearing?.level);

/** Sends what is told as log messages, where the client wants them and can be reached before the answer. */
export const logNotices = (host: ToolHost, request: Request, notices: readonly Notice[]): void => {
  const least = rank(leastLevel(host, request));
  if (least < 0 || least > rank(LEVEL)) return;
  for (const { to, text } of notices) {
    const params = { level: LEVEL, logger: 'notices', data: { from: to, text } };
    request.exchange.outlet?.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params }));
  }
};

/** `logging/setLevel` of hosts that may have something to tell; kept with the session where the transport remembers nothing. */
export const setLevel = ({ hearing }: ToolHost, { id, params, exchange }: Request): Reply | undefined => {
  if (hearing === undefined) return undefined;
  if (rank(params.level) < 0)
    return failure(id, ErrorCode.invalidParams, `params.level must be one of ${LOG_LEVELS.join(', ')}`);
  const level = params.level as string;
  if (exchange.connection) exchange.connection.logLevel = level;
  else hearing.level = level;
  return success(id, '{}');
};
