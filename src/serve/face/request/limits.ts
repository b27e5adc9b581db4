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
