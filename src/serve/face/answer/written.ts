/** A value as the bytes of a media type. */
import type { Json } from '../../../kit/hash.js';
import { isJson } from './media.js';

export const written = (value: Json, type: string): string | Uint8Array => {
  if (isJson(type)) return JSON.stringify(value);
  if (typeof value === 'string') return value;
  return JSON.stringify(value);
};
