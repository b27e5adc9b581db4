/** What a run tells its worker processes, and what they note on the way. */
import type { TraceHead } from '../../../corpus/traces/line.js';
import type { RolloutOptions } from './plan.js';

export interface Setup {
  dir: string;
  options: RolloutOptions;
}

export type Note = { kept: TraceHead } | { skipped: readonly TraceHead[] } | { lost: number };
