/** One thing at a time, in the order it was asked for. */

export interface Turns {
  /** Runs `work` once all that came before is over, however that ended; rejects with what `work` throws. */
  take<T>(work: () => Promise<T> | T): Promise<T>;
}

export const turns = (): Turns => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    take: (work) => {
      const mine = last.then(work);
      last = mine.catch(() => undefined);
      return mine;
    },
  };
};
