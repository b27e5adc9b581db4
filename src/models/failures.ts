/** What can go wrong with a model endpoint, in the words of somebody who has to mend it. */
import { APIConnectionError, APIError } from 'openai';
import { TreadleError } from '../errors.js';

export interface Place {
  /** The base URL without user, password and query. */
  url: string;
  model: string;
  timeoutMs: number;
  /** Removed wherever an endpoint echoes it. */
  apiKey?: string;
}

/** The base URL as it may be shown: no credentials, no query. Throws `bad_endpoint` for what is no http(s) URL. */
export const shownUrl = (baseUrl: string): string => {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new TreadleError({
      code: 'bad_endpoint',
      message: 'The model endpoint is not an http(s) URL',
      value: baseUrl.replace(/\/\/[^/@]*@/, '//'),
      next: 'Give a base URL such as http://127.0.0.1:8000/v1.',
    });
  }
  return `${url.origin}${url.pathname.replace(/\/$/, '')}`;
};

const failure = (
  code: string,
  message: string,
  value: unknown,
  next: string,
  isRetryable: boolean,
  cause?: unknown,
): TreadleError => new TreadleError({ code, message, value, next, fault: 'infrastructure', isRetryable, cause });

/** The endpoint's own words, without the key, at most 300 characters. */
const wordsOf = (error: APIError, place: Place): string => {
  const body = error.error as { message?: unknown; detail?: unknown } | string | undefined;
  const said = typeof body === 'string' ? body : (body?.message ?? body?.detail);
  const text = (typeof said === 'string' ? said : said === undefined ? error.message : JSON.stringify(said))
    .replace(/\s+/g, ' ')
    .trim();
  const safe = place.apiKey ? text.replaceAll(place.apiKey, '***') : text;
  return safe.length > 300 ? `${safe.slice(0, 297)}...` : safe;
};

const REJECTED: Record<number, string> = {
  401: 'Give a valid API key for this endpoint.',
  403: 'The key may not use this model: use another key or model.',
  404: 'Check the model name, and that the base URL ends where /chat/completions begins (usually /v1).',
};

/** What an HTTP status of an endpoint means; `said` are its own words. */
export const statusFailure = (status: number, said: string, place: Place, error?: unknown): TreadleError => {
  const value = `${place.model} at ${place.url}`;
  if (status === 429)
    return failure(
      'endpoint_busy',
      `The model endpoint keeps answering 429: ${said}`,
      value,
      'Lower the concurrency, or wait and run the command again.',
      true,
      error,
    );
  if (status >= 500 || status === 408)
    return failure(
      'endpoint_down',
      `The model endpoint answered ${status}: ${said}`,
      value,
      'Look at the server log, then run the command again.',
      true,
      error,
    );
  if (/context.{0,20}(?:length|window|size)|maximum.{0,20}tokens|too many tokens|prompt is too long/i.test(said)) {
    return failure(
      'context_exceeded',
      `The conversation is longer than the model's context: ${said}`,
      value,
      'Lower the observation size or the number of turns, or serve the model with a longer context.',
      false,
      error,
    );
  }
  const next =
    REJECTED[status] ?? 'Mend the request: check model name and sampling settings against what the endpoint supports.';
  return failure(
    'endpoint_rejected',
    `The model endpoint refused the request (${status}): ${said}`,
    value,
    next,
    false,
    error,
  );
};

/** The system's code (ECONNREFUSED) or the words of the innermost cause. */
const rootCause = (error: unknown): string => {
  let at: unknown = error;
  let code = '';
  let words = '';
  for (let depth = 0; depth < 6 && at instanceof Error; depth++) {
    code = String((at as { code?: unknown }).code ?? code);
    words = at.message;
    at = at.cause;
  }
  return code || words;
};

/** A typed failure for whatever the openai package threw. `timedOut`: our own clock ended the attempt. */
export const failureOf = (thrown: unknown, place: Place, timedOut: boolean): TreadleError => {
  if (thrown instanceof TreadleError) return thrown;
  const value = `${place.model} at ${place.url}`;
  if (timedOut)
    return failure(
      'endpoint_timeout',
      `The model endpoint gave no answer within ${place.timeoutMs / 1000} s`,
      value,
      'Raise the timeout, or look whether the server is overloaded.',
      true,
      thrown,
    );
  if (thrown instanceof APIError && typeof thrown.status === 'number')
    return statusFailure(thrown.status, wordsOf(thrown, place), place, thrown);
  if (thrown instanceof SyntaxError)
    return failure(
      'bad_response',
      'The model endpoint answered with cut-off or broken JSON',
      thrown.message,
      'Look at the server log; a proxy may cut long answers.',
      true,
      thrown,
    );
  if (thrown instanceof APIConnectionError || thrown instanceof Error) {
    const code = rootCause(thrown);
    return failure(
      'endpoint_down',
      `The model endpoint cannot be reached${code ? ` (${code})` : ''}`,
      value,
      'Start the server, or check the base URL.',
      true,
      thrown,
    );
  }
  return failure('endpoint_down', 'The model endpoint failed', String(thrown), 'Look at the server log.', true);
};
