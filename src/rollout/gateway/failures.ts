/** Failures as clients of either dialect understand them: which status, which type, and whether trying again helps. */
import type { TreadleError } from '../../errors.js';
import type { Refusal } from '../../models/post.js';
import type { Dialect } from './asked.js';

/** Budgets of a rollout; clients do not try 402 again, as they would 429. */
export const BUDGETS = ['turn_budget', 'token_budget', 'cost_budget'] as const;

const isBudget = (code: string): boolean => (BUDGETS as readonly string[]).includes(code);

/** Statuses with which a backend says that the request itself is wrong; the rest is the backend's, or our key's, own trouble. */
const CLIENTS_OWN = new Set([400, 413, 422]);

/** Whether the harness is to blame, and not the model's server: it may mend its request and go on. */
export const isClientsOwn = (error: TreadleError): boolean =>
  error.fault === 'agent' || CLIENTS_OWN.has((error.cause as Partial<Refusal> | undefined)?.status ?? 0);

const STATUS: Record<string, number> = {
  bad_request: 400,
  bad_token: 401,
  not_found: 404,
  too_large: 413,
  context_exceeded: 400,
  cut: 503,
};

export const statusOf = (error: TreadleError): number => {
  if (isBudget(error.code)) return 402;
  const known = STATUS[error.code];
  if (known !== undefined) return known;
  const { status = 0 } = (error.cause ?? {}) as Partial<Refusal>;
  if (CLIENTS_OWN.has(status) || status === 429) return status;
  return status >= 500 ? 502 : error.code === 'endpoint_timeout' ? 504 : 502;
};

const ANTHROPIC_TYPE: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  404: 'not_found_error',
  413: 'request_too_large',
  422: 'invalid_request_error',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};

const openaiType = (error: TreadleError, status: number): string =>
  isBudget(error.code) ? 'insufficient_quota' : status < 500 && status !== 429 ? 'invalid_request_error' : 'api_error';

/** The body of an error. Claude Code shortens its history at `prompt is too long`; OpenAI clients look at the code. */
export const errorBody = (error: TreadleError, dialect: Dialect): object => {
  const status = statusOf(error);
  const message = error.line();
  if (dialect === 'openai') {
    const code = error.code === 'context_exceeded' ? 'context_length_exceeded' : error.code;
    return { error: { message, type: openaiType(error, status), param: null, code } };
  }
  const said = error.code === 'context_exceeded' ? `prompt is too long: ${message}` : message;
  return { type: 'error', error: { type: ANTHROPIC_TYPE[status] ?? 'api_error', message: said } };
};
