/** One HTTP exchange over kept connections. No deadlines: a long rollout is not cut; the caller's signal ends it. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { TreadleError } from '../../errors.js';

export interface Exchange {
  method: string;
  /** Below the server's URL, query included. */
  path: string;
  headers?: Record<string, string>;
  body?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface Heard {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

export interface Transport {
  /** Throws `no_connection` (retryable) when it broke before the whole answer was there, `aborted` when the signal said so. */
  exchange(exchange: Exchange): Promise<Heard>;
  close(): void;
}

const broken = (origin: string, cause: NodeJS.ErrnoException): TreadleError =>
  new TreadleError({
    code: 'no_connection',
    message: `The connection to the server failed: ${cause.code ?? cause.message}`,
    value: origin,
    next: 'Check that the server runs and that the address is that of its admin door.',
    fault: 'infrastructure',
    isRetryable: true,
    cause,
  });

export const abortedBy = (signal: AbortSignal): TreadleError =>
  new TreadleError({
    code: 'aborted',
    message: 'The caller called the request off',
    fault: 'infrastructure',
    cause: signal.reason,
  });

/** Throws `bad_url`. */
const readUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '') return url;
  throw new TreadleError({
    code: 'bad_url',
    message: 'The server is given by an http or https address without a query',
    value: text,
    next: 'Give for example http://127.0.0.1:4711.',
  });
};

/** `sockets`: most connections at once; further requests wait for one. */
export const httpTransport = (address: string, sockets: number): Transport => {
  const url = readUrl(address);
  const isSecure = url.protocol === 'https:';
  const agent = new (isSecure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: sockets });
  const base: RequestOptions = {
    agent,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    ...(url.port !== '' && { port: url.port }),
  };
  const prefix = url.pathname.replace(/\/+$/, '');
  const send = isSecure ? httpsRequest : httpRequest;

  const exchange = ({ method, path, headers = {}, body, signal }: Exchange): Promise<Heard> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(abortedBy(signal));
      const call = (): void => {
        sent.destroy();
      };
      const settle = (act: () => void): void => {
        signal?.removeEventListener('abort', call);
        act();
      };
      const fail = (cause: Error): void =>
        settle(() => reject(signal?.aborted ? abortedBy(signal) : broken(url.origin, cause)));
      const length = body === undefined ? undefined : Buffer.byteLength(body);
      const sent = send(
        {
          ...base,
          method,
          path: prefix + path,
          headers: {
            ...headers,
            ...(length !== undefined && { 'content-type': 'application/json', 'content-length': length }),
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', fail);
          response.on('end', () => {
            const { statusCode = 0, headers: heard, complete } = response;
            if (!complete) fail(new Error('the answer was cut off'));
            else settle(() => resolve({ status: statusCode, headers: heard, body: Buffer.concat(chunks) }));
          });
        },
      );
      sent.on('error', fail);
      signal?.addEventListener('abort', call, { once: true });
      sent.end(body);
    });

  return { exchange, close: () => agent.destroy() };
};
