/**
 * One open database file, bound to one head at a time.
 * SQLite drops its page cache when the change counter on page 1 moves, so each slot shows a counter of its own, which
 * moves on every change of head. A counter kept per session instead collides and corrupts in silence.
 */
import { COUNTER_AT, VALID_FOR_AT } from './base.js';
import type { Head, LockHolder } from './head.js';
import { read32, write32 } from './words32.js';

const OK = 0;
const BUSY = 5;
const SHORT_READ = 522;
const SHARED = 1;
const RESERVED = 2;
/** The lock under which pages are written. */
export const EXCLUSIVE = 4;

const isSettled = (head: Head): boolean => !head.dropped && (head.top === undefined || head.top.size === 0);

/** Both show one frozen layer of one base, and nothing of their own over it. */
const isAlike = (a: Head, b: Head): boolean =>
  a.base === b.base && a.layer === b.layer && a.count === b.count && isSettled(a) && isSettled(b);

export class Slot implements LockHolder {
  lock = 0;
  epoch = 1;
  seen = -1;
  head: Head | undefined;
  /** Keeps the bound head's state from being collected. */
  owner: unknown;

  constructor(readonly name: string) {}

  bind(head: Head, owner: unknown): void {
    this.owner = owner;
    const { head: last, seen } = this;
    // What was read of one head is good for another whose pages are the same: sessions that have not written yet.
    const isKnown = last?.writes === seen && (last === head || isAlike(last, head));
    this.head = head;
    if (isKnown) this.seen = head.writes;
    else this.#renew(head);
  }

  read(page: number, at: number, length: number, into: Uint8Array, to: number): number {
    const head = this.head as Head;
    if (page === 1 && head.writes !== this.seen) this.#renew(head);
    const bytes = head.page(page);
    if (!bytes) {
      into.fill(0, to, to + length);
      return page > head.count ? SHORT_READ : OK;
    }
    into.set(length === bytes.length ? bytes : bytes.subarray(at, at + length), to);
    if (page === 1) this.#showEpoch(into, to - at, at, at + length);
    return OK;
  }

  write(page: number, at: number, from: Uint8Array): void {
    const head = this.head as Head;
    const bytes = head.own(page, from.length === head.base.pageSize);
    bytes.set(from, at);
    this.seen = head.writes;
    if (page !== 1 || at !== 0) return;
    this.epoch = read32(bytes, COUNTER_AT);
    // What is kept must not tell how often a connection was bound: equal contents have equal bytes.
    write32(bytes, COUNTER_AT, head.base.counter);
    write32(bytes, VALID_FOR_AT, head.base.counter);
  }

  take(level: number): number {
    const head = this.head as Head;
    const writer = head.writer;
    if (writer && writer !== this && (level > SHARED || writer.lock >= EXCLUSIVE)) return BUSY;
    if (level >= EXCLUSIVE && head.readers > 1) return BUSY;
    if (this.lock === 0) head.readers++;
    if (level >= RESERVED) head.writer = this;
    this.lock = Math.max(this.lock, level);
    return OK;
  }

  release(level: number): void {
    const head = this.head;
    if (!head || this.lock <= level) return;
    if (this.lock >= RESERVED && level < RESERVED) head.writer = undefined;
    if (level === 0) head.readers--;
    this.lock = level;
  }

  // Two connections on one state see each other's writes by the count of writes.
  #renew(head: Head): void {
    this.epoch = (this.epoch + 1) >>> 0;
    this.seen = head.writes;
  }

  #showEpoch(into: Uint8Array, origin: number, from: number, to: number): void {
    if (from <= COUNTER_AT && to >= COUNTER_AT + 4) write32(into, origin + COUNTER_AT, this.epoch);
    if (from <= VALID_FOR_AT && to >= VALID_FOR_AT + 4) write32(into, origin + VALID_FOR_AT, this.epoch);
  }
}
