/** How an error looks at a gym door over HTTP. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { TreadleError } from '../../errors.js';
import { refuse, sendJson } from '../http/reply.js';

export interface Problem {
  status: number;
  code: string;
  message: string;
  next?: string | undefined;
  headers?: OutgoingHttpHeaders | undefined;
}

const STATUS: Record<string, number> = {
  unknown_session: 404,
  session_expired: 404,
  session_closed: 409,
  session_forked: 409,
  session_paused: 409,
  operation_conflict: 409,
  no_task: 422,
  not_reset: 409,
  episode_done: 409,
};

/** What was thrown, as an answer. Only a TreadleError is told; anything else may hold what nobody outside should see. */
export const problemOf = (thrown: unknown): Problem => {
  if (!(thrown instanceof TreadleError))
    return { status: 500, code: 'unexpected', message: 'The server could not answer' };
  const { code, message, next } = thrown;
  if (thrown.isRetryable) return { status: 503, code, message, next, headers: { 'retry-after': '5' } };
  const status = STATUS[code] ?? (thrown.fault === 'input' ? (code.startsWith('unknown_') ? 404 : 422) : 500);
  return { status, code, message, next };
};

/** `detail` is where clients of FastAPI servers look. */
const textOf = ({ code, message, next }: Problem): string =>
  JSON.stringify({ detail: message, error: { code, message, next } });

export const sendProblem = (response: ServerResponse, problem: Problem, extra?: OutgoingHttpHeaders): void =>
  sendJson(response, problem.status, textOf(problem), { ...problem.headers, ...extra });

/** For requests whose body was not read. */
export const refuseWith = (
  request: IncomingMessage,
  response: ServerResponse,
  problem: Problem,
  extra?: OutgoingHttpHeaders,
): void => refuse(request, response, problem.status, textOf(problem), { ...problem.headers, ...extra });
