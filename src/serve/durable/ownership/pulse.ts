/**
 * Whether leases may run out now. A lease is prolonged through the store, so while the store stood still (its process stopped, its disk
 * full, killed and started again) nobody could: whoever lives is given one lease to be heard from (serving.md: "after an outage of
 * the store it waits one lease before reaping"). Whoever reaps does it more often than the shortest lease: a reaper that comes once a
 * lease looks like a store that stands still, and nobody ever dies.
 */
export interface Pulse {
  /** True while no lease runs out. `now` is the store's clock; a leap of more than the longest lease begins such a time. */
  isSpared(now: number): boolean;
  /** Something of now was kept: the store works. */
  beat(now: number): void;
  /** The longest lease of those that live, in milliseconds. */
  longest: number;
}

/** Just opened: what was before is not known, so leases of before (`longest`) are spared. */
export const startPulse = (longest: number): Pulse => {
  let seen: number | undefined;
  let sparedUntil = Number.NEGATIVE_INFINITY;
  const pulse: Pulse = {
    longest,
    isSpared(now) {
      if (seen === undefined || now - seen > pulse.longest) sparedUntil = now + pulse.longest;
      return now < sparedUntil;
    },
    beat(now) {
      seen = Math.max(seen ?? now, now);
    },
  };
  return pulse;
};
