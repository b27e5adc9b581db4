/** What a command and its worker processes say to one another; structured clones, so that nothing is parsed twice. */
import type { Json } from '../../../kit/hash.js';

/** A job as its worker sees it. */
export interface Order<Asked = unknown> {
  id: string;
  asked: Asked;
}

export type ToWorker = { setup: unknown } | { orders: readonly Order[] } | 'stop' | 'end';

export type FromWorker =
  | { done: string; result: Json }
  /** `error` as `errorJson` writes it. */
  | { failed: string; error: Json }
  /** Something to know on the way. */
  | { note: unknown }
  /** It wants more. Resident memory in bytes. */
  | { over: number };
