/** A frozen run of calls over a parent, reference-counted: what forks share. In memory, or on disk as extents. */
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import type { LedgerEntry } from '../../artifacts/trace.js';
import { footprint } from './footprint.js';
import type { Run } from './ledger.js';
import { lostLedger, type Segments } from './segments.js';

/** An extent is read as a whole, so it ends at this many calls or bytes of heap. */
const EXTENT_CALLS = 64;
const EXTENT_BYTES = 64 * 1024;

/** Address, bytes, checksum and calls of each extent, one after another: 32 bytes for up to 64 calls. */
export type Extents = number[];
const FIELDS = 4;

export class Chunk {
  refs = 1;
  /** Bytes of heap that `kept` is counted with. */
  bytes = 0;
  kept: Run | undefined;
  extents: Extents | undefined;
  /** Nothing can write it: it stays in memory. */
  isStuck = false;
  /** What was last read from disk, while somebody else holds it. */
  read: WeakRef<Run> | undefined;

  /** Takes over one reference to `parent`. `start`: calls before it. */
  constructor(
    readonly parent: Chunk | undefined,
    readonly start: number,
    public count: number,
  ) {}

  /** Its ancestors are then settled too: chunks are spilled eldest first. */
  get isSettled(): boolean {
    return this.kept === undefined || this.isStuck;
  }
}

const sliceOf = (run: Run, from: number, to: number): Run => ({
  calls: run.calls.slice(from, to),
  ms: run.ms.slice(from, to),
});

/** The end of the extent that begins at `from`. */
const extentEnd = ({ calls, sizes }: Run, from: number): number => {
  let bytes = 0;
  let end = from;
  while (end < calls.length && end - from < EXTENT_CALLS && bytes < EXTENT_BYTES) {
    bytes += sizes?.[end] ?? footprint(calls[end]!);
    end++;
  }
  return end;
};

export const freeExtents = (segments: Segments, extents: Extents): void => {
  for (let i = 0; i < extents.length; i += FIELDS) segments.free(extents[i] as number, extents[i + 1] as number);
};

/**
 * Writes a run; undefined where it holds something that cannot be written, a function or nesting of many thousand levels.
 * Throws `ledger_disk` and has then written nothing.
 */
export const writeRun = (segments: Segments, run: Run): Extents | undefined => {
  const records: Buffer[] = [];
  const ends: number[] = [];
  for (let from = 0; from < run.calls.length; from = ends.at(-1) as number) {
    const end = extentEnd(run, from);
    const part = end - from === run.calls.length ? run : sliceOf(run, from, end);
    try {
      records.push(serialize([part.calls, part.ms]));
    } catch {
      return undefined;
    }
    ends.push(end);
  }
  const extents: Extents = [];
  try {
    for (const [i, record] of records.entries()) {
      const count = (ends[i] as number) - (ends[i - 1] ?? 0);
      extents.push(segments.append(record), record.length, crc32(record), count);
    }
  } catch (thrown) {
    freeExtents(segments, extents);
    throw thrown;
  }
  return extents;
};

/** The calls of the extent at `field`. Throws `ledger_lost`. */
const readExtent = (segments: Segments, extents: Extents, field: number): Run => {
  const record = segments.read(extents[field] as number, extents[field + 1] as number);
  if (crc32(record) !== extents[field + 2]) throw lostLedger('its bytes have changed');
  const [calls, ms] = deserialize(record) as [LedgerEntry[], number[]];
  return { calls, ms };
};

/** All calls of a chunk itself, without its parent's. Throws `ledger_lost`. */
export const runOf = (segments: Segments, chunk: Chunk): Run => {
  const known = chunk.kept ?? chunk.read?.deref();
  if (known) return known;
  const extents = chunk.extents ?? [];
  const run: Run = { calls: [], ms: [] };
  for (let field = 0; field < extents.length; field += FIELDS) {
    const part = readExtent(segments, extents, field);
    for (const call of part.calls) run.calls.push(call);
    for (const ms of part.ms) run.ms.push(ms);
  }
  chunk.read = new WeakRef(run);
  return run;
};

/** The part of a chunk that has its call `index`, and where in the part it is. Throws `ledger_lost`. */
export const partWith = (segments: Segments, chunk: Chunk, index: number): { run: Run; index: number } => {
  const known = chunk.kept ?? chunk.read?.deref();
  if (known) return { run: known, index };
  const extents = chunk.extents ?? [];
  let before = 0;
  for (let field = 0; field < extents.length; field += FIELDS) {
    const count = extents[field + 3] as number;
    if (index < before + count) return { run: readExtent(segments, extents, field), index: index - before };
    before += count;
  }
  throw lostLedger('its books are wrong');
};

/** Drops one reference; a chunk that nobody holds gives back its room, through `free`, and lets go of its parent. */
export const releaseChunk = (held: Chunk | undefined, free: (chunk: Chunk) => void): void => {
  for (let chunk = held; chunk && --chunk.refs === 0; chunk = chunk.parent) free(chunk);
};
