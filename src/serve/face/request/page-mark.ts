/**
 * Page marks as clients send them: an empty one is none, one beyond all rows asks for the empty page there, and an offset may be typed
 * as text by a document whose offsets are no numbers.
 */

import type { Binding } from '../../../artifacts/face.js';
import type { HttpOperation } from '../../../document/http.js';
import { MAX_OFFSET } from '../../../world/surface/cursor.js';
import { pageParamOf } from '../answer/paging.js';
import type { DecodedRequest } from '../types.js';

export const withPlainMark = (http: HttpOperation, binding: Binding, decoded: DecodedRequest): DecodedRequest => {
  const page = pageParamOf(http, binding);
  if (page === undefined) return decoded;
  const key = `query ${page.name}`;
  const mark = decoded.params[key];
  if (mark === '') {
    const { [key]: _, ...params } = decoded.params;
    return { ...decoded, params };
  }
  if (page.style === 'cursor' || page.style === 'after') return decoded;
  const at = typeof mark === 'string' && /^\d{1,15}$/.test(mark) ? Number(mark) : mark;
  if (typeof at !== 'number') return decoded;
  return { ...decoded, params: { ...decoded.params, [key]: Math.min(at, MAX_OFFSET) } };
};
