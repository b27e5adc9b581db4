/** Places in the state, and whether two of them meet. */
import type { Path } from '../artifacts/scenario.js';

const meetsAt = <T>(a: T | undefined, b: T | undefined): boolean => a === undefined || b === undefined || a === b;

/** Whether there may be a value that both speak of. */
export const meets = (a: Path, b: Path): boolean =>
  a.service === b.service && a.table === b.table && meetsAt(a.key, b.key) && meetsAt(a.col, b.col);

export const meeting = (some: readonly Path[], others: readonly Path[]): Path | undefined =>
  some.find((one) => others.some((other) => meets(one, other)));

/** `billing.invoice inv_1 due_date`. */
export const pathWords = ({ service, table, key, col }: Path): string =>
  [`${service}.${table}`, ...(key === undefined ? [] : [String(key)]), ...(col === undefined ? [] : [col])].join(' ');
