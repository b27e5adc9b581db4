/** A ModelClient over the openai package: any OpenAI-compatible endpoint (vLLM, SGLang, llama.cpp, hosted). */
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI, { APIError } from 'openai';
import { TreadleError } from '../errors.js';
import { rng } from '../kit/rng.js';
import { cappedFetch } from './capped-fetch.js';
import { failureOf, type Place, shownUrl } from './failures.js';
import type { ChatReply, ChatRequest, ModelClient, Sampling } from './types.js';
import { fromWire, toWire } from './wire.js';

export interface EndpointOptions {
  /** Where `/chat/completions` is appended to. */
  baseUrl: string;
  model: string;
  /** Absent: no authorization header; the environment is never consulted. */
  apiKey?: string;
  /** Sent with every request; a request's own sampling goes before it. */
  sampling?: Sampling;
  /** For one attempt, answer body included. */
  timeoutMs?: number;
  /** Further attempts after 429, 5xx, a broken answer or a lost connection. */
  maxRetries?: number;
  /** First pause between attempts; it doubles, up to 30 s, and a Retry-After header goes before it. */
  backoffMs?: number;
}

const LONGEST_PAUSE_MS = 60_000;

/** Seconds or milliseconds of a Retry-After header; dates are not followed, since they need a wall clock. */
const askedPause = (cause: unknown): number | undefined => {
  const headers = cause instanceof APIError ? cause.headers : undefined;
  const ms = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(ms)) return ms;
  const seconds = Number(headers?.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : undefined;
};

const pauseMs = (error: TreadleError, attempt: number, options: EndpointOptions, jitter: number): number => {
  const own = Math.min((options.backoffMs ?? 500) * 2 ** attempt * jitter, 30_000);
  return Math.min(askedPause(error.cause) ?? own, LONGEST_PAUSE_MS);
};

const cut = (): TreadleError =>
  new TreadleError({ code: 'cut', message: 'The request was called off', fault: 'infrastructure' });

/** Connects to nothing yet. Throws `bad_endpoint` for a URL that is none. */
export const endpoint = (options: EndpointOptions): ModelClient => {
  const { model, baseUrl, apiKey, timeoutMs = 120_000, maxRetries = 4 } = options;
  const place: Place = { url: shownUrl(baseUrl), model, timeoutMs, ...(apiKey ? { apiKey } : {}) };
  const openai = new OpenAI({
    baseURL: baseUrl,
    // The package wants some key and would take one from the environment: it is set, and the header dropped, when there is none.
    apiKey: apiKey || 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    defaultHeaders: apiKey ? {} : { Authorization: null },
    maxRetries: 0,
    timeout: timeoutMs + 1000,
    logLevel: 'off',
    fetch: cappedFetch,
  });
  // Requests that fail together must not all come back at the same moment.
  const random = rng(model, 'backoff');
  // An endpoint that never answered and was given up once is asked again, but no longer waited for.
  const known = { hasAnswered: false, wasGivenUp: false };
  const attempt = async (body: Record<string, unknown>, signal?: AbortSignal): Promise<ChatReply> => {
    const clock = AbortSignal.timeout(timeoutMs);
    try {
      const either = signal ? AbortSignal.any([clock, signal]) : clock;
      return fromWire(await openai.post('/chat/completions', { body, signal: either }));
    } catch (thrown) {
      if (signal?.aborted) throw cut();
      throw failureOf(thrown, place, clock.aborted);
    }
  };
  return {
    model,
    chat: async (request: ChatRequest, signal?: AbortSignal): Promise<ChatReply> => {
      const body = toWire(model, { ...request, sampling: { ...options.sampling, ...request.sampling } });
      for (let n = 0; ; n++) {
        try {
          const reply = await attempt(body, signal);
          known.hasAnswered = true;
          return reply;
        } catch (thrown) {
          const error = thrown as TreadleError;
          const isHopeless = known.wasGivenUp && !known.hasAnswered;
          if (!error.isRetryable || n >= maxRetries || isHopeless) {
            known.wasGivenUp = true;
            throw error;
          }
          await sleep(pauseMs(error, n, options, 0.75 + random.unit() / 2), undefined, signal ? { signal } : {}).catch(
            () => {
              throw cut();
            },
          );
        }
      }
    },
  };
};
