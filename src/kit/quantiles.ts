/** Order statistics of figures. */

/** The value below which a share `q` of the figures lies (nearest rank; 0 of none). */
export const quantile = (figures: readonly number[], q: number): number => {
  const sorted = [...figures].sort((a, b) => a - b);
  if (sorted.length === 0) return 0;
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))] as number;
};

/** The middle figure, the mean of the two middle ones of an even number. */
export const median = (figures: readonly number[]): number => {
  const sorted = [...figures].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  if (sorted.length === 0) return 0;
  return sorted.length % 2 === 1
    ? (sorted[half] as number)
    : ((sorted[half - 1] as number) + (sorted[half] as number)) / 2;
};
