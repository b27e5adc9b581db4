/** All ledgers of a process under one memory budget: beyond it the longest unused ones are moved to files. */
import type { LedgerEntry } from '../../artifacts/trace.js';
import { asTreadleError, type TreadleError } from '../../errors.js';
import { elapsedMs } from '../../kit/clock.js';
import { Ages, Body } from './ages.js';
import { Chunk, freeExtents, releaseChunk, writeRun } from './chunk.js';
import { diskFiles, type SegmentFiles } from './files.js';
import { footprint } from './footprint.js';
import type { Ledger } from './ledger.js';
import { droppedLedger } from './memory.js';
import { type SegmentSizes, Segments } from './segments.js';
import { StoredLedger } from './stored.js';

const MEMORY = 16 * 1024 * 1024;
/** After the disk failed it is left alone for this long. */
const RETRY_MS = 1000;

export interface LedgerStoreOptions {
  /** Where segment files are made; it is created when first needed. Several processes may share it. */
  folder: string;
  /** Heap that entries may hold, estimated. 16 MiB when absent. */
  memoryBytes?: number;
  /** Told once each time the disk begins to fail. */
  onDefect?: (error: TreadleError) => void;
  files?: SegmentFiles;
  sizes?: SegmentSizes;
}

export class LedgerStore {
  readonly segments: Segments;
  readonly #limit: number;
  readonly #onDefect: ((error: TreadleError) => void) | undefined;
  readonly #ages = new Ages();
  readonly #unreachable = new FinalizationRegistry<Body>((body) => this.dropBody(body));
  /** Bytes that could be spilled, and bytes that cannot. */
  #bytes = 0;
  #stuckBytes = 0;
  #failing: TreadleError | undefined;
  #retryAt = 0;
  #isClosed = false;

  constructor({ folder, memoryBytes, onDefect, files, sizes }: LedgerStoreOptions) {
    this.segments = new Segments(folder, files ?? diskFiles, sizes);
    this.#limit = memoryBytes ?? MEMORY;
    this.#onDefect = onDefect;
  }

  /** Estimated heap of the entries in memory, and what waits to be written. */
  get bytesInMemory(): number {
    return this.#bytes + this.#stuckBytes + this.segments.bytesPending;
  }

  get bytesOnDisk(): number {
    return this.segments.bytesOnDisk;
  }

  /** `ledger_disk` while ledgers cannot be moved to disk; nothing is lost meanwhile. Asked once a second, the disk is tried again. */
  get failing(): TreadleError | undefined {
    if (this.#failing && !this.#isClosed && elapsedMs() >= this.#retryAt) this.#probe();
    return this.#failing;
  }

  /** An empty ledger. */
  open(): Ledger {
    return this.#handle(new Body());
  }

  /** Closes all files: what was spilled can then no longer be read, what is in memory can. */
  close(): void {
    this.#isClosed = true;
    this.segments.close();
  }

  #handle(body: Body): Ledger {
    const handle = new StoredLedger(this, body);
    this.#unreachable.register(handle, body, body);
    return handle;
  }

  pushTo(body: Body, entry: LedgerEntry, ms: number): void {
    if (body.isDropped) return;
    const bytes = footprint(entry);
    if (body.tail) {
      body.tail.calls.push(entry);
      body.tail.ms.push(ms);
      body.tail.sizes?.push(bytes);
    } else {
      body.tail = { calls: [entry], ms: [ms], sizes: [bytes] };
    }
    body.tailBytes += bytes;
    this.#bytes += bytes;
    this.#ages.touch(body);
    if (this.#bytes > this.#limit) this.#makeRoom();
  }

  forkBody(body: Body): Ledger {
    if (body.isDropped) throw droppedLedger();
    if (body.tail) this.#freeze(body);
    const forked = new Body();
    forked.head = body.head;
    forked.start = body.start;
    if (body.head) body.head.refs++;
    if (body.isListed) this.#ages.touch(forked);
    return this.#handle(forked);
  }

  /** The tail becomes a chunk that can be shared. */
  #freeze(body: Body): Chunk {
    const chunk = new Chunk(body.head, body.start, body.length - body.start);
    chunk.kept = body.tail;
    chunk.bytes = body.tailBytes;
    body.head = chunk;
    body.start += chunk.count;
    body.tail = undefined;
    body.tailBytes = 0;
    return chunk;
  }

  #makeRoom(): void {
    if (this.#isClosed || (this.#failing && elapsedMs() < this.#retryAt)) return;
    while (this.#bytes > this.#limit && this.#ages.oldest) if (!this.spillBody(this.#ages.oldest)) return;
  }

  /** Asks a disk that failed again, where no push does because there is room. */
  #probe(): void {
    const { oldest } = this.#ages;
    if (oldest) {
      this.spillBody(oldest);
      return;
    }
    try {
      this.segments.flush();
      this.#failing = undefined;
    } catch (thrown) {
      this.#fail(asTreadleError(thrown, 'infrastructure', 'ledger_disk'));
    }
  }

  /** Moves all that a ledger holds in memory to disk. False where the disk failed; the rest then stays where it is. */
  spillBody(body: Body): boolean {
    if (this.#isClosed) return false;
    try {
      const waiting: Chunk[] = [];
      for (let chunk = body.head; chunk && !chunk.isSettled; chunk = chunk.parent) waiting.push(chunk);
      for (const chunk of waiting.reverse()) this.#spillChunk(chunk);
      if (body.tail) this.#spillTail(body);
      // Only what the disk has taken, not the buffer, shows that it works again.
      if (this.#failing) this.segments.flush();
    } catch (thrown) {
      this.#fail(asTreadleError(thrown, 'infrastructure', 'ledger_disk'));
      return false;
    }
    this.#failing = undefined;
    this.#ages.remove(body);
    return true;
  }

  #spillChunk(chunk: Chunk): void {
    const extents = chunk.kept && writeRun(this.segments, chunk.kept);
    this.#bytes -= chunk.bytes;
    if (extents) {
      chunk.extents = extents;
      chunk.kept = undefined;
      chunk.bytes = 0;
    } else {
      chunk.isStuck = true;
      this.#stuckBytes += chunk.bytes;
    }
  }

  /** A ledger that is spilled again and again keeps one chunk as long as it alone holds it. */
  #spillTail(body: Body): void {
    const { head, tail } = body;
    const extents = head?.extents && head.refs === 1 && tail ? writeRun(this.segments, tail) : undefined;
    if (!head?.extents || !extents || !tail) {
      this.#spillChunk(this.#freeze(body));
      return;
    }
    for (const field of extents) head.extents.push(field);
    head.count += tail.calls.length;
    head.read = undefined;
    body.start += tail.calls.length;
    this.#bytes -= body.tailBytes;
    body.tail = undefined;
    body.tailBytes = 0;
  }

  #fail(error: TreadleError): void {
    this.#retryAt = elapsedMs() + RETRY_MS;
    const isNew = this.#failing === undefined;
    this.#failing = error;
    if (!isNew) return;
    try {
      this.#onDefect?.(error);
    } catch {
      // Whoever is told may fail; a call must not fail for it.
    }
  }

  dropBody(body: Body): void {
    if (body.isDropped) return;
    body.isDropped = true;
    this.#unreachable.unregister(body);
    this.#ages.remove(body);
    this.#bytes -= body.tailBytes;
    releaseChunk(body.head, (chunk) => this.#free(chunk));
    body.head = undefined;
    body.tail = undefined;
    body.served = undefined;
    body.tailBytes = 0;
    body.start = 0;
  }

  #free(chunk: Chunk): void {
    if (chunk.extents) freeExtents(this.segments, chunk.extents);
    else if (chunk.isStuck) this.#stuckBytes -= chunk.bytes;
    else this.#bytes -= chunk.bytes;
    chunk.extents = undefined;
    chunk.kept = undefined;
  }
}
