/** reviews.jsonl: what people decided about a corpus's tasks, a line each, only ever added to. */
import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { parseArtifact } from '../../artifacts/registry.js';
import type { Review } from '../../artifacts/review.js';
import type { Corpus } from '../corpus.js';
import { diskError, exists, readBytes, unreadable } from '../files.js';

const fileOf = (corpus: Corpus): string => corpus.path('reviews.jsonl');

/** Bytes up to and with the last line end: what follows was cut off in the writing. */
const whole = (bytes: Uint8Array): number => bytes.lastIndexOf(10) + 1;

/**
 * All records in the order of writing. A last line without its end was cut off by a crash and is left out; any other line that
 * cannot be read is `unreadable_file`, with its number.
 */
export const readReviews = (corpus: Corpus): Review[] => {
  const file = fileOf(corpus);
  if (!exists(file)) return [];
  const bytes = readBytes(file);
  const lines = Buffer.from(bytes.subarray(0, whole(bytes)))
    .toString('utf8')
    .split('\n');
  return lines.flatMap((line, i) => {
    if (line === '') return [];
    const place = `${file} line ${i + 1}`;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw unreadable(place, 'not JSON');
    }
    return [parseArtifact('review', value, place)];
  });
};

/** Adds a record and sees it onto the disk; a line that was cut off before goes. */
export const addReview = (corpus: Corpus, review: Review): void => {
  const file = fileOf(corpus);
  try {
    const length = exists(file) ? whole(readBytes(file)) : 0;
    const handle = openSync(file, 'a');
    try {
      ftruncateSync(handle, length);
      writeSync(handle, `${JSON.stringify(review)}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (thrown) {
    throw diskError(thrown, file, 'write');
  }
};
