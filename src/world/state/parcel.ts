/** A parked session: what its state changed since it began, small enough to keep by the thousand or to write to disk. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { TreadleError } from '../../errors.js';
import { Layer } from './layer.js';
import { slabsFor } from './slabs.js';
import { type FrozenState, State } from './state.js';

const MAGIC = Buffer.from('TRDLPCL1', 'latin1');
const HEADER = MAGIC.length + 32 + 8;

const xor = (page: Uint8Array, under: Uint8Array | undefined): Uint8Array =>
  under === undefined ? page : page.map((byte, i) => byte ^ (under[i] as number));

/** Of states over a base with pages of their own, which are not written any more once others begin on them. */
const hashes = new WeakMap<State, string>();

const hashOf = (pristine: State): string => {
  const known = hashes.get(pristine) ?? pristine.hash();
  hashes.set(pristine, known);
  return known;
};

const refuse = (message: string, value: unknown, next: string): never => {
  throw new TreadleError({ code: 'bad_parcel', message, value, next });
};

/**
 * The pages that a state changed since it was forked off `pristine`, which nobody writes: the hash of `pristine`, the page
 * numbers, and the pages XORed with its own and deflated. `unpack` over an equal `pristine` gives the same bytes.
 */
export const pack = (pristine: State, state: State | FrozenState): Uint8Array => {
  if ('assertSettled' in state) state.assertSettled('pack');
  const { head } = state;
  const from = pristine.head;
  const numbers: number[] = [];
  const pages: Uint8Array[] = [];
  for (let page = 1; page <= head.count; page++) {
    // One slot is one page's bytes, and states of one base agree where neither has written.
    if (head.locate(page) === from.locate(page)) continue;
    numbers.push(page);
    pages.push(xor(head.page(page) as Uint8Array, from.page(page)));
  }
  const words = Buffer.alloc(4 * (numbers.length + 2));
  for (const [i, word] of [head.count, numbers.length, ...numbers].entries()) words.writeUInt32BE(word, 4 * i);
  return Buffer.concat([MAGIC, Buffer.from(hashOf(pristine), 'hex'), words, deflateRawSync(Buffer.concat(pages))]);
};

/** The hash of the state that a parcel is over. Throws `bad_parcel`. */
export const pristineOfParcel = (parcel: Uint8Array): string => {
  const bytes = Buffer.from(parcel.buffer, parcel.byteOffset, parcel.length);
  if (bytes.length < HEADER || !bytes.subarray(0, MAGIC.length).equals(MAGIC))
    refuse('The bytes are not a parked state', `${bytes.length} bytes`, 'Give what pack() returned.');
  return bytes.toString('hex', MAGIC.length, MAGIC.length + 32);
};

/** The state that was packed. Throws `bad_parcel` when the bytes are damaged or were packed over another state. */
export const unpack = (pristine: State, parcel: Uint8Array): State => {
  const hash = pristineOfParcel(parcel);
  if (hash !== hashOf(pristine))
    refuse('The parked state began on another one', hash, 'Open it over the state of that hash.');
  const { base, head } = pristine;
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
    slabs.page(slot).set(xor(stored, head.page(page)));
    pages.set(page, slot);
  }
  const under = head.share();
  return State.over(base, changed > 0 ? new Layer(slabs, pages, under) : under, count);
};
