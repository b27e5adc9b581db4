/** Bodies that were sent compressed. What one unpacks to is bounded as other bodies are. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { FaceError } from '../types.js';
import { type Limits, tooLarge } from './limits.js';

const UNPACK: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

export const inflated = (
  bytes: Uint8Array,
  encoding: string | undefined,
  limits: Limits,
): { bytes: Uint8Array } | { error: FaceError } => {
  const named = (encoding ?? '').trim().toLowerCase();
  if (named === '' || named === 'identity') return { bytes };
  if (!Object.hasOwn(UNPACK, named)) {
    const message = `The content encoding ${JSON.stringify(named.slice(0, 60))} is not taken. Send ${Object.keys(UNPACK).join(', ')} or none.`;
    return { error: { status: 415, code: 'unsupported_media_type', message } };
  }
  try {
    return { bytes: (UNPACK[named] as typeof gunzipSync)(bytes, { maxOutputLength: limits.bytes }) };
  } catch (thrown) {
    if (thrown instanceof RangeError) return { error: tooLarge(limits.bytes) };
    return { error: { status: 400, code: 'invalid_body', message: `The body is not ${named}.` } };
  }
};
