/** Entity tags and the conditions of a request: RFC 9110, 13. */
import { hash } from 'node:crypto';
import type { FaceRequest } from '../types.js';

/** A strong tag of the bytes of a body, quotes included. */
export const etagOf = (body: string | Uint8Array): string => `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;

const listed = (header: string, etag: string, weak: boolean): boolean => {
  const plain = etag.replace(/^W\//, '');
  return header.split(',').some((part) => {
    const tag = part.trim();
    if (tag === '*') return true;
    return weak ? tag.replace(/^W\//, '') === plain : tag === etag && !tag.startsWith('W/');
  });
};

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

const secondsOf = (text: string | undefined): number => (text === undefined ? Number.NaN : Date.parse(text) / 1000);

/**
 * What the conditions of a request make of it, given the tag of what is there now (undefined where nothing is) and the unix second of
 * its last change: 304, 412, or undefined where it goes on.
 */
export const precondition = (
  request: Pick<FaceRequest, 'method' | 'headers'>,
  etag: string | undefined,
  modified?: number,
): 304 | 412 | undefined => {
  const match = request.headers['if-match'];
  if (match !== undefined && (etag === undefined || !listed(match, etag, false))) return 412;
  const unchanged = secondsOf(request.headers['if-unmodified-since']);
  if (match === undefined && modified !== undefined && modified > unchanged) return 412;
  const none = request.headers['if-none-match'];
  if (none !== undefined) {
    if (etag === undefined || !listed(none, etag, true)) return undefined;
    return isRead(request.method) ? 304 : 412;
  }
  const since = secondsOf(request.headers['if-modified-since']);
  return isRead(request.method) && modified !== undefined && modified <= since ? 304 : undefined;
};
