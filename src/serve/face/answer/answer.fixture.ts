/** Small documents and requests for the tests of this folder. */
import type { FaceAnswer } from '../../../artifacts/face.js';
import { httpOperations } from '../../../document/http.js';
import type { Node } from '../../../document/node.js';
import { refsOf } from '../../../document/refs.js';
import type { FaceRequest } from '../types.js';
import { type AnswerContext, type Answerer, answererOf } from './answerer.js';

export const request = (
  method: string,
  path: string,
  more: { query?: string; headers?: Record<string, string> } = {},
): FaceRequest => ({
  method,
  path,
  query: more.query ?? '',
  headers: more.headers ?? {},
  body: undefined,
  origin: 'http://127.0.0.1:4010',
});

export const context = (asked: FaceRequest, more: Partial<AnswerContext> = {}): AnswerContext => ({
  request: asked,
  seed: 'test',
  now: 1_750_000_000,
  ...more,
});

/** Answers of one operation of a document, as if a tool stood behind it. */
export const answererFor = (
  root: Node,
  label: string,
  answer?: FaceAnswer,
  query: readonly string[] = [],
): Answerer => {
  const refs = refsOf(root);
  const http = httpOperations(root, refs).find((one) => one.label === label);
  if (!http) throw new Error(`no operation ${label}`);
  const binding =
    answer === undefined
      ? undefined
      : {
          operation: label,
          tool: 'tool',
          args: query.map((name) => ({ to: [name], in: 'query' as const, name })),
          answer,
          tier: 'spec' as const,
        };
  return answererOf({ http, binding }, { root, refs, version: '3.0.3' });
};

/** A document with one operation and one answer. */
export const documentOf = (
  schema: unknown,
  more: { method?: string; path?: string; status?: string; answers?: Node; extra?: Node } = {},
): Node => ({
  openapi: '3.0.3',
  paths: {
    [more.path ?? '/pets/{id}']: {
      [more.method ?? 'get']: {
        ...more.extra,
        responses: {
          [more.status ?? '200']: { description: 'fine', content: { 'application/json': { schema } } },
          ...more.answers,
        },
      },
    },
  },
});

export const bodyOf = (response: { body: string | Uint8Array | undefined }): unknown =>
  response.body === undefined ? undefined : JSON.parse(String(response.body));
