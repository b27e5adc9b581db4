/** The state of one call while its steps run. */
import type { Connection } from '../state/connection.js';
import type { Row, SqlValue } from '../state/types.js';
import type { Paging } from '../surface/answer.js';
import type { Args } from '../surface/decode.js';
import type { CallContext } from './types.js';

/** A bound value: a row or none, rows, a scalar, a list of scalars. */
export type Bound = Row | null | Row[] | SqlValue | boolean | Bound[] | undefined;

export interface Run {
  conn: Connection;
  ctx: CallContext;
  args: Args;
  /** Bound names by slot. */
  slots: Bound[];
  /** Turns that each steps may still take. */
  turns: number;
  /** Of the find that fills the answer. */
  paging?: Paging;
}

export type StepFn = (run: Run) => void;

/** A statement a tool may run, for its derived contract. */
export interface Planned {
  sql: string;
  /** The table a write is about; reads of others in it only check foreign keys. */
  writes?: string;
}

export interface CompiledStep {
  run: StepFn;
  /** In its fullest variant: all optional conditions and columns present. */
  plans: Planned[];
}
