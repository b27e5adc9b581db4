/** Attempts at a model server, a limited number, with pauses between them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TreadleError } from '../errors.js';
import { rng } from '../kit/rng.js';
import type { Refusal } from './post.js';

export interface Retries {
  /** Further attempts after 429, 5xx, a broken answer or a lost connection. */
  most: number;
  /** First pause; it doubles, up to 30 s, and a Retry-After header goes before it, up to 60 s. */
  backoffMs: number;
}

// Requests that fail together must not all come back at the same moment.
const random = rng('models', 'retry');

const pauseMs = (error: TreadleError, attempt: number, { backoffMs }: Retries): number => {
  const asked = (error.cause as Partial<Refusal> | undefined)?.afterMs;
  const own = Math.min(backoffMs * 2 ** attempt * (0.75 + random.unit() / 2), 30_000);
  return Math.max(0, Math.min(asked ?? own, 60_000));
};

/**
 * Runs `attempt` until it succeeds. `isCommitted` says that something of the answer was passed on already, so that it cannot be
 * made again; `onRetry` is told of every failure that is made good.
 */
export const retrying = async <T>(
  attempt: () => Promise<T>,
  retries: Retries,
  signal: AbortSignal,
  { isCommitted = () => false, onRetry = () => {} }: { isCommitted?: () => boolean; onRetry?: () => void } = {},
): Promise<T> => {
  for (let n = 0; ; n++) {
    try {
      return await attempt();
    } catch (thrown) {
      const isAgain = thrown instanceof TreadleError && thrown.isRetryable && n < retries.most && !isCommitted();
      if (!isAgain || signal.aborted) throw thrown;
      onRetry();
      await sleep(pauseMs(thrown, n, retries), undefined, { signal }).catch(() => {
        throw new TreadleError({ code: 'cut', message: 'The request was called off', fault: 'infrastructure' });
      });
    }
  }
};
