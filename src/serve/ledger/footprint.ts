/** About how many bytes of heap an entry holds: what the memory budget is counted in. */
import type { LedgerEntry } from '../../artifacts/trace.js';

/** Bytes of V8 objects on 64 bits, without what entries share (keys, the tool's name and version). */
const ENTRY = 160;
const OBJECT = 32;
const SLOT = 8;
const STRING = 20;
const TOUCH = 120;
/** More values than any call has; a value that holds itself ends here. */
const MOST = 1_000_000;

/** Kept between calls: nesting of any depth takes no stack, and small values no allocation. */
const waiting: object[] = [];

const put = (value: unknown): number => {
  if (typeof value === 'string') return STRING + value.length;
  if (typeof value === 'object' && value !== null) waiting.push(value);
  return 0;
};

const below = (root: unknown): number => {
  let bytes = put(root);
  for (let seen = 0; waiting.length > 0; ) {
    const value = waiting.pop() as Record<string, unknown> | unknown[];
    bytes += OBJECT;
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) bytes += SLOT + put(value[i]);
      seen += value.length + 1;
    } else {
      for (const key in value) {
        bytes += SLOT + put(value[key]);
        seen++;
      }
    }
    if (seen > MOST) waiting.length = 0;
  }
  return bytes;
};

export const footprint = ({ args, result, touched }: LedgerEntry): number =>
  ENTRY + below(args) + below(result) + touched.length * TOUCH;
