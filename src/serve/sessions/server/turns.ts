/** One after another: what is asked of a session runs in the order it came, the next when the one before has ended. */

export type Maybe<T> = T | Promise<T>;

/** Applies `next` now where the value is there, and later where it is a promise. */
export const after = <T, U>(value: Maybe<T>, next: (value: T) => Maybe<U>): Maybe<U> =>
  value instanceof Promise ? value.then(next) : next(value);

export class Turns {
  #last: Promise<unknown> | undefined;
  #waiting = 0;

  /** Something is running or waits. */
  get isBusy(): boolean {
    return this.#last !== undefined;
  }

  /** Running and waiting. */
  get length(): number {
    return this.#waiting;
  }

  /** At once where nothing is under way, and then without a promise; its failure is the caller's and holds nobody up. */
  run<T>(work: () => Maybe<T>): Maybe<T> {
    if (this.#last === undefined) {
      const value = work();
      return value instanceof Promise ? this.#hold(value) : value;
    }
    return this.#hold(this.#last.then(work));
  }

  #hold<T>(value: Promise<T>): Promise<T> {
    this.#waiting++;
    const settled = value.then(
      () => {},
      () => {},
    );
    const last = settled.then(() => {
      this.#waiting--;
      if (this.#last === last) this.#last = undefined;
    });
    this.#last = last;
    return value;
  }
}
