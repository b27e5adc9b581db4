/**
 * A world's rollouts, being written. Lines are added at the end and never changed: a rollout is kept once its line is handed to
 * the system, so a killed process loses nothing of it; the disk itself has it within a second, and at `close`.
 */
import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { TreadleError } from '../../errors.js';
import { elapsedMs } from '../../kit/clock.js';
import type { Corpus } from '../corpus.js';
import { diskError, makeFolder } from '../files.js';
import { claimTraces } from './claim.js';
import { lineOf, type TraceHead, type TraceLine } from './line.js';
import { type Entry, entriesOf, tracesFile } from './read.js';
import { readAt } from './scan.js';

const SYNC_MS = 1000;
const COPY = 1 << 20;

const writeAll = (file: number, bytes: Buffer, position: number): void => {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, position + done);
};

/** Where the last whole line ends. */
const endOfLines = (file: number, path: string): number => {
  const { size } = fstatSync(file);
  for (let end = size; end > 0; end = Math.max(0, end - COPY)) {
    const start = Math.max(0, end - COPY);
    const at = readAt(file, path, start, end - start).lastIndexOf(10);
    if (at >= 0) return start + at + 1;
  }
  return 0;
};

export class TraceWriter {
  readonly #path: string;
  readonly #release: () => void;
  #file: number;
  #end: number;
  #entries: Map<string, Entry>;
  #stale: number;
  #unsynced = false;
  #syncedAt = elapsedMs();

  private constructor(path: string, release: () => void, file: number, end: number) {
    this.#path = path;
    this.#release = release;
    this.#file = file;
    this.#end = end;
    const { entries, stale } = entriesOf(file, path);
    this.#entries = entries;
    this.#stale = stale;
  }

  /**
   * Opens the world's rollouts for writing and cuts away half a line that a killed process left. Throws `traces_in_use` while
   * somebody else writes them, `unreadable_file` for nonsense, and what the disk says.
   */
  static open(corpus: Corpus, world: string): TraceWriter {
    const path = tracesFile(corpus, world);
    makeFolder(corpus.path('traces'));
    const release = claimTraces(corpus, world);
    let file: number | undefined;
    try {
      file = openSync(path, 'a+');
      closeSync(file);
      // Opened for adding, every write would go to the end whatever its place: a failed one could not be undone.
      file = openSync(path, 'r+');
      const end = endOfLines(file, path);
      ftruncateSync(file, end);
      rmSync(`${path}.part`, { force: true });
      return new TraceWriter(path, release, file, end);
    } catch (thrown) {
      if (file !== undefined) closeSync(file);
      release();
      throw thrown instanceof TreadleError ? thrown : diskError(thrown, path, 'write');
    }
  }

  /** Heads of the rollouts that count, in the order of the file. */
  heads(): TraceHead[] {
    return [...this.#entries.values()].map(({ head }) => head);
  }

  head(id: string): TraceHead | undefined {
    return this.#entries.get(id)?.head;
  }

  /** Adds a rollout; one of the same id counts no more. Throws what the disk says; then nothing was added. */
  append(line: TraceLine): TraceHead {
    const { head, text } = lineOf(line);
    const bytes = Buffer.from(text);
    try {
      writeAll(this.#file, bytes, this.#end);
    } catch (thrown) {
      this.#cutBack();
      throw diskError(thrown, this.#path, 'write');
    }
    if (this.#entries.delete(head.id)) this.#stale++;
    this.#entries.set(head.id, { head, start: this.#end, length: bytes.length - 1 });
    this.#end += bytes.length;
    this.#unsynced = true;
    if (elapsedMs() - this.#syncedAt > SYNC_MS) this.sync();
    return head;
  }

  #cutBack(): void {
    try {
      ftruncateSync(this.#file, this.#end);
    } catch {
      // Half a line without a newline is cut away when the file is opened next.
    }
  }

  /** Everything added so far is on the disk itself. */
  sync(): void {
    if (!this.#unsynced) return;
    try {
      fdatasyncSync(this.#file);
    } catch (thrown) {
      throw diskError(thrown, this.#path, 'write');
    }
    this.#unsynced = false;
    this.#syncedAt = elapsedMs();
  }

  /**
   * Puts the rollouts named in `order` behind all others and in that order, takes out those that `drop` names, and leaves only
   * lines that count. Nothing is written where the file is so already. The file is replaced whole.
   */
  settle(order: readonly string[], drop: (head: TraceHead) => boolean = () => false): void {
    const named = new Set(order);
    const others = [...this.#entries.values()].filter(({ head }) => !named.has(head.id));
    const own = order.flatMap((id) => this.#entries.get(id) ?? []);
    const kept = [...others, ...own].filter(({ head }) => !drop(head));
    const isSo =
      this.#stale === 0 &&
      kept.length === this.#entries.size &&
      kept.every(({ start }, n) => n === 0 || start > (kept[n - 1]?.start ?? 0));
    if (!isSo) this.#rewrite(kept);
  }

  #rewrite(kept: readonly Entry[]): void {
    const part = `${this.#path}.part`;
    let to: number | undefined;
    try {
      to = openSync(part, 'w+');
      const entries = new Map<string, Entry>();
      let end = 0;
      for (const { head, start, length } of kept) {
        for (let done = 0; done < length + 1; done += COPY)
          writeAll(to, readAt(this.#file, this.#path, start + done, Math.min(COPY, length + 1 - done)), end + done);
        entries.set(head.id, { head, start: end, length });
        end += length + 1;
      }
      fdatasyncSync(to);
      renameSync(part, this.#path);
      closeSync(this.#file);
      this.#file = to;
      this.#end = end;
      this.#entries = entries;
      this.#stale = 0;
      this.#unsynced = false;
    } catch (thrown) {
      if (to !== undefined && to !== this.#file) closeSync(to);
      rmSync(part, { force: true });
      throw diskError(thrown, this.#path, 'write');
    }
  }

  /** Lets the rollouts go; what was added is on the disk. */
  close(): void {
    try {
      this.sync();
    } finally {
      closeSync(this.#file);
      this.#release();
    }
  }
}
