/** Benches of ownership for tests, by implementation. */
import { manualClock, oneFault } from '../drill.fixture.js';
import { openStore } from '../store/libsql.js';
import { memoryOwnership } from './memory.js';
import type { OwnershipBench } from './ownership.contract.js';
import { type OwnershipOptions, storeOwnership } from './stored.js';

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
