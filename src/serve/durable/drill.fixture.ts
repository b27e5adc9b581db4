/** What tests of the seams are drilled with: a clock that stands still, and one failure at a time. */
import type { Clock } from './clock.js';
import type { FaultPoint, FaultPoints } from './faults/fault-points.js';

export interface ManualClock extends Clock {
  advance(ms: number): void;
}

export const manualClock = (): ManualClock => {
  let now = 0;
  return {
    now: () => now,
    sleep: async () => undefined,
    advance: (ms) => {
      now += ms;
    },
  };
};

export interface OneFault extends FaultPoints {
  /** The next one to reach the point fails there, as the disk does that says `code`. */
  failAt(point: FaultPoint, code?: string): void;
}

export const oneFault = (): OneFault => {
  let armed: { point: FaultPoint; code: string } | undefined;
  const hit = (point: FaultPoint): void => {
    if (armed?.point !== point) return;
    const { code } = armed;
    armed = undefined;
    throw Object.assign(new Error('a drill'), { code });
  };
  return {
    failAt: (point, code = 'EIO') => {
      armed = { point, code };
    },
    hit,
    reach: async (point) => hit(point),
  };
};
