/** Errors as answers: a status by code and fault, the error's own fields as the body. */
import type { z } from 'zod';
import { asTreadleError, TreadleError } from '../../errors.js';

export interface Answer {
  status: number;
  type: string;
  /** Absent: no content. */
  body?: string | Uint8Array;
  headers?: Readonly<Record<string, string>>;
}

export const JSON_TYPE = 'application/json';

/** Codes whose status their fault does not tell. `unknown_*` is 404. */
const STATUS: Readonly<Record<string, number>> = {
  not_json: 400,
  not_utf8: 400,
  bad_json: 400,
  unwanted_body: 400,
  unauthorized: 401,
  wrong_host: 403,
  wrong_origin: 403,
  not_found: 404,
  method_not_allowed: 405,
  session_paused: 409,
  session_closed: 409,
  session_forked: 409,
  not_forkable: 409,
  no_task: 409,
  no_jobs: 409,
  rolled_back: 409,
  wrong_seq: 409,
  session_gone: 410,
  session_lost: 410,
  session_ended: 410,
  session_expired: 410,
  too_large: 413,
  not_json_type: 415,
  idempotency_conflict: 422,
};

/** Seconds a client should wait before it asks again. */
const RETRY_AFTER: Readonly<Record<string, number>> = { disk_full: 10, at_capacity: 2 };

export const statusOf = (error: TreadleError): number => {
  if (error.isRetryable) return 503;
  const known = Object.hasOwn(STATUS, error.code) ? STATUS[error.code] : undefined;
  if (known !== undefined) return known;
  if (error.code.startsWith('unknown_')) return 404;
  return error.fault === 'input' || error.fault === 'agent' || error.fault === 'user' ? 422 : 500;
};

/** Characters of an offending value that are sent back. */
const SHOWN = 500;

const shown = (value: unknown): unknown => {
  if (typeof value === 'string') return value.length > SHOWN ? `${value.slice(0, SHOWN)}...` : value;
  try {
    const text = JSON.stringify(value);
    return text === undefined || text.length <= SHOWN ? value : `${text.slice(0, SHOWN)}...`;
  } catch {
    // A bigint, or an object that holds itself.
    return String(value).slice(0, SHOWN);
  }
};

export const problemAnswer = (error: TreadleError, headers?: Readonly<Record<string, string>>): Answer => {
  const status = statusOf(error);
  const body = JSON.stringify({ error: { ...error.toJSON(), value: shown(error.value) } });
  if (status !== 503) return { status, type: JSON_TYPE, body, ...(headers && { headers }) };
  return {
    status,
    type: JSON_TYPE,
    body,
    headers: { 'retry-after': String(RETRY_AFTER[error.code] ?? 1), ...headers },
  };
};

/** What a handler threw. A throw that is no TreadleError tells the caller nothing of its inside. */
export const thrownAnswer = (thrown: unknown, onDefect: ((error: TreadleError) => void) | undefined): Answer => {
  const error = asTreadleError(thrown, 'infrastructure');
  if (statusOf(error) === 500) onDefect?.(error);
  if (thrown instanceof TreadleError) return problemAnswer(error);
  const message = 'The server failed at this request; it has been told to whoever runs it';
  return problemAnswer(new TreadleError({ code: 'unexpected', message, fault: 'infrastructure' }));
};

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inside, key) =>
      typeof inside === 'object' && inside !== null && Object.hasOwn(inside, key)
        ? (inside as Record<PropertyKey, unknown>)[key]
        : undefined,
    value,
  );

/** The first fault of an input, with the path where it is: `bad_request`. */
export const badInput = (where: string, value: unknown, { issues }: z.ZodError): TreadleError => {
  const { path, message } = issues[0]!;
  const place = [where, ...path.map(String)].join('.');
  return new TreadleError({
    code: 'bad_request',
    message: `${place}: ${message}`.slice(0, 1000),
    value: at(value, path),
    next: 'See /openapi.json for what is taken.',
  });
};
