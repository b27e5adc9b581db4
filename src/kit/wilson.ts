/** Wilson's score interval for a share (Wilson 1927): never outside 0 to 1, and wide where little was drawn. */

export interface Interval {
  low: number;
  high: number;
}

/** 97.5 % point of the normal distribution: intervals of 95 %. */
const Z = 1.959964;

/**
 * 95 % interval of a share of which `found` of `n` were seen; 0 to 1 where nothing was drawn. `found` may be a fraction: for the
 * mean of `n` values between 0 and 1 the interval is cautious, since no such values vary more than zeros and ones of that mean.
 */
export const wilson = (found: number, n: number, z = Z): Interval => {
  if (n <= 0) return { low: 0, high: 1 };
  const share = found / n;
  const scale = 1 + (z * z) / n;
  const middle = (share + (z * z) / (2 * n)) / scale;
  const half = (z * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n))) / scale;
  // At the ends the bound is the end itself, but for rounding.
  return { low: found <= 0 ? 0 : Math.max(0, middle - half), high: found >= n ? 1 : Math.min(1, middle + half) };
};
