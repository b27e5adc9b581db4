/** Text that is no Unicode (half a surrogate pair) cannot be UTF-8: readers of JSON lines and Parquet break on it. */

/** In the u mode only halves that stand alone match. */
const HALF = /\p{Surrogate}/gu;
const REPLACED = '\ufffd';

/** JSON.stringify writes a half as an escape; the backslash before it must not be escaped itself. */
const mayHoldHalf = (json: string): boolean => /\\ud[89a-f][0-9a-f]{2}/.test(json);

const mended = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replace(HALF, REPLACED);
  if (Array.isArray(value)) return value.map(mended);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.replace(HALF, REPLACED), mended(one)]));
};

/** The same value with every lone surrogate replaced by U+FFFD, in keys too; the value itself where it has none. */
export const wellFormed = <T>(value: T): T => (mayHoldHalf(JSON.stringify(value)) ? (mended(value) as T) : value);
