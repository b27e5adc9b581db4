/** Named places where a drill may make something go wrong (serving.md, seams). In production nothing is there but a call that returns. */

export const POINTS = [
  'log.append',
  'log.sync',
  'blob.put',
  'blob.get',
  'blob.delete',
  'store.tx',
  /** Before, and after it was done but not answered. */
  'ownership.claim',
  'ownership.claimed',
  'ownership.commit',
  'ownership.committed',
  'ownership.renew',
  /** A call ran; it was not logged, logged, answered. */
  'call.ran',
  'call.logged',
  'call.answered',
  'savepoint.packed',
  'savepoint.put',
  'recover.session',
] as const;
export type FaultPoint = (typeof POINTS)[number];

export interface FaultPoints {
  /** Throws, ends the process, or takes its time, as the drill says. */
  hit(point: FaultPoint): void;
  /** As `hit`, where waiting is possible. */
  reach(point: FaultPoint): Promise<void>;
}

const NOW = Promise.resolve();

export const NO_FAULTS: FaultPoints = { hit: () => {}, reach: () => NOW };
