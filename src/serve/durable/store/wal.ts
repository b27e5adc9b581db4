/**
 * The database's write-ahead log, looked at before SQLite does: it reads up to the first frame that does not add up and drops the
 * rest without a word, which is right for a torn end and wrong for damage (sqlite.org/fileformat2.html, "The Write-Ahead Log").
 */
import { readIfThere } from '../../blobs/disk.js';

const HEADER = 32;
const FRAME_HEADER = 24;

/** Two running sums over words of 32 bits. */
class Sums {
  #a = 0;
  #b = 0;
  constructor(readonly isBig: boolean) {}

  add(view: DataView, from: number, to: number): void {
    let [a, b] = [this.#a, this.#b];
    for (let at = from; at < to; at += 8) {
      a = (a + view.getUint32(at, !this.isBig) + b) >>> 0;
      b = (b + view.getUint32(at + 4, !this.isBig) + a) >>> 0;
    }
    [this.#a, this.#b] = [a, b];
  }

  are(view: DataView, at: number): boolean {
    return view.getUint32(at) === this.#a && view.getUint32(at + 4) === this.#b;
  }
}

const isPageSize = (size: number): boolean => size >= 512 && size <= 65_536 && (size & (size - 1)) === 0;

/**
 * Commits behind the first frame that cannot be read. Each commit waits for the disk before the next begins, so a process that was
 * killed or a machine that went dark leaves at most one; two or more were answered once, and their log was damaged since.
 */
export const commitsBehindDamage = (path: string, pageSize: number): number => {
  const bytes = readIfThere(path);
  if (!bytes || bytes.length < HEADER + FRAME_HEADER) return 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sums = new Sums((view.getUint32(0) & 1) === 1);
  sums.add(view, 0, 24);
  const said = view.getUint32(8);
  const isHeaderSound = sums.are(view, 24) && isPageSize(said);
  const frame = FRAME_HEADER + (isHeaderSound ? said : pageSize);
  // Frames of a log that was begun anew since have other salts.
  const salts = isHeaderSound ? bytes.subarray(16, 24) : bytes.subarray(HEADER + 8, HEADER + 16);
  let isSound = isHeaderSound;
  let behind = 0;
  for (let at = HEADER; at + frame <= bytes.length; at += frame) {
    const isOfThisLog = Buffer.compare(bytes.subarray(at + 8, at + 16), salts) === 0;
    if (isSound) {
      sums.add(view, at, at + 8);
      sums.add(view, at + FRAME_HEADER, at + frame);
      isSound = isOfThisLog && sums.are(view, at + 16);
    }
    if (!isSound && isOfThisLog && view.getUint32(at + 4) !== 0) behind++;
  }
  return behind;
};
