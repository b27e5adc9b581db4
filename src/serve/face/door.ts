/** The REST face on a port. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { asTreadleError } from '../../errors.js';
import { type Bytes, readBytes } from '../http/body.js';
import { type Allowed, guardOf } from '../http/guard.js';
import { DEFAULT_LIMITS, type HttpLimits } from '../http/limits.js';
import { type Listening, listen } from '../http/listen.js';
import { isCut } from './cut.js';
import { DEFAULT_BODY_BYTES, tooLarge } from './fetch.js';
import { plainProblem } from './problem.js';
import type { FaceRequest, FaceResponse } from './types.js';

export interface FaceDoorOptions {
  answer: (request: FaceRequest) => FaceResponse | Promise<FaceResponse>;
  host?: string;
  port?: number;
  /** Further names that Host and Origin may hold; pages of loopback may always ask (CORS). */
  allowed?: Allowed;
  bodyBytes?: number;
  limits?: Partial<HttpLimits>;
  /** The process may end though it listens. */
  unref?: boolean;
}

/** Of a body that is too large so much is taken before the answer: whoever still sends when the connection ends would never read it. */
const DRAIN = 64 * 1024 * 1024;

const flat = (headers: IncomingMessage['headers']): Record<string, string | undefined> => {
  const out: Record<string, string | undefined> = {};
  for (const name in headers) {
    const value = headers[name];
    out[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return out;
};

const write = (
  response: ServerResponse,
  { status, headers, body }: FaceResponse,
  extra: Record<string, string>,
): void => {
  if (response.destroyed || response.writableEnded) return;
  if (isCut({ status, headers, body })) {
    response.destroy();
    return;
  }
  const hasNone = status === 204 || status === 304;
  // What a HEAD would have as a body is not made.
  const isUnsaid = hasNone || (body === undefined && response.req.method === 'HEAD');
  const length = isUnsaid ? {} : { 'content-length': body === undefined ? 0 : Buffer.byteLength(body) };
  try {
    response.writeHead(status, { ...headers, ...extra, ...length });
  } catch (thrown) {
    // A header that HTTP cannot carry must not end the process.
    const message = `The answer has a header that cannot be sent: ${asTreadleError(thrown, 'infrastructure').message}`;
    write(response, plainProblem({ status: 500, code: 'bad_header', message }), {});
    return;
  }
  if (hasNone || body === undefined) response.end();
  else response.end(body);
};

/** `http://127.0.0.1:4010/pets`, as clients of proxies send it, says the host in place of the header (RFC 9112, 3.2.2). */
const targetOf = (url: string, host: string | undefined): { host: string | undefined; url: string } => {
  const [, named, rest = ''] = /^http:\/\/([^/?#]+)(.*)$/is.exec(url) ?? [];
  if (named === undefined) return { host, url };
  return { host: named, url: rest.startsWith('/') ? rest : `/${rest}` };
};

/** Throws `cannot_listen`. */
export const serveFace = async ({
  answer,
  host = '127.0.0.1',
  port = 0,
  allowed = {},
  bodyBytes = DEFAULT_BODY_BYTES,
  limits,
  unref = false,
}: FaceDoorOptions): Promise<Listening> => {
  const guard = guardOf({ hosts: [host, ...(allowed.hosts ?? [])], origins: allowed.origins });
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = 'GET', headers } = request;
    const { host: called, url } = targetOf(request.url ?? '/', headers.host);
    const { origin } = headers;
    const cors: Record<string, string> =
      origin === undefined
        ? {}
        : { 'access-control-allow-origin': origin, 'access-control-expose-headers': '*', vary: 'origin' };
    if (!guard.isHost(called) || !guard.isOrigin(origin)) {
      const message = guard.isHost(called)
        ? 'Requests from this origin are not taken'
        : 'This server is not called that';
      write(response, plainProblem({ status: 403, code: 'forbidden', message }), { connection: 'close' });
      return;
    }
    if (method === 'OPTIONS' && headers['access-control-request-method'] !== undefined) {
      const asked = headers['access-control-request-headers'];
      write(
        response,
        { status: 204, headers: { 'access-control-max-age': '600' }, body: undefined },
        {
          ...cors,
          'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
          'access-control-allow-headers': typeof asked === 'string' ? asked : '*',
        },
      );
      return;
    }
    const take = (body: Bytes): void => {
      if (body === 'too_large') {
        write(response, tooLarge(bodyBytes), { ...cors, connection: 'close' });
        return;
      }
      const cut = url.indexOf('?');
      const answered = answer({
        method,
        path: cut < 0 ? url : url.slice(0, cut),
        query: cut < 0 ? '' : url.slice(cut + 1),
        headers: flat(headers),
        body,
        origin: `http://${called}`,
        gone: (then) => response.once('close', then),
      });
      if (answered instanceof Promise) void answered.then((made) => write(response, made, cors));
      else write(response, answered, cors);
    };
    readBytes(request, bodyBytes, take, { drain: DRAIN });
  };
  return listen(listener, host, port, { ...DEFAULT_LIMITS, ...limits }, { unref });
};
