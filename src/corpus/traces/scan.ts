/** Goes through a file of lines, a block at a time, and says where each line lies. Nothing but the line's first bytes is kept. */
import { closeSync, openSync, readSync } from 'node:fs';
import { diskError } from '../files.js';

const BLOCK = 1 << 20;
/** Bytes of a line that are handed out: more than any head takes. */
const FIRST = 1 << 16;

export interface Found {
  start: number;
  /** Without the newline. */
  length: number;
  first: Buffer;
}

/** Opens a file for reading, lets `work` have it and closes it. Disk trouble is said as everywhere. */
export const withFile = function* <T>(path: string, work: (file: number) => Iterable<T>): Generator<T> {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (thrown) {
    throw diskError(thrown, path, 'read');
  }
  try {
    yield* work(file);
  } finally {
    closeSync(file);
  }
};

export const readAt = (file: number, path: string, start: number, length: number): Buffer => {
  const bytes = Buffer.allocUnsafe(length);
  let got = 0;
  try {
    while (got < length) {
      const n = readSync(file, bytes, got, length - got, start + got);
      if (n === 0) break;
      got += n;
    }
  } catch (thrown) {
    throw diskError(thrown, path, 'read');
  }
  return bytes.subarray(0, got);
};

/** Whole lines of an open file; what follows the last newline is no line yet and is left out. Empty lines are passed over. */
export const linesOf = function* (file: number, path: string): Generator<Found> {
  let at = 0;
  let start = 0;
  let first: Buffer[] = [];
  let kept = 0;
  const keep = (bytes: Buffer): void => {
    if (kept >= FIRST || bytes.length === 0) return;
    const taken = Buffer.from(bytes.subarray(0, FIRST - kept));
    first.push(taken);
    kept += taken.length;
  };
  for (;;) {
    const block = readAt(file, path, at, BLOCK);
    let from = 0;
    for (;;) {
      const end = block.indexOf(10, from);
      if (end < 0) break;
      keep(block.subarray(from, end));
      const length = at + end - start;
      if (length > 0) yield { start, length, first: Buffer.concat(first) };
      start = at + end + 1;
      first = [];
      kept = 0;
      from = end + 1;
    }
    keep(block.subarray(from));
    at += block.length;
    if (block.length < BLOCK) return;
  }
};
