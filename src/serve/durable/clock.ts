/** The seam to time: milliseconds that never go backwards, on the process's own clock unless a test brings another. */
import { elapsedMs } from '../../kit/clock.js';

export interface Clock {
  now(): number;
  /** Resolves after `ms`; early, without an error, when `signal` is aborted. Does not keep the process alive. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const processClock: Clock = {
  now: elapsedMs,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      timer.unref();
      signal?.addEventListener('abort', end);
    }),
};
