/** Benches of ownership for tests: a clock that stands still, one failure at a time. */
import type { Clock } from '../clock.js';
import type { FaultPoint, FaultPoints } from '../faults/fault-points.js';
import { openStore } from '../store/libsql.js';
import { memoryOwnership } from './memory.js';
import type { OwnershipBench } from './ownership.contract.js';
import { type OwnershipOptions, storeOwnership } from './stored.js';

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

/** The next one to reach the point given last fails there. */
export const oneFault = (): FaultPoints & { failAt(point: FaultPoint): void } => {
  let armed: FaultPoint | undefined;
  const hit = (point: FaultPoint): void => {
    if (armed !== point) return;
    armed = undefined;
    throw Object.assign(new Error('a drill'), { code: 'EIO' });
  };
  return {
    failAt: (point) => {
      armed = point;
    },
    hit,
    reach: async (point) => hit(point),
  };
};

type Open = (options?: Omit<OwnershipOptions, 'faults'>) => Promise<OwnershipBench>;

/** By name; the folder is made when it is opened. */
export const OWNERSHIPS = (folder: () => string): Record<string, Open> => {
  const stored = async (where: string | undefined, options: OwnershipOptions = {}): Promise<OwnershipBench> => {
    const clock = manualClock();
    const faults = oneFault();
    const store = await openStore(where, { clock, faults });
    return {
      ownership: storeOwnership(store, { ...options, faults }),
      advance: clock.advance,
      failAt: faults.failAt,
      close: () => store.close(),
    };
  };
  return {
    memory: async (options = {}) => {
      const clock = manualClock();
      const faults = oneFault();
      const ownership = memoryOwnership(clock, { ...options, faults });
      return { ownership, advance: clock.advance, failAt: faults.failAt, close: async () => undefined };
    },
    'a store in memory': (options) => stored(undefined, options),
    'a store in a folder': (options) => stored(folder(), options),
  };
};
