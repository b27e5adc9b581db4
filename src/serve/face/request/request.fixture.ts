/** A document of one's own, its operations, and requests to them. */
import { schemaChecks } from '../../../document/checks.js';
import { basesOf, httpOperations } from '../../../document/http.js';
import type { Node } from '../../../document/node.js';
import { refsOf } from '../../../document/refs.js';
import type { DecodedRequest, FaceError, FaceRequest } from '../types.js';
import { decode } from './decode.js';
import { DEFAULT_LIMITS, type Limits } from './limits.js';
import { type Found, routerOf } from './router.js';
import { saidBy } from './said.js';

export interface Sent {
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Content type of the body. */
  type?: string;
}

export const requestOf = (method: string, target: string, { headers = {}, body, type }: Sent = {}): FaceRequest => {
  const at = target.indexOf('?');
  return {
    method,
    path: at < 0 ? target : target.slice(0, at),
    query: at < 0 ? '' : target.slice(at + 1),
    headers: { ...headers, ...(type === undefined ? {} : { 'content-type': type }) },
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
    origin: 'http://127.0.0.1:4010',
  };
};

export const serviceOf = (root: Node, version = '3.0.3', limits: Limits = DEFAULT_LIMITS) => {
  const refs = refsOf(root);
  const checks = schemaChecks(root, version, refs);
  const router = routerOf(
    httpOperations(root, refs).map((http) => ({ http })),
    basesOf(root),
  );
  const find = (request: FaceRequest) => router.find(request.method, request.path, saidBy(request));
  const ask = (
    method: string,
    target: string,
    sent: Sent = {},
  ): DecodedRequest | FaceError | Promise<DecodedRequest | FaceError> => {
    const request = requestOf(method, target, sent);
    const found = find(request);
    if (!found || !('operation' in found)) throw new Error(`no operation: ${method} ${target}`);
    return decode((found as Found).operation, found as Found, request, checks, limits);
  };
  return { router, checks, find, ask };
};

/** Operations with nothing in them, by label. */
export const pathsOf = (labels: readonly string[]): Node => {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const label of labels) {
    const [method = '', path = ''] = label.split(' ');
    const item = paths[path] ?? {};
    paths[path] = item;
    item[method.toLowerCase()] = { responses: { 200: { description: 'ok' } } };
  }
  return { paths };
};
