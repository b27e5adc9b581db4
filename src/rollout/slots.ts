/** So many at a time, each let in as soon as another is through, in the order in which they came. */
export interface Slots {
  /** Resolves when there is room. */
  take(): Promise<void>;
  give(this: void): void;
  /** Resolves when nobody is in. */
  all(): Promise<void>;
  readonly inUse: number;
}

export const slots = (most: number): Slots => {
  const waiting: (() => void)[] = [];
  const idle: (() => void)[] = [];
  let inUse = 0;
  return {
    take: () => {
      if (inUse < Math.max(1, most)) {
        inUse++;
        return Promise.resolve();
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
    give: () => {
      const next = waiting.shift();
      if (next) return next();
      inUse--;
      if (inUse === 0) for (const resolve of idle.splice(0)) resolve();
    },
    all: () => (inUse === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
    get inUse() {
      return inUse;
    },
  };
};
