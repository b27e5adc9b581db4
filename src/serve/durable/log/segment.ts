/** One file of a page log that is being written, or was and is kept: what of it is written and who needs it. */
import { join } from 'node:path';
import { newHeader } from './form.js';
import type { LogFiles } from './log-files.js';
import type { LogRecord } from './page-log.js';

/** Writes all of it: a short write on a full disk is followed by one that throws. */
export const writeAt = (files: LogFiles, file: number, bytes: Uint8Array, length: number, position: number): void => {
  for (let at = 0; at < length; ) at += files.write(file, bytes, at, length - at, position + at);
};

export class Segment {
  readonly path: string;
  readonly header;
  /** Bytes of the header and of whole records. */
  size: number;
  /** Something may lie behind them, of a write that failed. */
  isTorn = false;
  /** Written since it was last seen to be on the disk. */
  isDirty = true;
  /** A wait for the disk failed: nobody knows what of it is there. */
  isDoubtful = false;
  /** The last record of each session that may still be asked for. */
  readonly needs = new Map<string, { gen: number; seq: number }>();
  #file: number | undefined;
  #users = 0;
  #isRetired = false;

  /** Makes the file. Throws what the system throws, and then leaves nothing. */
  constructor(
    readonly files: LogFiles,
    folder: string,
    readonly number: number,
    incarnation: string,
    before: Segment | undefined,
  ) {
    this.path = join(folder, `${number}.log`);
    this.header = newHeader(incarnation, before);
    const { bytes } = this.header;
    const file = files.create(this.path);
    try {
      writeAt(files, file, bytes, bytes.length, 0);
    } catch (thrown) {
      files.close(file);
      files.remove(this.path);
      throw thrown;
    }
    this.#file = file;
    this.size = bytes.length;
  }

  get isEmpty(): boolean {
    return this.size === this.header.bytes.length;
  }

  /** The open file. */
  get file(): number {
    if (this.#file === undefined) throw new Error('The segment was closed');
    return this.#file;
  }

  note({ session, gen, seq }: LogRecord): void {
    const need = this.needs.get(session);
    if (!need) this.needs.set(session, { gen, seq });
    else if (gen > need.gen || (gen === need.gen && seq > need.seq)) {
      need.gen = gen;
      need.seq = seq;
    }
  }

  /** True where nobody needs the segment any more since this. */
  covered(session: string, gen: number, seq: number): boolean {
    const need = this.needs.get(session);
    if (!need || need.gen > gen || (need.gen === gen && need.seq > seq)) return false;
    this.needs.delete(session);
    return this.needs.size === 0;
  }

  /** Cuts off what lies behind `size` bytes. Throws what the system throws. */
  cut(size: number): void {
    this.isTorn = true;
    this.files.truncate(this.file, size);
    this.isTorn = false;
    this.size = size;
  }

  /** Waits until what was written so far is on the disk. Throws what the system throws. */
  async sync(): Promise<void> {
    this.isDirty = false;
    this.#users++;
    try {
      if (this.#file === undefined) await this.files.syncPath(this.path);
      else {
        await this.files.sync(this.#file);
        if (!this.files.hasName(this.#file)) throw Object.assign(new Error('It was deleted'), { code: 'ENOENT' });
      }
    } catch (thrown) {
      this.isDoubtful = true;
      throw thrown;
    } finally {
      this.#users--;
      if (this.#isRetired) this.retire();
    }
  }

  /** Nothing is written to it from now on. */
  retire(): void {
    this.#isRetired = true;
    // A number that is closed while somebody waits for the disk would soon be another file's.
    if (this.#users > 0 || this.#file === undefined) return;
    this.files.close(this.#file);
    this.#file = undefined;
  }
}
