/**
 * Requests wait their turn here once they are read, and are served in time slices: between two slices the event loop takes in new
 * connections. What keeps a thousand clients that start at once from waiting for one another:
 * - The event loop accepts one connection a round (libuv since 1.46), so while clients are knocking a round serves one request.
 * - Sessions that were never called yet go before the others, thirty-one requests to one, so that an agent's first answer does not wait
 *   behind the twentieth of another.
 * - Among them those opened first go first. Served in turns they would all have their first answer at the same, late, time; one
 *   after another the last is no later, and the others are earlier.
 */
import { elapsedMs } from '../../kit/clock.js';

const SLICE_MS = 4;
/** Of so many requests in a row one is of a session that is no longer new, where there is one. */
const TURN = 32;

/** New sessions come in crowds: for so many requests after one, each turn looks whether there is another. */
const LATELY = 256;

type Job = () => void;

/** First in, first out. */
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

interface Ranked {
  rank: number;
  /** Of its coming, so that equals keep their order. */
  at: number;
  job: Job;
}

const before = (a: Ranked, b: Ranked): boolean => a.rank < b.rank || (a.rank === b.rank && a.at < b.at);

/** Lowest rank first: a binary heap. */
class Ranks {
  readonly #heap: Ranked[] = [];
  #came = 0;

  get length(): number {
    return this.#heap.length;
  }

  add(job: Job, rank: number): void {
    const heap = this.#heap;
    const own: Ranked = { rank, at: this.#came++, job };
    let hole = heap.push(own) - 1;
    for (let up = (hole - 1) >> 1; hole > 0 && before(own, heap[up] as Ranked); up = (hole - 1) >> 1) {
      heap[hole] = heap[up] as Ranked;
      hole = up;
    }
    heap[hole] = own;
  }

  take(): Job | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first?.job;
    let hole = 0;
    for (let down = 1; down < heap.length; down = 2 * hole + 1) {
      if (down + 1 < heap.length && before(heap[down + 1] as Ranked, heap[down] as Ranked)) down++;
      if (!before(heap[down] as Ranked, last)) break;
      heap[hole] = heap[down] as Ranked;
      hole = down;
    }
    heap[hole] = last;
    return first.job;
  }
}

/** Of a session that is yet to be opened: after those that are open and wait for their first answer. */
export const UNOPENED = Number.POSITIVE_INFINITY;

export class FairQueue {
  readonly #fresh = new Ranks();
  readonly #known = new Lane();
  #served = 0;
  /** Requests of known sessions since the last of a new one. */
  #sinceFresh = LATELY + 1;
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

  /** `job` must not throw. `rank`: of a session that was not called yet, its number in the order of opening. */
  add(job: Job, rank?: number): void {
    if (rank === undefined) this.#known.add(job);
    else this.#fresh.add(job, rank);
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(this.#serve);
  }

  /** Serves one request; false where that of a new session may well have come in meanwhile. */
  #next(): boolean {
    const isKnowns = this.#fresh.length === 0 || (++this.#served % TURN === 0 && this.#known.length > 0);
    this.#sinceFresh = isKnowns ? this.#sinceFresh + 1 : 0;
    (isKnowns ? this.#known : this.#fresh).take()?.();
    return !isKnowns || this.#sinceFresh > LATELY;
  }

  readonly #serve = (): void => {
    const until = elapsedMs() + (this.#isKnocked ? 0 : SLICE_MS);
    this.#isKnocked = false;
    while (this.#next() && this.length > 0 && elapsedMs() < until);
    if (this.length > 0) setImmediate(this.#serve);
    else this.#isDue = false;
  };
}
