/** What a run and its worker processes say to one another. */
import type { TraceHead } from '../../../corpus/traces/line.js';
import type { Failure } from '../crew/protocol.js';
import type { Picked } from './pick.js';
import type { RolloutOptions } from './plan.js';

export type ToRoller = { dir: string; options: RolloutOptions } | { picked: Picked } | 'stop' | 'end';

export type FromRoller =
  | { kept: TraceHead }
  | { skipped: readonly TraceHead[] }
  /** The world it was given is done, or as far as it came. */
  | { lost: number; failed?: Failure };
