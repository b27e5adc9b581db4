/** Times and sizes of a front. */
export interface FrontLimits {
  /** Sessions that are not closed, over all workers. */
  capacity: number;
  /** How long a request waits for a session that has no owner just now, or for a worker that takes a new one. */
  waitMs: number;
  /** Requests that wait so at once; beyond it they are refused at once. */
  waiting: number;
  /** A started process says hello, and is ready, by then. */
  helloMs: number;
  readyMs: number;
  /** Without a report for so long a worker gets no new sessions; for so long again, and nobody else says whether it lives, it is given up. */
  lateMs: number;
  lostMs: number;
  /** Resident memory of a worker beyond which it gets no new sessions and loses those it has. */
  memoryBytes: number;
  /** Free disk below which the same happens. */
  diskBytes: number;
  /** How often health is looked at. */
  healthMs: number;
  /** Sessions that move at once. */
  moves: number;
  /** A process that is to end and does not is ended after this long. */
  graceMs: number;
  /** Of a worker that ended: it is started again after `firstMs`, twice that the next time, at most `mostMs`. */
  again: { firstMs: number; mostMs: number };
  /** Starts in a row that ended within `stableMs` after which a place is given up. */
  starts: number;
  stableMs: number;
}

const MIB = 1024 * 1024;

export const FRONT_LIMITS: FrontLimits = {
  capacity: 10_000,
  waitMs: 10_000,
  waiting: 10_000,
  helloMs: 60_000,
  readyMs: 300_000,
  lateMs: 5_000,
  lostMs: 15_000,
  memoryBytes: 4_096 * MIB,
  diskBytes: 256 * MIB,
  healthMs: 500,
  moves: 32,
  graceMs: 10_000,
  again: { firstMs: 250, mostMs: 10_000 },
  starts: 5,
  stableMs: 10_000,
};
