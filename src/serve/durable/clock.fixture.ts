/** A clock that a test moves: pauses up to `elapsing` milliseconds are over at once, longer ones when `advance` says so. */
import type { Clock } from './clock.js';

export interface HandClock extends Clock {
  advance(ms: number): void;
  /** Pauses that were over at once. */
  readonly slept: number[];
}

interface Sleeper {
  due: number;
  wake(): void;
}

export const handClock = (elapsing = 0): HandClock => {
  const sleepers = new Set<Sleeper>();
  const slept: number[] = [];
  let now = 0;
  const advance = (ms: number): void => {
    now += ms;
    for (const sleeper of sleepers) if (sleeper.due <= now) sleeper.wake();
  };
  return {
    slept,
    advance,
    now: () => now,
    sleep: (ms, signal) => {
      if (signal?.aborted) return Promise.resolve();
      if (ms <= elapsing) {
        slept.push(ms);
        advance(ms);
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        const wake = (): void => {
          sleepers.delete(sleeper);
          resolve();
        };
        const sleeper = { due: now + ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', wake, { once: true });
      });
    },
  };
};
