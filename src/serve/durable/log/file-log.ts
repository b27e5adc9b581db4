/** The page log on plain files, `<folder>/<number>.log`, each written at its end only. */
import { basename, dirname } from 'node:path';
import { TreadleError } from '../../../errors.js';
import { diskFailure } from '../../blobs/disk.js';
import { type FaultPoints, NO_FAULTS } from '../faults/fault-points.js';
import { roomFor, writeRecord } from './form.js';
import { grouped } from './grouped.js';
import { diskFiles, type LogFiles } from './log-files.js';
import type { LogRecord, PageLog } from './page-log.js';
import { Segment, writeAt } from './segment.js';

const SEGMENT_BYTES = 16 << 20;
/** Records up to this size are written from one buffer that is kept. */
const KEPT_BYTES = 1 << 20;

export interface PageLogOptions {
  /** A segment is followed by another before it grows larger; 16 MiB unless told. */
  segmentBytes?: number;
  faults?: FaultPoints;
  files?: LogFiles;
  /** Whose log it is; the folder's name unless told. */
  incarnation?: string;
}

const failed = (message: string, next: string, value?: unknown): TreadleError =>
  new TreadleError({ code: 'log_failed', message, value, next, fault: 'infrastructure' });

class FileLog implements PageLog {
  written = 0;
  readonly sync = grouped(() => this.#flush());
  readonly #segments: Segment[] = [];
  readonly #faults: FaultPoints;
  readonly #files: LogFiles;
  readonly #segmentBytes: number;
  readonly #incarnation: string;
  #current: Segment;
  #numbers = 0;
  /** A file or the folder was made, and its name may not be on the disk yet. */
  #namesAreNew = true;
  #isClosed = false;
  #buffer = Buffer.alloc(16_384);

  constructor(
    readonly folder: string,
    { segmentBytes = SEGMENT_BYTES, faults = NO_FAULTS, files = diskFiles, incarnation }: PageLogOptions,
  ) {
    this.#segmentBytes = segmentBytes;
    this.#faults = faults;
    this.#files = files;
    this.#incarnation = incarnation ?? basename(folder);
    try {
      if (files.folder(folder).some((name) => name.endsWith('.log')))
        throw failed('The folder holds a log already', 'Give every incarnation a folder of its own.');
      this.#current = this.#begin(undefined);
    } catch (thrown) {
      throw thrown instanceof TreadleError ? thrown : diskFailure(thrown, 'open the log', 'log_failed');
    }
  }

  get bytes(): number {
    return this.#segments.reduce((sum, { size }) => sum + size, 0);
  }

  get segments(): number {
    return this.#segments.length;
  }

  append(record: LogRecord, needs?: string): void {
    if (this.#isClosed) throw failed('The log is closed', 'Open the log of a new incarnation.');
    this.#faults.hit('log.append');
    this.#mend();
    const most = roomFor(record);
    if (this.#current.isDoubtful || (this.#current.size + most > this.#segmentBytes && !this.#current.isEmpty))
      this.#rotate();
    const segment = this.#current;
    const buffer = this.#bufferOf(most);
    const length = writeRecord(segment.header.keys, record, buffer);
    segment.isTorn = true;
    try {
      writeAt(this.#files, segment.file, buffer, length, segment.size);
    } catch (thrown) {
      const failure = diskFailure(thrown, 'write to the log', 'log_failed');
      try {
        segment.cut(segment.size);
      } catch {
        // The next append tries again before it writes anything.
      }
      throw failure;
    }
    segment.isTorn = false;
    segment.isDirty = true;
    segment.size += length;
    segment.note(record);
    if (needs !== undefined) for (const one of this.#segments) if (one.needs.has(needs)) one.note(record);
    this.written++;
  }

  covered(session: string, gen: number, seq: number): void {
    for (const segment of [...this.#segments]) {
      if (!segment.covered(session, gen, seq)) continue;
      if (segment !== this.#current) this.#forget(segment);
      else if (!this.#isClosed) this.#empty(segment);
    }
  }

  laggards(bytes: number): string[] {
    if (this.bytes <= bytes) return [];
    return [...(this.#segments.find(({ needs }) => needs.size > 0)?.needs.keys() ?? [])];
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      if (this.#current.isTorn) this.#current.cut(this.#current.size);
      for (const { path, isDirty } of this.#segments) if (isDirty) this.#files.syncPathNow(path);
    } catch (thrown) {
      throw diskFailure(thrown, 'finish the log', 'log_failed');
    } finally {
      this.#current.retire();
    }
  }

  #begin(before: Segment | undefined): Segment {
    const segment = new Segment(this.#files, this.folder, ++this.#numbers, this.#incarnation, before);
    this.#segments.push(segment);
    this.#namesAreNew = true;
    return segment;
  }

  #rotate(): void {
    const before = this.#current;
    try {
      this.#current = this.#begin(before);
    } catch (thrown) {
      throw diskFailure(thrown, 'begin another file of the log', 'log_failed');
    }
    before.retire();
    if (before.needs.size === 0) this.#forget(before);
  }

  /** Half a record that could not be cut off when its write failed has to go before anything is written behind it. */
  #mend(): void {
    const segment = this.#current;
    if (!segment.isTorn) return;
    try {
      segment.cut(segment.size);
    } catch (thrown) {
      throw diskFailure(thrown, 'cut off what was written in part', 'log_failed');
    }
  }

  /** What is left of a segment that cannot be changed is of no use to anybody who reads it, and does no harm. */
  #forget(segment: Segment): void {
    this.#segments.splice(this.#segments.indexOf(segment), 1);
    try {
      this.#files.remove(segment.path);
    } catch {}
  }

  #empty(segment: Segment): void {
    try {
      segment.cut(segment.header.bytes.length);
    } catch {}
  }

  #bufferOf(length: number): Buffer {
    if (length <= this.#buffer.length) return this.#buffer;
    const made = Buffer.allocUnsafe(Math.max(length, 2 * this.#buffer.length));
    if (length <= KEPT_BYTES) this.#buffer = made;
    return made;
  }

  async #flush(): Promise<void> {
    await this.#faults.reach('log.sync');
    try {
      for (const segment of this.#segments.filter(({ isDirty }) => isDirty)) await this.#syncSegment(segment);
      if (this.#namesAreNew) await this.#syncNames();
    } catch (thrown) {
      throw diskFailure(thrown, 'wait for the disk that holds the log', 'log_failed');
    }
    const doubtful = this.#segments.filter(({ isDoubtful, needs }) => isDoubtful && needs.size > 0);
    if (doubtful.length > 0)
      throw failed(
        'A wait for the disk failed earlier, and what was written then may be lost',
        'Write savepoints of the sessions that need it.',
        doubtful.flatMap(({ needs }) => [...needs.keys()]),
      );
  }

  async #syncSegment(segment: Segment): Promise<void> {
    try {
      await segment.sync();
    } catch (thrown) {
      // Deleted in the meantime, because nobody needs it any more.
      if (this.#segments.includes(segment)) throw thrown;
    }
  }

  async #syncNames(): Promise<void> {
    this.#namesAreNew = false;
    try {
      await this.#files.syncPath(dirname(this.folder));
      await this.#files.syncPath(this.folder);
    } catch (thrown) {
      this.#namesAreNew = true;
      throw thrown;
    }
  }
}

/**
 * A new log in a folder that is made where it is not there and that no log was ever in. Throws `disk_full` (retryable) or `log_failed`.
 * After a failed wait for the disk `sync` throws `log_failed` until savepoints cover all that was written before.
 */
export const openPageLog = (folder: string, options: PageLogOptions = {}): PageLog => new FileLog(folder, options);
