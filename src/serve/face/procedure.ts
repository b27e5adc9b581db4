/**
 * APIs of procedures (`/conversations.list`) take every call as a POST of a form, also those that their document has as a GET: their own
 * clients send nothing else.
 */
import { FORM } from './request/media.js';
import type { FaceRequest } from './types.js';

const PROCEDURE = /\/\w+(\.\w+)+$/;
const LONGEST = 65_536;

/** The same call as a GET; undefined for what is none of these. */
export const asGet = (request: FaceRequest): FaceRequest | undefined => {
  const { method, path, query, headers, body } = request;
  if (method !== 'POST' || !PROCEDURE.test(path)) return undefined;
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  const isForm = type === FORM && (body?.byteLength ?? 0) <= LONGEST;
  if (body !== undefined && body.byteLength > 0 && !isForm) return undefined;
  const sent = body === undefined ? '' : Buffer.from(body).toString('utf8');
  return { ...request, method: 'GET', query: [query, sent].filter(Boolean).join('&'), body: undefined };
};
