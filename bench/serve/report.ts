/** Figures as they are printed, and targets for the reader; the object that a part gives holds the fields alone. */

export const round = (value: number, digits = 1): number => Number(value.toFixed(digits));

/** `share` of 0.5 is the median; NaN of nothing. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const MIB = 1024 * 1024;

export const say = (line: string): void => console.log(line);

export interface Target {
  field: string;
  at: 'most' | 'least';
  bound: number;
  unit?: string;
}

/** One line a target: what is wanted, what was seen, and whether it was met. */
export const sayTargets = (result: Readonly<Record<string, unknown>>, targets: readonly Target[]): void => {
  for (const { field, at, bound, unit = '' } of targets) {
    const value = result[field];
    const isMet = typeof value === 'number' && (at === 'most' ? value <= bound : value >= bound);
    say(`${isMet ? 'met   ' : 'MISSED'} ${field}: ${value} ${unit} (wanted: at ${at} ${bound})`);
  }
};
