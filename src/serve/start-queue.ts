/** Bounds how many processes of any kind start at once; the rest wait in order (serving.md: 95 simultaneous starts). */
import { TreadleError } from '../errors.js';

interface Waiting {
  begin(): void;
  leave(error: TreadleError): void;
}

const cutShort = (): TreadleError =>
  new TreadleError({ code: 'start_cut', message: 'The start was called off', fault: 'infrastructure' });

export class StartQueue {
  readonly #limit: number;
  readonly #perStartTimeoutMs: number;
  readonly #queueLimit: number;
  readonly #queue: Waiting[] = [];
  #running = 0;

  /**
   * At most `limit` starts run at once, each for `perStartTimeoutMs` milliseconds, and `queueLimit` more wait.
   */
  constructor(limit: number, perStartTimeoutMs: number, queueLimit = 1024) {
    this.#limit = limit;
    this.#perStartTimeoutMs = perStartTimeoutMs;
    this.#queueLimit = queueLimit;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  get running(): number {
    return this.#running;
  }

  /**
   * Runs `start` when it is its turn, first come first served. `start` must undo what it did when its signal is aborted; its
   * place is free once it has settled, or one more timeout later. Throws `starting_too_many` (retryable), `start_timeout`
   * (retryable), `start_cut` where `signal` was aborted, and whatever `start` throws.
   */
  run<T>(start: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) return Promise.reject(cutShort());
    if (this.#running < this.#limit) return this.#begin(start, signal);
    if (this.#queue.length >= this.#queueLimit)
      return Promise.reject(
        new TreadleError({
          code: 'starting_too_many',
          message: 'Too many processes are waiting to be started',
          value: this.#queue.length,
          next: 'Try again in a few seconds',
          fault: 'infrastructure',
          isRetryable: true,
        }),
      );
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        waiting.leave(cutShort());
      };
      const waiting: Waiting = {
        begin: () => {
          signal?.removeEventListener('abort', onAbort);
          this.#begin(start, signal).then(resolve, reject);
        },
        leave: reject,
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#queue.push(waiting);
    });
  }

  #begin<T>(start: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.#running++;
    const cut = new AbortController();
    let grace: NodeJS.Timeout | undefined;
    let isFree = false;
    const free = (): void => {
      if (isFree) return;
      isFree = true;
      clearTimeout(grace);
      this.#running--;
      this.#queue.shift()?.begin();
    };
    return new Promise<T>((resolve, reject) => {
      const end = (error: TreadleError): void => {
        grace = setTimeout(free, this.#perStartTimeoutMs);
        grace.unref();
        cut.abort(error);
        reject(error);
      };
      const onAbort = (): void => end(cutShort());
      const timer = setTimeout(() => {
        const message = `A start took longer than ${this.#perStartTimeoutMs} ms`;
        end(new TreadleError({ code: 'start_timeout', message, fault: 'infrastructure', isRetryable: true }));
      }, this.#perStartTimeoutMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        free();
      };
      // In a promise, so that a start that throws at once frees its place too.
      Promise.resolve()
        .then(() => start(cut.signal))
        .finally(settle)
        .then(resolve, reject);
    });
  }
}
