/** Time limits for one rollout. */
import { TreadleError } from '../errors.js';

export interface Deadline {
  signal: AbortSignal;
  /** The work's outcome, or a throw (`deadline`, `cut`) as soon as time is up, whether the work listens or not. */
  within<T>(work: () => Promise<T> | T): Promise<T>;
  clear(): void;
}

const over = (code: 'deadline' | 'cut', message: string): TreadleError =>
  new TreadleError({ code, message, fault: 'infrastructure', isRetryable: true });

/** Starts the clock; `signal` ends it early. */
export const deadlineOf = (ms: number | undefined, signal?: AbortSignal): Deadline => {
  const stop = new AbortController();
  const timer =
    ms === undefined
      ? undefined
      : setTimeout(() => stop.abort(over('deadline', `The rollout took longer than ${ms / 1000} s`)), ms);
  const called = (): void => stop.abort(over('cut', 'The rollout was called off'));
  if (signal?.aborted) called();
  signal?.addEventListener('abort', called, { once: true });
  const clear = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', called);
  };
  return {
    signal: stop.signal,
    clear,
    within: async (work) => {
      stop.signal.throwIfAborted();
      let fail: (() => void) | undefined;
      const end = new Promise<never>((_, reject) => {
        fail = () => reject(stop.signal.reason);
        stop.signal.addEventListener('abort', fail, { once: true });
      });
      try {
        const value = await Promise.race([work(), end]);
        // A policy that notices the abort and still returns has no turn left to spend.
        stop.signal.throwIfAborted();
        return value;
      } catch (thrown) {
        throw stop.signal.aborted ? stop.signal.reason : thrown;
      } finally {
        if (fail) stop.signal.removeEventListener('abort', fail);
      }
    },
  };
};
