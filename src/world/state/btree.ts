/** Walks the table b-trees of a SQLite image without SQLite (sqlite.org/fileformat2.html, section 1.6). */
import { TreadleError } from '../../errors.js';
import { Reader } from './record.js';
import { read32 } from './words32.js';

/** Gives the bytes of a page, counted from 1. */
export type PageReader = (page: number) => Uint8Array | undefined;

const INTERIOR = 5;
const LEAF = 13;
/** A loop among pages must end. */
const MOST_PAGES = 1 << 22;

export interface Cell {
  rowid: number | bigint;
  /** The whole record; shared with the page unless the row overflows it. */
  payload: Uint8Array;
  /** The row's overflow pages, empty for most rows. */
  overflow: readonly number[];
}

const NONE: readonly number[] = [];

const read16 = (bytes: Uint8Array, at: number): number => ((bytes[at] as number) << 8) | (bytes[at + 1] as number);

const torn = (page: number): TreadleError =>
  new TreadleError({
    code: 'bad_image',
    message: 'The image has a page that no table can have',
    value: page,
    next: 'Check the image with sqlite3 and PRAGMA integrity_check.',
    fault: 'infrastructure',
  });

export class TreeReader {
  readonly #reader = new Reader();

  /** `usable` is the page size less the reserved bytes of the header. */
  constructor(
    readonly page: PageReader,
    readonly usable: number,
  ) {}

  /** Page numbers of the tree at `root`, in key order. */
  pages(root: number): { leaves: number[]; interiors: number[] } {
    const leaves: number[] = [];
    const interiors: number[] = [];
    this.#descend(root, leaves, interiors);
    return { leaves, interiors };
  }

  /** Calls `visit` with every row of leaf page `page`. */
  cells(page: number, visit: (cell: Cell) => void): void {
    const bytes = this.page(page);
    const head = page === 1 ? 100 : 0;
    if (bytes?.[head] !== LEAF) throw torn(page);
    const count = read16(bytes, head + 3);
    for (let i = 0; i < count; i++) visit(this.#cell(bytes, read16(bytes, head + 8 + 2 * i)));
  }

  // Every leaf is as deep as the first, so the kind of one child tells the kind of all: leaves are not read here.
  #descend(page: number, leaves: number[], interiors: number[]): void {
    const bytes = this.#interior(page);
    if (!bytes) {
      leaves.push(page);
      return;
    }
    interiors.push(page);
    const head = page === 1 ? 100 : 0;
    const count = read16(bytes, head + 3);
    const last = read32(bytes, head + 8);
    const first = count === 0 ? last : read32(bytes, read16(bytes, head + 12));
    const areLeaves = !this.#interior(first);
    for (let i = 0; i <= count; i++) {
      const child = i === count ? last : read32(bytes, read16(bytes, head + 12 + 2 * i));
      if (areLeaves) leaves.push(child);
      else if (interiors.length < MOST_PAGES) this.#descend(child, leaves, interiors);
      else throw torn(child);
    }
  }

  /** The bytes of an interior page, undefined for a leaf. */
  #interior(page: number): Uint8Array | undefined {
    const bytes = this.page(page);
    const kind = bytes?.[page === 1 ? 100 : 0];
    if (bytes === undefined || (kind !== LEAF && kind !== INTERIOR)) throw torn(page);
    return kind === INTERIOR ? bytes : undefined;
  }

  #cell(bytes: Uint8Array, at: number): Cell {
    const reader = this.#reader;
    reader.bytes = bytes;
    reader.at = at;
    const size = reader.varint();
    const rowid = reader.rowid();
    const most = this.usable - 35;
    if (size <= most) return { rowid, payload: bytes.subarray(reader.at, reader.at + size), overflow: NONE };
    const least = Math.floor(((this.usable - 12) * 32) / 255) - 23;
    const fit = least + ((size - least) % (this.usable - 4));
    const local = fit <= most ? fit : least;
    return this.#overflowing(rowid, size, bytes.subarray(reader.at, reader.at + local + 4));
  }

  #overflowing(rowid: number | bigint, size: number, local: Uint8Array): Cell {
    const payload = new Uint8Array(size);
    const overflow: number[] = [];
    let filled = local.length - 4;
    payload.set(local.subarray(0, filled));
    let next = read32(local, filled);
    while (filled < size) {
      const bytes = this.page(next);
      if (!bytes) throw torn(next);
      overflow.push(next);
      const part = Math.min(size - filled, this.usable - 4);
      payload.set(bytes.subarray(4, 4 + part), filled);
      filled += part;
      next = read32(bytes, 0);
    }
    return { rowid, payload, overflow };
  }
}
