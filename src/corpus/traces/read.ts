/** Reading a world's rollouts. Of several lines with one id the last counts: a rollout that was made again. */
import { TreadleError } from '../../errors.js';
import type { Corpus } from '../corpus.js';
import { exists, unreadable } from '../files.js';
import { headIn, headOf, parseLine, type TraceHead, type TraceLine } from './line.js';
import { type Found, linesOf, readAt, withFile } from './scan.js';

export interface Entry {
  head: TraceHead;
  start: number;
  length: number;
}

export const tracesFile = (corpus: Corpus, world: string): string => corpus.path('traces', `${world}.jsonl`);

const sense = <T>(path: string, n: number, work: () => T): T => {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof TreadleError) throw thrown;
    throw unreadable(path, `line ${n} is no rollout (${thrown instanceof Error ? thrown.message : String(thrown)})`);
  }
};

const wholeLine = (
  file: number,
  path: string,
  { start, length }: Pick<Found, 'start' | 'length'>,
  n: number,
): TraceLine =>
  sense(path, n, () => parseLine(readAt(file, path, start, length).toString('utf8'), `${path} line ${n}`));

/** What counts of an open file, in its order, and how many lines do not count any more. */
export const entriesOf = (file: number, path: string): { entries: Map<string, Entry>; stale: number } => {
  const entries = new Map<string, Entry>();
  let n = 0;
  for (const found of linesOf(file, path)) {
    n++;
    const head = sense(path, n, () => headIn(found.first)) ?? headOf(wholeLine(file, path, found, n));
    // The order is that of the lines that count.
    entries.delete(head.id);
    entries.set(head.id, { head, start: found.start, length: found.length });
  }
  return { entries, stale: n - entries.size };
};

/**
 * A world's rollouts one at a time, in the order of the file; only one is in memory. `where` passes over what its head rules out
 * without reading it. A line cut off by a crash is left out; throws `unreadable_file` for nonsense before it.
 */
export const eachTrace = function* (
  corpus: Corpus,
  world: string,
  where: (head: TraceHead) => boolean = () => true,
): Generator<TraceLine> {
  const path = tracesFile(corpus, world);
  if (!exists(path)) return;
  yield* withFile(path, function* (file) {
    let n = 0;
    for (const entry of entriesOf(file, path).entries.values()) {
      n++;
      if (where(entry.head)) yield wholeLine(file, path, entry, n);
    }
  });
};

/** The heads alone: enough for lists and counts. */
export const traceHeads = (corpus: Corpus, world: string): TraceHead[] => {
  const path = tracesFile(corpus, world);
  if (!exists(path)) return [];
  return [
    ...withFile(path, function* (file) {
      for (const { head } of entriesOf(file, path).entries.values()) yield head;
    }),
  ];
};
