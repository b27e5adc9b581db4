/** One thing at a time, in order. */

export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after all that came before it, whether that succeeded or not. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => {});
    return turn;
  }
}
