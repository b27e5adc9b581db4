/**
 * What one head's pages became in another's, as runs of changed 32-bit words. One byte of version, the CRC-32 of what follows, the CRC-32
 * of the changed pages as they were, and numbers in base 128: the page size's power of two, the page counts before and after, then a
 * page's distance from the one before and its runs (length, distance, words), each list ended by a zero.
 */
import { crc32 } from 'node:zlib';
import { TreadleError } from '../../errors.js';
import { changedPages } from './changed-pages.js';
import type { Head } from './head.js';

const VERSION = 1;
const CHECKED_FROM = 5;
const HEADER = 9;
const WORD = 4;
const ZEROS = new Uint8Array(65_536);
/** More than a page takes: at worst every second word changed, six bytes for every eight, beside a few numbers of five bytes at most. */
const most = (pageSize: number): number => pageSize + 64;

const refuse = (message: string, value: unknown, next: string): TreadleError =>
  new TreadleError({ code: 'bad_delta', message, value, next, fault: 'infrastructure' });

const words = (page: Uint8Array): Int32Array => new Int32Array(page.buffer, page.byteOffset, page.length / WORD);

// One delta is written after another, so one place to write it in is enough.
let out = Buffer.alloc(16_384);
let end = 0;

const room = (bytes: number): void => {
  if (end + bytes <= out.length) return;
  const larger = Buffer.alloc(Math.max(2 * out.length, end + bytes));
  out.copy(larger, 0, 0, end);
  out = larger;
};

const put = (value: number): void => {
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) out[end++] = (rest % 128) + 128;
  out[end++] = rest;
};

/** Writes the runs in which `now` differs from `was`. False, and nothing written, where it does not. */
const putPage = (step: number, was: Uint8Array, now: Uint8Array): boolean => {
  // SQLite writes the first page at every commit, most often as it was.
  if (Buffer.compare(was, now) === 0) return false;
  room(most(now.length));
  put(step);
  const old = words(was);
  const fresh = words(now);
  const { length } = fresh;
  let done = 0;
  for (let i = 0; i < length; i++) {
    if (old[i] === fresh[i]) continue;
    const from = i;
    while (i < length && old[i] !== fresh[i]) i++;
    put(i - from);
    put(from - done);
    // Most runs are short, and a view of one costs more than its bytes.
    for (let at = from * WORD; at < i * WORD; at++) out[end++] = now[at] as number;
    done = i;
  }
  out[end++] = 0;
  return true;
};

/** What leads from `before` to `after`, two heads of one base; undefined where they hold the same bytes. */
export const deltaOf = (before: Head, after: Head): Uint8Array | undefined => {
  const { pageSize } = after.base;
  // Where it grew by a restore, pages that the mark had cut off are seen again and are in no top.
  const isPlain = before.layer === after.layer && before.count >= after.count;
  if (isPlain && !after.top?.size && before.count === after.count) return undefined;
  const pages = [...(isPlain ? (after.top?.keys() ?? []) : changedPages(before, after))].sort((a, b) => a - b);
  end = HEADER;
  room(most(0));
  put(Math.log2(pageSize));
  put(before.count);
  put(after.count);
  let last = 0;
  let check = 0;
  for (const page of pages) {
    if (page > after.count) break;
    // A page that nobody ever wrote reads as zeros.
    const was = before.page(page) ?? ZEROS.subarray(0, pageSize);
    const now = after.page(page) ?? ZEROS.subarray(0, pageSize);
    if (!putPage(page - last, was, now)) continue;
    last = page;
    check = crc32(was, check);
  }
  if (last === 0 && before.count === after.count) return undefined;
  out[end++] = 0;
  out.writeUInt32LE(check, CHECKED_FROM);
  out.writeUInt32LE(crc32(out.subarray(CHECKED_FROM, end)), 1);
  out[0] = VERSION;
  return new Uint8Array(out.subarray(0, end));
};

interface Reading {
  bytes: Uint8Array;
  at: number;
}

const damaged = (from: Reading): TreadleError =>
  refuse('The delta is damaged', `byte ${from.at} of ${from.bytes.length}`, 'Use an earlier savepoint.');

const take = (from: Reading): number => {
  let value = 0;
  for (let scale = 1; scale <= 2 ** 28; scale *= 128) {
    const byte = from.bytes[from.at++];
    if (byte === undefined) throw damaged(from);
    value += (byte % 128) * scale;
    if (byte < 128) return value;
  }
  throw damaged(from);
};

const takePage = (from: Reading, page: Uint8Array): void => {
  let at = 0;
  for (let length = take(from); length > 0; length = take(from)) {
    at += take(from) * WORD;
    const stop = at + length * WORD;
    if (stop > page.length || from.at + length * WORD > from.bytes.length) throw damaged(from);
    for (; at < stop; at++) page[at] = from.bytes[from.at++] as number;
  }
};

/** Reads and checks what every delta begins with. */
const opened = (
  delta: Uint8Array,
): { from: Reading; check: number; pageSize: number; before: number; count: number } => {
  const bytes = Buffer.from(delta.buffer, delta.byteOffset, delta.length);
  const from: Reading = { bytes: delta, at: HEADER };
  if (bytes.length > 0 && bytes[0] !== VERSION)
    throw refuse('The delta has another form', `version ${bytes[0]}`, 'Read it with the release that wrote it.');
  if (bytes.length <= HEADER || crc32(bytes.subarray(CHECKED_FROM)) !== bytes.readUInt32LE(1)) throw damaged(from);
  const check = bytes.readUInt32LE(CHECKED_FROM);
  return { from, check, pageSize: 2 ** take(from), before: take(from), count: take(from) };
};

/** Turns the head's pages into those that the delta leads to. Throws `bad_delta`, and then has changed nothing. */
export const applyDelta = (head: Head, delta: Uint8Array): void => {
  const { from, check, pageSize, before, count } = opened(delta);
  const { slabs } = head;
  const elsewhere = (value: string): TreadleError =>
    refuse(
      'The delta was taken over another state',
      value,
      'Apply the deltas one after another, from where they began.',
    );
  if (pageSize !== head.base.pageSize || before !== head.count)
    throw elsewhere(`${before} pages of ${pageSize} bytes, not ${head.count} of ${head.base.pageSize}`);
  const pages = new Map<number, number>();
  try {
    let found = 0;
    let page = 0;
    for (let step = take(from); step > 0; step = take(from)) {
      page += step;
      if (page > count) throw damaged(from);
      const slot = slabs.take();
      pages.set(page, slot);
      const bytes = slabs.page(slot);
      bytes.set(head.page(page) ?? ZEROS.subarray(0, pageSize));
      found = crc32(bytes, found);
      takePage(from, bytes);
    }
    if (from.at !== delta.length) throw damaged(from);
    if (found !== check) throw elsewhere(`${pages.size} pages`);
  } catch (thrown) {
    for (const slot of pages.values()) slabs.release(slot);
    throw thrown;
  }
  head.replace(count, pages);
};
