/** Tries again what may do better later, a limited number of times, with pauses that grow. */
import { randomInt } from 'node:crypto';
import type { TreadleError } from '../../../errors.js';
import type { Clock } from '../../durable/clock.js';

export interface Patience {
  /** In all. */
  tries: number;
  /** Pause before the second try; doubles each time, up to `longestMs`. */
  firstMs: number;
  /** Also the most that a Retry-After is obeyed. */
  longestMs: number;
  /** Of one try, besides a second for each MiB that is sent or announced. */
  timeoutMs: number;
}

export const PATIENCE: Patience = { tries: 5, firstMs: 100, longestMs: 5_000, timeoutMs: 30_000 };

/** `again`: another try may do better at once. `afterMs`: how long the store asks to be left alone. */
export interface Setback {
  error: TreadleError;
  again: boolean;
  afterMs?: number;
}

export type Tried<T> = { value: T } | Setback;

/** Half of it for certain and half by chance: a thousand savepoints that failed together do not come back together. */
const spread = (ms: number): number => ms / 2 + randomInt(Math.max(1, Math.ceil(ms / 2)));

const rest = async (ms: number, clock: Clock): Promise<void> => {
  // A clock's sleep does not keep the process alive; work that was promised does.
  const hold = setInterval(() => {}, 60_000);
  try {
    await clock.sleep(ms);
  } finally {
    clearInterval(hold);
  }
};

/** The first good try's value. Throws the last setback's error. */
export const patiently = async <T>(work: () => Promise<Tried<T>>, patience: Patience, clock: Clock): Promise<T> => {
  for (let tried = 1; ; tried++) {
    const came = await work();
    if ('value' in came) return came.value;
    if (!came.again || tried >= patience.tries) throw came.error;
    const own = spread(Math.min(patience.firstMs * 2 ** (tried - 1), patience.longestMs));
    await rest(Math.min(Math.max(own, came.afterMs ?? 0), patience.longestMs), clock);
  }
};
