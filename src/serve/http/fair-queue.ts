/**
 * First come, first served, in time slices: requests wait their turn here once they are read, and between two slices the event
 * loop takes in new connections, so that a thousand clients that start at once all get a first answer early. The event loop
 * accepts one connection a round (libuv since 1.46): while clients are knocking, a round serves one request and no more, or the
 * last of a thousand would wait a thousand slices to be let in.
 */
import { elapsedMs } from '../../kit/clock.js';

const SLICE_MS = 4;

export class FairQueue {
  #jobs: (() => void)[] = [];
  #at = 0;
  #isDue = false;
  #isKnocked = false;

  /** A connection came in, so there may be more of them. */
  knock(): void {
    this.#isKnocked = true;
  }

  get length(): number {
    return this.#jobs.length - this.#at;
  }

  /** `job` must not throw. */
  add(job: () => void): void {
    this.#jobs.push(job);
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(this.#serve);
  }

  readonly #serve = (): void => {
    const until = elapsedMs() + (this.#isKnocked ? 0 : SLICE_MS);
    this.#isKnocked = false;
    do {
      const job = this.#jobs[this.#at++];
      job?.();
    } while (this.#at < this.#jobs.length && elapsedMs() < until);
    if (this.#at < this.#jobs.length) {
      setImmediate(this.#serve);
      return;
    }
    this.#jobs = [];
    this.#at = 0;
    this.#isDue = false;
  };
}
