/** The transport to a server behind a URL, with bounded answers. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { CallBroken, TOO_LARGE } from './faults.js';
import type { OutsideSpec } from './spec.js';
import { LINE_BYTES } from './stdio.js';

type Fetch = typeof fetch;

export interface HttpListener {
  /** Of every answer. */
  onStatus(status: number): void;
  /** The answer to a request was larger than a result may be, and cut: the client itself would wait for the rest of a stream. */
  onTooLarge(): void;
}

const capped = (
  body: ReadableStream<Uint8Array>,
  limit: number,
  onTooLarge: () => void,
): ReadableStream<Uint8Array> => {
  let seen = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        seen += chunk.byteLength;
        if (seen <= limit) return controller.enqueue(chunk);
        controller.error(new CallBroken(TOO_LARGE));
        onTooLarge();
      },
    }),
  );
};

/** Bodies are counted, streams of events from one reconnection to the next. */
export const cappedFetch =
  (limit: number, listener: HttpListener): Fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText, headers } = response;
    listener.onStatus(status);
    if (body === null) return response;
    const onTooLarge = (): void => {
      if (init?.method === 'POST') listener.onTooLarge();
    };
    const bounded = new Response(capped(body, limit, onTooLarge), { status, statusText, headers });
    // Redirects are resolved against it.
    return Object.defineProperty(bounded, 'url', { value: response.url });
  };

export type HttpSpec = Extract<OutsideSpec['transport'], { http: unknown }>['http'];

export const httpTransport = ({ url, headers }: HttpSpec, listener: HttpListener): StreamableHTTPClientTransport =>
  new StreamableHTTPClientTransport(new URL(url), {
    ...(headers ? { requestInit: { headers } } : {}),
    fetch: cappedFetch(LINE_BYTES, listener),
  });
