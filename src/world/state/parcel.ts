/** A parked session: what its state changed in the base, small enough to keep by the thousand or to write to disk. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { TreadleError } from '../../errors.js';
import type { Base } from './base.js';
import { Layer } from './layer.js';
import { slabsFor } from './slabs.js';
import { type FrozenState, State } from './state.js';

const MAGIC = Buffer.from('TRDLPCL1', 'latin1');
const HEADER = MAGIC.length + 32 + 8;

const xor = (page: Uint8Array, base: Uint8Array): Uint8Array => page.map((byte, i) => byte ^ (base[i] as number));

const refuse = (message: string, value: unknown, next: string): never => {
  throw new TreadleError({ code: 'bad_parcel', message, value, next });
};

/**
 * The state's changed pages against its base: the base's hash, the page numbers, and the pages XORed with the base's
 * and deflated. `unpack` with the same base gives the same bytes.
 */
export const pack = (state: State | FrozenState): Uint8Array => {
  if ('assertSettled' in state) state.assertSettled('pack');
  const { base, head } = state;
  const numbers: number[] = [];
  const pages: Uint8Array[] = [];
  for (let page = 1; page <= head.count; page++) {
    if (head.locate(page) < 0) continue;
    const bytes = head.page(page) as Uint8Array;
    numbers.push(page);
    pages.push(page <= base.pageCount ? xor(bytes, base.page(page)) : bytes);
  }
  const words = Buffer.alloc(4 * (numbers.length + 2));
  for (const [i, word] of [head.count, numbers.length, ...numbers].entries()) words.writeUInt32BE(word, 4 * i);
  return Buffer.concat([MAGIC, Buffer.from(base.hash, 'hex'), words, deflateRawSync(Buffer.concat(pages))]);
};

/** The hash of the base that a parcel belongs to. Throws `bad_parcel`. */
export const baseOfParcel = (parcel: Uint8Array): string => {
  const bytes = Buffer.from(parcel.buffer, parcel.byteOffset, parcel.length);
  if (bytes.length < HEADER || !bytes.subarray(0, MAGIC.length).equals(MAGIC))
    refuse('The bytes are not a parked state', `${bytes.length} bytes`, 'Give what pack() returned.');
  return bytes.toString('hex', MAGIC.length, MAGIC.length + 32);
};

/** The state that was packed. Throws `bad_parcel` when the bytes are damaged or belong to another base. */
export const unpack = (base: Base, parcel: Uint8Array): State => {
  const hash = baseOfParcel(parcel);
  if (hash !== base.hash)
    refuse('The parked state belongs to another base', hash, 'Open it with the base of that hash.');
  const bytes = Buffer.from(parcel.buffer, parcel.byteOffset, parcel.length);
  const count = bytes.readUInt32BE(HEADER - 8);
  const changed = bytes.readUInt32BE(HEADER - 4);
  const from = HEADER + 4 * changed;
  const damaged = (): never => refuse('The parked state is damaged', `${changed} pages`, 'Pack the session again.');
  if (from > bytes.length) damaged();
  let flat: Buffer = MAGIC;
  try {
    flat = inflateRawSync(bytes.subarray(from), { maxOutputLength: Math.max(1, changed * base.pageSize) });
  } catch {
    damaged();
  }
  if (flat.length !== changed * base.pageSize) damaged();
  const slabs = slabsFor(base.pageSize);
  const pages = new Map<number, number>();
  for (let i = 0; i < changed; i++) {
    const page = bytes.readUInt32BE(HEADER + 4 * i);
    const stored = flat.subarray(i * base.pageSize, (i + 1) * base.pageSize);
    const slot = slabs.take();
    slabs.page(slot).set(page <= base.pageCount ? xor(stored, base.page(page)) : stored);
    pages.set(page, slot);
  }
  return State.over(base, changed > 0 ? new Layer(slabs, pages, undefined) : undefined, count);
};
