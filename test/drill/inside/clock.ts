/** A clock that the drill moves. Short pauses are over with the next turn of the event loop: who tries again does so at once. */
import type { Clock } from '../../../src/serve/durable/clock.js';

const SHORT_MS = 1_000;
const TURNS = 8;

export interface DrillClock extends Clock {
  advance(ms: number): void;
}

export const drillClock = (): DrillClock => {
  const sleepers = new Set<{ due: number; wake(): void }>();
  let now = 0;
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
      for (const { due, wake } of [...sleepers]) if (due <= now) wake();
    },
    sleep: (ms, signal) => {
      if (ms <= SHORT_MS) return new Promise((resolve) => setImmediate(resolve));
      return new Promise((resolve) => {
        const wake = (): void => {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const sleeper = { due: now + ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', wake);
      });
    },
  };
};

/** Whatever was begun and waits for nothing but the event loop has ended. */
export const settled = async (): Promise<void> => {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
};
