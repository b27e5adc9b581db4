/** Append-only files with counted contents: a file goes when nothing in it is needed. Writes are gathered in one buffer. */
import { randomBytes } from 'node:crypto';
import { TreadleError } from '../../errors.js';
import type { SegmentFiles } from './files.js';

/** An address is segment number times this plus the offset: one number instead of two in every extent. */
const STRIDE = 2 ** 26;
const SEGMENT = STRIDE;
const BUFFER = 256 * 1024;

interface Segment {
  number: number;
  file: number;
  /** Bytes that are on disk, and bytes that somebody still needs. */
  written: number;
  live: number;
}

export interface SegmentSizes {
  segmentBytes?: number;
  bufferBytes?: number;
}

const diskError = (folder: string, cause: unknown): TreadleError => {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new TreadleError({
    code: 'ledger_disk',
    message: `Ledgers cannot be moved to disk and stay in memory: ${why}`,
    value: folder,
    fault: 'infrastructure',
    isRetryable: true,
    next: 'Free room on the disk or name another data folder; it is tried again by itself.',
    cause,
  });
};

export const lostLedger = (what: string, cause?: unknown): TreadleError =>
  new TreadleError({
    code: 'ledger_lost',
    message: `Ledger entries that were moved to disk cannot be read back: ${what}`,
    fault: 'infrastructure',
    next: 'Close the session; its other parts are sound.',
    ...(cause === undefined ? {} : { cause }),
  });

export class Segments {
  readonly #folder: string;
  readonly #files: SegmentFiles;
  readonly #segmentBytes: number;
  readonly #open = new Map<number, Segment>();
  readonly #prefix = `ledger-${randomBytes(9).toString('base64url')}`;
  /** What the newest segment does not have on disk yet. */
  readonly #buffer: Buffer;
  #pending = 0;
  #current: Segment | undefined;
  #made = 0;
  #isClosed = false;

  constructor(folder: string, files: SegmentFiles, sizes: SegmentSizes = {}) {
    this.#folder = folder;
    this.#files = files;
    this.#segmentBytes = Math.min(sizes.segmentBytes ?? SEGMENT, SEGMENT);
    this.#buffer = Buffer.alloc(sizes.bufferBytes ?? BUFFER);
  }

  get bytesOnDisk(): number {
    let bytes = 0;
    for (const { written } of this.#open.values()) bytes += written;
    return bytes;
  }

  get bytesPending(): number {
    return this.#pending;
  }

  get count(): number {
    return this.#open.size;
  }

  /** The record's address. Throws `ledger_disk`, and then nothing was kept and nothing is lost. */
  append(record: Uint8Array): number {
    try {
      if (this.#isClosed) throw new Error('the store is closed');
      const segment = this.#roomy();
      if (this.#pending + record.length > this.#buffer.length) this.#flush(segment);
      const offset = segment.written + this.#pending;
      if (record.length > this.#buffer.length) {
        this.#write(segment, record);
      } else {
        this.#buffer.set(record, this.#pending);
        this.#pending += record.length;
      }
      segment.live += record.length;
      return segment.number * STRIDE + offset;
    } catch (thrown) {
      throw diskError(this.#folder, thrown);
    }
  }

  /** Writes what waits. Throws `ledger_disk`, and it goes on waiting. */
  flush(): void {
    try {
      this.#flush(this.#roomy());
    } catch (thrown) {
      throw diskError(this.#folder, thrown);
    }
  }

  /** The bytes at an address. Throws `ledger_lost`. */
  read(address: number, length: number): Buffer {
    const segment = this.#open.get(Math.floor(address / STRIDE));
    if (!segment) throw lostLedger(this.#isClosed ? 'the store is closed' : 'its file is gone');
    const offset = address % STRIDE;
    if (segment === this.#current && offset >= segment.written) {
      const from = offset - segment.written;
      return Buffer.from(this.#buffer.subarray(from, from + length));
    }
    const into = Buffer.allocUnsafe(length);
    for (let got = 0; got < length; ) {
      let more: number;
      try {
        more = this.#files.read(segment.file, into.subarray(got), offset + got);
      } catch (thrown) {
        throw lostLedger(thrown instanceof Error ? thrown.message : String(thrown), thrown);
      }
      if (more <= 0) throw lostLedger('its file was cut short');
      got += more;
    }
    return into;
  }

  /** Nobody needs this record any more. */
  free(address: number, length: number): void {
    const segment = this.#open.get(Math.floor(address / STRIDE));
    if (!segment) return;
    segment.live -= length;
    if (segment.live > 0) return;
    if (segment === this.#current) this.#empty(segment);
    else this.#remove(segment);
  }

  close(): void {
    this.#isClosed = true;
    this.#pending = 0;
    this.#current = undefined;
    for (const segment of [...this.#open.values()]) this.#remove(segment);
  }

  /** The segment that is written to; a new one where there is none or it is full. */
  #roomy(): Segment {
    const current = this.#current;
    if (current && current.written + this.#pending < this.#segmentBytes) return current;
    if (current) this.#flush(current);
    const number = this.#made;
    const file = this.#files.open(this.#folder, `${this.#prefix}-${number}`);
    this.#made++;
    const segment: Segment = { number, file, written: 0, live: 0 };
    this.#open.set(number, segment);
    this.#current = segment;
    return segment;
  }

  #flush(segment: Segment): void {
    if (this.#pending === 0) return;
    this.#write(segment, this.#buffer.subarray(0, this.#pending));
    this.#pending = 0;
  }

  /** All of it or, for the books, nothing: a half-written record is written over by the next attempt. */
  #write(segment: Segment, bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      const more = this.#files.write(segment.file, bytes.subarray(done), segment.written + done);
      if (more <= 0) throw new Error('the disk took no bytes');
      done += more;
    }
    segment.written += bytes.length;
  }

  #empty(segment: Segment): void {
    this.#pending = 0;
    if (segment.written === 0) return;
    segment.written = 0;
    try {
      this.#files.truncate(segment.file);
    } catch {
      // Its bytes are written over.
    }
  }

  #remove(segment: Segment): void {
    this.#open.delete(segment.number);
    try {
      this.#files.close(segment.file);
    } catch {
      // Gone either way.
    }
  }
}
