/** Tries again what may do better later, with growing pauses. The idempotency key makes it safe. */
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { TreadleError } from '../../errors.js';
import { failureOf, retryAfterOf } from './failure.js';
import { abortedBy, type Exchange, type Heard, type Transport } from './transport.js';

export interface RetryPolicy {
  /** Further tries after the first. */
  retries: number;
  /** Pause before the first of them; doubles each time, up to `longestMs`. */
  firstMs: number;
  /** Also the most that a server's Retry-After is obeyed. */
  longestMs: number;
}

export const RETRY: RetryPolicy = { retries: 6, firstMs: 50, longestMs: 5_000 };

/** Half of it for certain and half by chance: a thousand clients that failed together do not come back together. */
const spread = (ms: number): number => ms / 2 + randomInt(Math.max(1, Math.ceil(ms / 2)));

const rest = async (ms: number, signal: AbortSignal | undefined): Promise<void> => {
  try {
    await pause(ms, undefined, signal && { signal });
  } catch {
    throw abortedBy(signal!);
  }
};

/** The first good answer. Throws the last failure, as a TreadleError, when it cannot be retried or tries run out. */
export const persist = async (transport: Transport, exchange: Exchange, policy: RetryPolicy): Promise<Heard> => {
  for (let tried = 0; ; tried++) {
    let failure: TreadleError;
    let asked = 0;
    try {
      const heard = await transport.exchange(exchange);
      if (heard.status < 400) return heard;
      failure = failureOf(heard);
      asked = (retryAfterOf(heard) ?? 0) * 1000;
    } catch (thrown) {
      if (!(thrown instanceof TreadleError)) throw thrown;
      failure = thrown;
    }
    if (!failure.isRetryable || tried >= policy.retries) throw failure;
    const ms = spread(policy.firstMs * 2 ** tried);
    await rest(Math.min(Math.max(ms, asked), policy.longestMs), exchange.signal);
  }
};
