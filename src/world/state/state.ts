/** A session's private, mutable, forkable copy of one database; and its frozen form. */
import { TreadleError } from '../../errors.js';
import { sha256 } from '../../kit/hash.js';
import type { Base } from './base.js';
import { Head } from './head.js';
import { type Layer, releaseLayer } from './layer.js';
import { applyDelta, deltaOf } from './page-delta.js';

// Pages of a state that nobody dropped come back when it is collected; drop() only makes it sooner.
const abandoned = new FinalizationRegistry<Head>((head) => head.release());
const abandonedLayers = new FinalizationRegistry<Layer | undefined>(releaseLayer);

const dropped = (what: string): TreadleError =>
  new TreadleError({
    code: 'state_dropped',
    message: `The ${what} was dropped`,
    next: 'Fork it before dropping it, or keep it until the last use.',
    fault: 'infrastructure',
  });

const imageOf = (head: Head): Uint8Array => {
  const { base, count } = head;
  const out = new Uint8Array(count * base.pageSize);
  out.set(base.image.subarray(0, Math.min(base.image.length, out.length)));
  for (let page = 1; page <= count; page++) {
    const slot = head.locate(page);
    if (slot >= 0) out.set(head.slabs.page(slot), (page - 1) * base.pageSize);
  }
  return out;
};

const sameBytes = (one: Head, other: Head): boolean => {
  if (one.count !== other.count || one.base.pageSize !== other.base.pageSize) return false;
  if (one.base !== other.base) return Buffer.compare(imageOf(one), imageOf(other)) === 0;
  // A page that nobody ever wrote reads as zeros.
  const zeros = new Uint8Array(one.base.pageSize);
  for (let page = 1; page <= one.count; page++) {
    if (one.locate(page) === other.locate(page)) continue;
    if (Buffer.compare(one.page(page) ?? zeros, other.page(page) ?? zeros) !== 0) return false;
  }
  return true;
};

export class State {
  readonly head: Head;

  private constructor(head: Head) {
    this.head = head;
    abandoned.register(this, head, head);
  }

  static open(base: Base): State {
    return new State(new Head(base, undefined, base.pageCount));
  }

  /** For FrozenState and unparking: takes over one reference to `layer`. */
  static over(base: Base, layer: Layer | undefined, count: number): State {
    return new State(new Head(base, layer, count));
  }

  get base(): Base {
    return this.head.base;
  }

  /** Grows with every page written, restored or cut off. */
  get writeCounter(): number {
    return this.head.writes;
  }

  /** Another state with the same content; neither sees the other's later writes. Constant time. */
  fork(): State {
    this.assertSettled('fork');
    const { base, count } = this.head;
    return new State(new Head(base, this.head.share(), count));
  }

  /** The content as it is now, kept for `restore`. Constant time. */
  snapshot(): FrozenState {
    this.assertSettled('snapshot');
    return new FrozenState(this.base, this.head.share(), this.head.count);
  }

  /** Goes back to what `frozen` holds. Throws `other_base` when it came from another base. */
  restore(frozen: FrozenState): void {
    this.assertSettled('restore');
    frozen.assertAlive();
    if (frozen.base !== this.base)
      throw new TreadleError({
        code: 'other_base',
        message: 'The snapshot belongs to another base image',
        value: frozen.base.hash,
        next: 'Open a new state with snapshot.fork().',
        fault: 'infrastructure',
      });
    const { head } = this;
    if (frozen.layer) frozen.layer.refs++;
    head.clear();
    head.layer = frozen.layer;
    head.count = frozen.count;
    head.writes++;
  }

  /**
   * From now on `takeDelta` tells what changed: after all of the state was written down, for one. Costs a state that is marked the old
   * bytes of the pages written since, others nothing.
   */
  markDelta(): void {
    this.assertSettled('mark');
    this.head.remember();
  }

  /**
   * What changed since the last delta or `markDelta`, exact whatever was forked or restored in between; undefined where nothing did.
   * The next begins here. Where it has no mark, as a fork and a state opened anew have none, it begins at `from`, which nobody writes.
   * Throws `no_mark`.
   */
  takeDelta(from?: State): Uint8Array | undefined {
    this.assertSettled('take a delta of');
    const { head } = this;
    const before = head.mark ?? from?.head;
    if (!before)
      throw new TreadleError({
        code: 'no_mark',
        message: 'The state has no mark that a delta could begin at',
        next: 'Write all of it down and call markDelta() first.',
        fault: 'infrastructure',
      });
    const delta = deltaOf(before, head);
    head.remember();
    return delta;
  }

  /**
   * Does what the state whose delta it is did. Throws `bad_delta`, and has changed nothing, where the bytes are damaged, or the page count
   * and the pages touched are not what they were there. Pages that it does not touch are not looked at: the order of deltas is the
   * caller's to keep.
   */
  applyDelta(delta: Uint8Array): void {
    this.assertSettled('apply a delta to');
    applyDelta(this.head, delta);
  }

  /** Gives the pages back. Using the state afterwards throws `state_dropped`; dropping twice is allowed. */
  drop(): void {
    if (this.head.dropped) return;
    this.assertSettled('drop');
    abandoned.unregister(this.head);
    this.head.dropped = true;
    this.head.release();
  }

  /** A whole SQLite file. */
  bytes(): Uint8Array {
    this.assertSettled('export');
    return imageOf(this.head);
  }

  /** SHA-256 of `bytes()`. */
  hash(): string {
    const { layer, top, count, base } = this.head;
    // Nothing was ever written: the base knows its hash.
    return layer === undefined && top === undefined && count === base.pageCount ? base.hash : sha256(this.bytes());
  }

  /** Whether `other` holds the same bytes; of states over one base only the pages that either has written are looked at. */
  equals(other: State): boolean {
    this.assertSettled('compare');
    other.assertSettled('compare');
    return sameBytes(this.head, other.head);
  }

  // Pages of an open transaction are partly in SQLite's cache: whatever was taken from here would be torn.
  assertSettled(action: string): void {
    if (this.head.dropped) throw dropped('state');
    if (this.head.readers > 0)
      throw new TreadleError({
        code: 'transaction_open',
        message: `Cannot ${action} a state inside a transaction`,
        next: 'Commit or roll back first.',
        fault: 'infrastructure',
      });
  }
}

/** Immutable and reference-counted; made by `State.snapshot()`. */
export class FrozenState {
  #dropped = false;
  #head: Head | undefined;

  /** Takes over one reference to `layer`. */
  constructor(
    readonly base: Base,
    readonly layer: Layer | undefined,
    readonly count: number,
  ) {
    if (layer) abandonedLayers.register(this, layer, this);
  }

  /** The pages, to read from. */
  get head(): Head {
    this.assertAlive();
    this.#head ??= new Head(this.base, this.layer, this.count);
    return this.#head;
  }

  /** A new state with this content. Constant time. */
  fork(): State {
    this.assertAlive();
    if (this.layer) this.layer.refs++;
    return State.over(this.base, this.layer, this.count);
  }

  /** A whole SQLite file. */
  bytes(): Uint8Array {
    return imageOf(this.head);
  }

  /** SHA-256 of `bytes()`. */
  hash(): string {
    return sha256(this.bytes());
  }

  drop(): void {
    if (this.#dropped) return;
    this.#dropped = true;
    abandonedLayers.unregister(this);
    releaseLayer(this.layer);
  }

  assertAlive(): void {
    if (this.#dropped) throw dropped('snapshot');
  }
}
