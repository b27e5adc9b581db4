/** fetch with an end: an endpoint that streams without end must not fill the memory. */
import { TreadleError } from '../errors.js';

/** Bytes of an answer; token ids and log probabilities of a long turn stay far below. */
const LONGEST_BODY = 64 * 1024 * 1024;

const tooLong = (): TreadleError =>
  new TreadleError({
    code: 'bad_response',
    message: `The model endpoint sent more than ${LONGEST_BODY / 1024 / 1024} MB`,
    value: LONGEST_BODY,
    next: 'Check that the base URL is that of an OpenAI-compatible API.',
    fault: 'infrastructure',
  });

/** As fetch; reading the body throws `bad_response` past the limit. */
export const cappedFetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const response = await fetch(input, init);
  if (!response.body) return response;
  let read = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, out) => {
        read += chunk.byteLength;
        if (read > LONGEST_BODY) out.error(tooLong());
        else out.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(counted, { status, statusText, headers });
};
