/** The transport to a server behind a URL, with bounded answers. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { CallBroken, TOO_LARGE } from './faults.js';
import type { OutsideSpec } from './spec.js';
import { LINE_BYTES } from './stdio.js';

type Fetch = typeof fetch;

/** Cuts a body that is larger than a result may be; streams of events are counted from one reconnection to the next. */
const capped = (body: ReadableStream<Uint8Array>, limit: number): ReadableStream<Uint8Array> => {
  let seen = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        seen += chunk.byteLength;
        if (seen > limit) controller.error(new CallBroken(TOO_LARGE));
        else controller.enqueue(chunk);
      },
    }),
  );
};

/** `heard` is told the status of every answer. */
export const cappedFetch =
  (limit: number, heard: (status: number) => void, underlying: Fetch = fetch): Fetch =>
  async (input, init) => {
    const response = await underlying(input, init);
    const { body, status, statusText, headers } = response;
    heard(status);
    if (body === null) return response;
    const bounded = new Response(capped(body, limit), { status, statusText, headers });
    // Redirects are resolved against it.
    return Object.defineProperty(bounded, 'url', { value: response.url });
  };

export type HttpSpec = Extract<OutsideSpec['transport'], { http: unknown }>['http'];

export const httpTransport = (
  { url, headers }: HttpSpec,
  heard: (status: number) => void,
): StreamableHTTPClientTransport =>
  new StreamableHTTPClientTransport(new URL(url), {
    ...(headers ? { requestInit: { headers } } : {}),
    fetch: cappedFetch(LINE_BYTES, heard),
  });
