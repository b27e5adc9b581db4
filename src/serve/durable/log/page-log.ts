/**
 * A worker's log: what its sessions did since their last savepoint, appended before it is acknowledged (serving.md, seams). A folder
 * of checksummed segments an incarnation; nobody else ever writes there, others read it once the incarnation is dead.
 */

/** `mark`: the request was acknowledged, its effect is not in the log (`durable: none`). `delta`: what one request changed, on top of the
 * record before it. `whole`: all of the session. `gone`: it ended here, by closing and forgetting or by moving to another worker. `fork`: it
 * began as what another session of this log was, which the body names. The order is that of the form. */
export const KINDS = ['mark', 'delta', 'whole', 'gone', 'fork'] as const;
export type RecordKind = (typeof KINDS)[number];

export interface LogRecord {
  session: string;
  gen: number;
  /** State-changing requests so far, this one counted. */
  seq: number;
  kind: RecordKind;
  body: Uint8Array;
}

export interface PageLog {
  /** With the system when it returns: survives the death of the process. Throws `disk_full` (retryable) or `log_failed`, and then
   * nothing of it will be read back. `needs`: a session without whose records so far this one's is of no use: they stay as long as it. */
  append(record: LogRecord, needs?: string): void;
  /** Waits until all that was appended before is on the disk; callers at the same time share one fdatasync. Throws as `append`. */
  sync(): Promise<void>;
  /** A savepoint holds the session up to `seq` of `gen`: its records so far are of no use, and segments without any use go. */
  covered(session: string, gen: number, seq: number): void;
  /** Sessions that keep the oldest segment, where the log holds more than `bytes`: a savepoint of each lets it go. */
  laggards(bytes: number): string[];
  readonly bytes: number;
  readonly segments: number;
  /** Records written since it was opened. */
  readonly written: number;
  /** Flushes; further appends throw `log_failed`. */
  close(): void;
}

/** What a dead incarnation left. `damage`: places that could not be read, other than a torn end, which nobody was told had been kept. */
export interface ReadLog {
  records: LogRecord[];
  /** Damaged records that still tell whose they were. Without `at` nothing is left of the head; it is the last of its segment then. */
  hurt: { session: string; at?: Pick<LogRecord, 'gen' | 'seq'> }[];
  damage: { segment: string; offset: number; why: string }[];
}
