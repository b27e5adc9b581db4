/** Where a state's pages are: a base, the frozen layers over it, and the private pages on top. The VFS reads and writes it. */
import type { Base } from './base.js';
import { absorb, freeze, type Layer, releaseLayer } from './layer.js';
import { type Slabs, slabsFor } from './slabs.js';

/** `locate` answers with a slot, or with one of these. */
export const IN_BASE = -1;
export const ABSENT = -2;

/** Who holds locks on a head: one open database file of one connection. */
export interface LockHolder {
  lock: number;
}

/** By a name that whoever notes chooses. */
export type Notes = Map<string, { rowid: number; value: number }>;

export class Head {
  /** Grows with every page written; a connection whose last sight of it differs drops its page cache. */
  writes = 0;
  readers = 0;
  writer: LockHolder | undefined;
  dropped = false;
  top: Map<number, number> | undefined;
  /** See Connection.notes: what a committed transaction noted, good while `writes` is still `notedAt`. */
  notes: Notes | undefined;
  notedAt = -1;
  /** How it was when its changes were last told (State.takeDelta), where somebody asks; holds a reference to its layer. */
  mark: Head | undefined;
  readonly slabs: Slabs;

  /** Takes over one reference to `layer`. `count` is the number of pages. */
  constructor(
    readonly base: Base,
    public layer: Layer | undefined,
    public count: number,
  ) {
    this.slabs = slabsFor(base.pageSize);
  }

  /** The slot of page `page` whatever the page count says, or IN_BASE or ABSENT. */
  locate(page: number): number {
    let slot = this.top?.get(page);
    if (slot !== undefined) return slot;
    for (let layer = this.layer; layer; layer = layer.parent) {
      slot = layer.pages.get(page);
      if (slot !== undefined) return slot;
    }
    return page <= this.base.pageCount ? IN_BASE : ABSENT;
  }

  /** The bytes of page `page`, shared; undefined when it is past the end or was never written. */
  page(page: number): Uint8Array | undefined {
    if (page > this.count) return undefined;
    const slot = this.locate(page);
    return slot >= 0 ? this.slabs.page(slot) : slot === IN_BASE ? this.base.page(page) : undefined;
  }

  /** The private bytes of page `page`, to be written at once; `whole` says that every byte will be. */
  own(page: number, whole: boolean): Uint8Array {
    this.top ??= new Map();
    this.writes++;
    let slot = this.top.get(page);
    if (slot !== undefined && page <= this.count) return this.slabs.page(slot);
    const old = whole ? undefined : this.page(page);
    if (page > this.count) {
      this.#extend(page - 1);
      this.count = page;
    }
    slot ??= this.slabs.take();
    const bytes = this.slabs.page(slot);
    if (old) bytes.set(old);
    else if (!whole) bytes.fill(0);
    this.top.set(page, slot);
    return bytes;
  }

  /** Cuts the file to `count` pages. */
  truncate(count: number): void {
    this.writes++;
    this.count = count;
    if (!this.top) return;
    for (const [page, slot] of this.top) {
      if (page <= count) continue;
      this.top.delete(page);
      this.slabs.release(slot);
    }
  }

  /** Makes the file `count` pages long and puts `pages` (page number to slot) into it, taking over the references. */
  replace(count: number, pages: ReadonlyMap<number, number>): void {
    if (count < this.count) this.truncate(count);
    this.top ??= new Map();
    this.writes++;
    this.#extend(count);
    for (const [page, slot] of pages) {
      const old = this.top.get(page);
      if (old !== undefined) this.slabs.release(old);
      this.top.set(page, slot);
    }
  }

  /** Marks how it is now; changes are told from here on. */
  remember(): void {
    const { mark, layer, top } = this;
    if (layer && top && layer.refs === 2 && mark?.layer === layer) {
      // Nobody but the head and its mark reads that layer: the chain stays as it is, and the pages before are given back.
      absorb(layer, top);
      this.top = undefined;
      mark.count = this.count;
      return;
    }
    const held = this.share();
    this.mark ??= new Head(this.base, undefined, 0);
    releaseLayer(this.mark.layer);
    this.mark.layer = held;
    this.mark.count = this.count;
  }

  /** Turns the private pages into a frozen layer and answers with a new reference to the chain. */
  share(): Layer | undefined {
    if (this.top && this.top.size > 0) {
      this.layer = freeze(this.slabs, this.top, this.layer);
      this.top = undefined;
    }
    if (this.layer) this.layer.refs++;
    return this.layer;
  }

  /** Gives every page back, those that its mark holds too. */
  release(): void {
    this.clear();
    this.mark?.clear();
    this.mark = undefined;
  }

  /** Gives its pages back; it reads as the base afterwards. */
  clear(): void {
    if (this.top) for (const slot of this.top.values()) this.slabs.release(slot);
    this.top = undefined;
    releaseLayer(this.layer);
    this.layer = undefined;
  }

  // A page cut off earlier may still lie in a layer below; skipped over on the way up, it must read as zeros.
  #extend(count: number): void {
    const top = this.top as Map<number, number>;
    for (let gap = this.count + 1; gap <= count; gap++) {
      if (this.locate(gap) === ABSENT) continue;
      const slot = this.slabs.take();
      this.slabs.page(slot).fill(0);
      top.set(gap, slot);
    }
    this.count = count;
  }
}
