/** What a build and its worker processes say to one another; structured clones, so that nothing is parsed twice. */
import type { BuildOptions } from '../build.js';
import type { Slot } from '../record.js';

/** A slot to fill, and what was remembered of it. */
export interface Order {
  index: number;
  known?: Slot;
}

export type ToWorker = { options: BuildOptions } | { orders: readonly Order[] } | 'stop' | 'end';

/** A failure of a worker as data: an error loses its class on the way. */
export interface Failure {
  code: string;
  message: string;
  value?: unknown;
  next?: string;
  fault: string;
}

export type FromWorker =
  /** A slot's world is on disk, or was given up. */
  | { kept: number; slot: Slot }
  | { said: string }
  /** The orders are done and proven (`index`es), unless it was told to stop before; resident memory in bytes. */
  | { done: readonly number[]; rss: number; timesMs: Record<string, number> }
  | { failed: Failure };
