/** The REST face as a Fetch-API handler, to mount in another server or to call with no server at all. */
import type { Control } from './control.js';
import { isCut } from './cut.js';
import type { RestFace } from './face.js';
import { inOwnPath } from './own-path.js';
import { plainProblem } from './problem.js';
import type { FaceRequest, FaceResponse } from './types.js';

export const DEFAULT_BODY_BYTES = 10 * 1024 * 1024;

/** Reads a body up to a limit; undefined when there is more. */
const bytesOf = async (request: Request, limit: number): Promise<Uint8Array | undefined> => {
  if (Number(request.headers.get('content-length') ?? 0) > limit) return undefined;
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
};

const toResponse = ({ status, headers, body }: FaceResponse): Response => {
  const list: [string, string][] = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, one]),
  );
  const hasNone = status === 204 || status === 304 || status === 205 || status < 200;
  return new Response(
    hasNone || body === undefined ? null : (body as NonNullable<ConstructorParameters<typeof Response>[0]>),
    { status, headers: list },
  );
};

export const tooLarge = (limit: number): FaceResponse =>
  plainProblem({ status: 413, code: 'body_too_large', message: `A body has at most ${limit} bytes` });

/** Whoever answers requests: control requests first, where they are served, then the document's operations. */
export const answerOf =
  (face: RestFace, control?: Control) =>
  (given: FaceRequest): FaceResponse | Promise<FaceResponse> => {
    const request = inOwnPath(given);
    return control?.takes(request.path) ? control.answer(request) : face.answer(request);
  };

export const fetchHandler =
  (answer: (request: FaceRequest) => FaceResponse | Promise<FaceResponse>, limit = DEFAULT_BODY_BYTES) =>
  async (request: Request): Promise<Response> => {
    const { pathname, search, origin } = new URL(request.url);
    if (request.signal.aborted) throw request.signal.reason;
    const body = await bytesOf(request, limit);
    if (body === undefined) return toResponse(tooLarge(limit));
    const headers: Record<string, string> = {};
    request.headers.forEach((value, name) => {
      headers[name] = value;
    });
    const answered = await answer({
      method: request.method.toUpperCase(),
      path: pathname,
      query: search.slice(1),
      headers,
      body: body.byteLength > 0 ? body : undefined,
      origin,
      gone: (then) => request.signal.addEventListener('abort', then, { once: true }),
    });
    // As of fetch itself: whoever gives up hears their own reason, whoever waits that nothing came.
    if (request.signal.aborted) throw request.signal.reason;
    if (isCut(answered))
      throw new TypeError('fetch failed', { cause: new Error('The other side closed the connection') });
    return toResponse(answered);
  };
