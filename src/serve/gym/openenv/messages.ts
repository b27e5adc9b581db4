/** OpenEnv's WebSocket messages: what comes in, what goes out, and the codes of its errors. */
import { TreadleError } from '../../../errors.js';
import { parseJson } from '../json-request.js';
import { problemOf } from '../problem.js';
import { isRecord } from '../record.js';

export type SocketCode =
  | 'INVALID_JSON'
  | 'UNKNOWN_TYPE'
  | 'VALIDATION_ERROR'
  | 'EXECUTION_ERROR'
  | 'CAPACITY_REACHED'
  | 'SESSION_ERROR';

export type Incoming = { type: string; data: unknown } | { refused: string };

const message = (type: string, data: object): string => JSON.stringify({ type, data });

export const observationMessage = (data: object): string => message('observation', data);
export const stateMessage = (data: object): string => message('state', data);
export const rpcMessage = (data: object): string => message('mcp', data);
export const errorMessage = (code: SocketCode, text: string, more: object = {}): string =>
  message('error', { message: text, code, ...more });

/** Reads one message; what is none of them comes back as the error to send. */
export const readIncoming = (text: string): Incoming => {
  const parsed = parseJson(text);
  if ('fault' in parsed || text === '')
    return { refused: errorMessage('INVALID_JSON', 'fault' in parsed ? parsed.fault : 'An empty message') };
  const { value } = parsed;
  if (!isRecord(value) || typeof value.type !== 'string')
    return { refused: errorMessage('VALIDATION_ERROR', 'A message is an object with a type') };
  return { type: value.type, data: value.data };
};

const codeOf = (error: TreadleError): SocketCode => {
  if (error.code === 'at_capacity') return 'CAPACITY_REACHED';
  if (error.code === 'unknown_session' || error.code.startsWith('session_')) return 'SESSION_ERROR';
  return error.fault === 'input' && error.code !== 'not_reset' && error.code !== 'episode_done'
    ? 'VALIDATION_ERROR'
    : 'EXECUTION_ERROR';
};

/** What was thrown, as an error message; `reason` is our own code, `retry_after_s` says that it may go better later. */
export const thrownMessage = (thrown: unknown, more: object = {}): string => {
  const { code: reason, message: text, next } = problemOf(thrown);
  if (!(thrown instanceof TreadleError)) return errorMessage('EXECUTION_ERROR', text, { reason });
  const retry = thrown.isRetryable ? { retry_after_s: 5 } : {};
  return errorMessage(codeOf(thrown), text, { reason, next, ...retry, ...more });
};
