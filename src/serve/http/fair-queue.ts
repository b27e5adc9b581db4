/**
 * First come, first served, in time slices: requests wait their turn here once they are read, and between two slices the event
 * loop takes in new connections. Two things keep a thousand clients that start at once from waiting for one another:
 * - The event loop accepts one connection a round (libuv since 1.46), so while clients are knocking a round serves one request.
 * - Sessions that were never called yet go first, seven requests to one, so that an agent's first answer does not wait behind the
 *   twentieth of another.
 */
import { elapsedMs } from '../../kit/clock.js';

const SLICE_MS = 4;
/** Of so many requests in a row one is of a session that is no longer new, where there is one. */
const TURN = 8;

type Job = () => void;

class Lane {
  #jobs: Job[] = [];
  #at = 0;

  get length(): number {
    return this.#jobs.length - this.#at;
  }

  add(job: Job): void {
    this.#jobs.push(job);
  }

  take(): Job | undefined {
    const job = this.#jobs[this.#at++];
    if (this.#at >= this.#jobs.length) {
      this.#jobs = [];
      this.#at = 0;
    }
    return job;
  }
}

export class FairQueue {
  readonly #fresh = new Lane();
  readonly #known = new Lane();
  #served = 0;
  #isDue = false;
  #isKnocked = false;

  /** Requests that wait. */
  get length(): number {
    return this.#fresh.length + this.#known.length;
  }

  /** A connection came in, so there may be more of them. */
  knock(): void {
    this.#isKnocked = true;
  }

  /** `job` must not throw. `isNew`: of a session that was not called yet. */
  add(job: Job, isNew = false): void {
    (isNew ? this.#fresh : this.#known).add(job);
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(this.#serve);
  }

  #next(): Job | undefined {
    const isKnownsTurn = ++this.#served % TURN === 0 && this.#known.length > 0;
    return isKnownsTurn || this.#fresh.length === 0 ? this.#known.take() : this.#fresh.take();
  }

  readonly #serve = (): void => {
    const until = elapsedMs() + (this.#isKnocked ? 0 : SLICE_MS);
    this.#isKnocked = false;
    do this.#next()?.();
    while (this.length > 0 && elapsedMs() < until);
    if (this.length > 0) setImmediate(this.#serve);
    else this.#isDue = false;
  };
}
