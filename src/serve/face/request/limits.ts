/** How much of a request is read. */
import type { FaceError } from '../types.js';

export interface Limits {
  /** Bytes of a body. */
  bytes: number;
  /** Pairs of a query or a form. */
  pairs: number;
}

export const DEFAULT_LIMITS: Limits = { bytes: 10 * 1024 * 1024, pairs: 100_000 };

export const tooLarge = (limit: number): FaceError => ({
  status: 413,
  code: 'body_too_large',
  message: `The body is larger than ${limit} bytes.`,
});

/**
 * A body as it comes in; an error once it is over the limit, and nothing is kept or read any further. `declared` is the request's
 * content-length, which alone may be too much.
 */
export const readBody = async (
  source: AsyncIterable<Uint8Array>,
  declared: string | undefined,
  limit = DEFAULT_LIMITS.bytes,
): Promise<Uint8Array | FaceError> => {
  if (Number(declared) > limit) return tooLarge(limit);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    size += chunk.byteLength;
    if (size > limit) return tooLarge(limit);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, size);
};
