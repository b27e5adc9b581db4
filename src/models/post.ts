/** JSON over HTTP to a model server, with connections kept and failures typed. node:http, since fetch costs half a millisecond. */
import { Agent, type IncomingMessage, request as plain } from 'node:http';
import { Agent as SecureAgent, request as secure } from 'node:https';
import { TreadleError } from '../errors.js';
import type { Backend } from './backend.js';
import { failureOf, type Place, shownUrl, statusFailure } from './failures.js';

/** Bytes of one answer that are taken; token ids and log probabilities of a long turn stay far below. */
export const LONGEST_ANSWER = 64 * 1024 * 1024;

/** What a server said with a failure: `cause` of the errors thrown here. */
export interface Refusal {
  status: number;
  /** What it asks to wait before the next attempt. */
  afterMs?: number;
  body: string;
}

export interface Server {
  /** `/v1` of the server, without a slash at its end. */
  base: URL;
  /** The server itself: what is not below /v1 (`/tokenize`, `/generate`) is there. */
  root: string;
  place: Place;
  headers: Record<string, string>;
  /** Milliseconds without a byte until an attempt is given up. */
  silenceMs: number;
}

const keep = {
  keepAlive: true,
  noDelay: true,
  maxSockets: Number.POSITIVE_INFINITY,
  maxFreeSockets: 1024,
  scheduling: 'lifo' as const,
};
const agents = { 'http:': new Agent(keep), 'https:': new SecureAgent(keep) };

/** Throws `bad_endpoint` for a URL that is none. */
export const serverOf = ({ baseUrl, model, apiKey }: Backend, silenceMs: number): Server => {
  const url = shownUrl(baseUrl);
  return {
    base: new URL(url),
    root: url.replace(/\/v1$/, ''),
    place: { url, model, timeoutMs: silenceMs, ...(apiKey ? { apiKey } : {}) },
    headers: { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
    silenceMs,
  };
};

const cut = (): TreadleError =>
  new TreadleError({ code: 'cut', message: 'The request was called off', fault: 'infrastructure' });

export const badAnswer = (message: string, value: unknown): TreadleError =>
  new TreadleError({
    code: 'bad_response',
    message,
    value,
    next: 'Look at the log of the model server; a proxy may cut long answers.',
    fault: 'infrastructure',
    isRetryable: true,
  });

/** The whole body as text. Throws for one that is cut or too long. */
export const readText = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LONGEST_ANSWER) {
      response.destroy();
      throw badAnswer(`The model endpoint sent more than ${LONGEST_ANSWER / 1024 / 1024} MB`, LONGEST_ANSWER);
    }
    chunks.push(chunk);
  }
  return (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)).toString('utf8');
};

const saidIn = (body: string): string => {
  try {
    const { error, message, detail } = JSON.parse(body) as Record<string, unknown>;
    const inner = error !== null && typeof error === 'object' ? (error as { message?: unknown }).message : error;
    const said = inner ?? message ?? detail;
    return typeof said === 'string' ? said : JSON.stringify(said ?? body);
  } catch {
    return body;
  }
};

const pauseAsked = (response: IncomingMessage): number | undefined => {
  const ms = Number(response.headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(ms)) return ms;
  const seconds = Number(response.headers['retry-after'] ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : undefined;
};

const refused = async (response: IncomingMessage, place: Place): Promise<TreadleError> => {
  const body = await readText(response).catch(() => '');
  const safe = place.apiKey ? body.replaceAll(place.apiKey, '***') : body;
  const said = saidIn(safe).replace(/\s+/g, ' ').trim();
  const afterMs = pauseAsked(response);
  const cause: Refusal = {
    status: response.statusCode ?? 0,
    ...(afterMs === undefined ? {} : { afterMs }),
    body: safe.slice(0, 20_000),
  };
  return statusFailure(cause.status, said.length > 300 ? `${said.slice(0, 297)}...` : said, place, cause);
};

/** Any failure on the way, as the error that `post` would throw. `isSilent`: our own clock ended it. */
export const failed = (thrown: unknown, server: Server, signal: AbortSignal, isSilent = false): TreadleError =>
  signal.aborted ? cut() : failureOf(thrown, server.place, isSilent);

/**
 * A POST whose answer has begun with 2xx; its body is still to be read. Throws TreadleError with fault `infrastructure`, as
 * ModelClient does; `cause` is a Refusal where the server answered at all.
 */
export const post = (server: Server, url: string, body: string, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    let isSilent = false;
    const target = new URL(url);
    const isSecure = target.protocol === 'https:';
    const bytes = Buffer.from(body);
    const sent = (isSecure ? secure : plain)(target, {
      method: 'POST',
      agent: agents[isSecure ? 'https:' : 'http:'],
      headers: { ...server.headers, 'content-length': bytes.length },
    });
    // By hand: the option of that name listens to far more, at a tenth of a millisecond a request.
    const stop = (): void => {
      sent.destroy(new Error('aborted'));
    };
    signal.addEventListener('abort', stop, { once: true });
    sent.once('close', () => signal.removeEventListener('abort', stop));
    if (signal.aborted) stop();
    sent.setTimeout(server.silenceMs, () => {
      isSilent = true;
      sent.destroy(new Error('silent'));
    });
    sent.on('error', (error) => reject(failed(error, server, signal, isSilent)));
    sent.on('response', (response) => {
      const status = response.statusCode ?? 0;
      if (status >= 200 && status < 300) resolve(response);
      else refused(response, server.place).then(reject, reject);
    });
    sent.end(bytes);
  });

/** A POST and its whole answer as text and as JSON. */
export const postJson = async (
  server: Server,
  url: string,
  body: object,
  signal: AbortSignal,
): Promise<{ text: string; json: unknown }> => {
  const response = await post(server, url, JSON.stringify(body), signal);
  try {
    const text = await readText(response);
    return { text, json: JSON.parse(text) };
  } catch (thrown) {
    if (thrown instanceof SyntaxError)
      throw badAnswer('The model endpoint answered with cut-off or broken JSON', thrown.message);
    throw failed(thrown, server, signal);
  }
};
