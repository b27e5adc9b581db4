/** One run at a time of work that does for all who wait: callers that come while one is under way share the next. */
export const grouped = (work: () => Promise<void>): (() => Promise<void>) => {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (next) return next;
    if (!running) return start();
    // Those who wait for the next are told of its failure, not of this one's.
    next = running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  };
};
