/** Runtime expressions of callbacks (OpenAPI 3.1, 4.8.20): `{$request.body#/callbackUrl}?id={$response.body#/id}`. */
import type { DecodedRequest, FaceRequest, FaceResponse } from '../types.js';

export interface Exchange {
  request: FaceRequest;
  decoded: DecodedRequest | undefined;
  response: FaceResponse;
}

const parsed = (body: FaceResponse['body']): unknown => {
  if (body === undefined) return undefined;
  try {
    return JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
};

const pointed = (value: unknown, pointer: string): unknown => {
  let at = value;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
};

const inMessage = (source: string, value: unknown, headers: Readonly<Record<string, unknown>>): unknown => {
  if (source.startsWith('header.')) return headers[source.slice(7).toLowerCase()];
  if (source === 'body') return value;
  return source.startsWith('body#') ? pointed(value, source.slice(5)) : undefined;
};

const valueAt = (expression: string, { request, decoded, response }: Exchange): unknown => {
  if (expression === '$url') return `${request.origin}${request.path}${request.query ? `?${request.query}` : ''}`;
  if (expression === '$method') return request.method;
  if (expression === '$statusCode') return response.status;
  if (expression.startsWith('$response.'))
    return inMessage(expression.slice(10), parsed(response.body), response.headers);
  if (!expression.startsWith('$request.')) return undefined;
  const source = expression.slice(9);
  const [, place, name = ''] = /^(path|query)\.(.+)$/.exec(source) ?? [];
  return place === undefined ? inMessage(source, decoded?.body, request.headers) : decoded?.params[`${place} ${name}`];
};

/** Undefined where a value is missing: nobody asked to be called then. */
export const resolved = (expression: string, exchange: Exchange): string | undefined => {
  const plain = expression.startsWith('$') ? `{${expression}}` : expression;
  let isMissing = false;
  const text = plain.replace(/\{(\$[^}]+)\}/g, (_, inner: string) => {
    const value = valueAt(inner, exchange);
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    isMissing = true;
    return '';
  });
  return isMissing ? undefined : text;
};
