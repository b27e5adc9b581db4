/** The calls of one session, in order: a persistent list that forks share. */
import type { LedgerEntry } from '../../artifacts/trace.js';
import type { ServedEntry } from '../api.js';

export interface Ledger {
  readonly length: number;
  /** `ms`: wall-clock milliseconds the call took. Never throws; a dropped ledger ignores it. The entry must not change afterwards. */
  push(entry: LedgerEntry, ms: number): void;
  /** Undefined outside 0..length-1. Throws as `entries` does. */
  at(index: number): ServedEntry | undefined;
  last(): ServedEntry | undefined;
  /**
   * All entries, with their milliseconds; not to be changed by the reader, who may be handed the same array again.
   * Throws `ledger_lost` (infrastructure) where the disk no longer has what was spilled, `ledger_dropped` after `drop`.
   */
  entries(): ServedEntry[];
  /** As `entries`, without wall-clock times: what a trace keeps and a verifier reads. */
  calls(): readonly LedgerEntry[];
  /** A ledger with the same entries so far, O(1). */
  fork(): Ledger;
  /** Moves what it holds in memory to disk, and keeps it where the disk fails. Nothing where there is no disk. */
  spill(): void;
  /** Gives back what no other ledger shares. Optional and repeatable: a ledger out of reach is dropped in time. */
  drop(): void;
}

/** Calls and their milliseconds, side by side: the times are added only for who asks for them. */
export interface Run {
  calls: LedgerEntry[];
  ms: number[];
  /** Bytes of heap that each call is counted with, where they were counted. */
  sizes?: number[];
}

export const served = (call: LedgerEntry, ms: number): ServedEntry => ({ ...call, ms });
