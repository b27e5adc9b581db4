/** What a build tells its worker processes, and what they note on the way. */
import type { BuildOptions } from '../build.js';
import type { Slot } from '../record.js';

export interface Setup {
  options: BuildOptions;
}

/** A slot to fill, and what was remembered of it. */
export interface Asked {
  index: number;
  known?: Slot;
}

export type Note =
  /** A slot's world is on disk, or was given up. */
  | { kept: number; slot: Slot }
  /** Milliseconds that stages of the last batch took. */
  | { timesMs: Record<string, number> };
