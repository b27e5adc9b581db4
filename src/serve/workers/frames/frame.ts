/**
 * What two processes of one server say to one another: frames over a stream, each a head of text, nearly always JSON, and bytes that
 * are nobody's business on the way. Twenty-four bytes stand before them:
 *
 * | bytes | what |
 * |---|---|
 * | 0 | 0x54, so that a stream out of step is known at once |
 * | 1 | kind |
 * | 2-3 | the head's number, unsigned: with bytes of a head it is remembered under it, without any it is the one remembered; 0 for none |
 * | 4-7 | bytes of the head, unsigned |
 * | 8-11 | bytes behind it, unsigned |
 * | 12-15 | id: pairs an answer with its request |
 * | 16-23 | number: of a request that the front may send again, a float64 that is a whole number; 0 for none |
 */
import { isUtf8 } from 'node:buffer';
import { TreadleError } from '../../../errors.js';

export const PREFIX = 24;
const MARK = 0x54;

export const KIND = { request: 1, answer: 2, failure: 3, notice: 4, visit: 5, reply: 6 } as const;
export type Kind = (typeof KIND)[keyof typeof KIND];
const HIGHEST = KIND.reply;

/** Bytes of one frame, all counted: room for a database's image, none for a mistake. */
export const MOST_BYTES = 134_217_728;

/** Nearly all visits of a client have one head, and so have nearly all replies: each end of a link remembers so many. */
export const HEADS = 4_096;

/** Ids are 32 bits and come around. */
export const nextId = (id: number): number => (id >= 0xffff_ffff ? 1 : id + 1);

export type Piece = string | Uint8Array;

export interface Sent {
  kind: Kind;
  id: number;
  number: number;
  head: string;
  /** One after the other, text as UTF-8. */
  body: readonly Piece[];
}

export interface Frame {
  kind: Kind;
  id: number;
  number: number;
  head: string;
  /** Lies in the chunk it came in: who keeps it copies it. */
  body: Buffer;
}

export const badFrame = (why: string, value: unknown): TreadleError =>
  new TreadleError({
    code: 'bad_frame',
    message: `What came over a worker's link is no frame: ${why}`,
    value,
    next: 'Both ends must be of one version of treadle; this is a defect if they are.',
    fault: 'infrastructure',
  });

export const tooLarge = (bytes: number, most: number): TreadleError =>
  new TreadleError({
    code: 'frame_too_large',
    message: `What should go over a worker's link has more than ${most} bytes`,
    value: bytes,
    next: 'Ask for less at once.',
    fault: 'infrastructure',
  });

export interface Lengths {
  /** Number of a head that is remembered; 0 for one that is not. */
  headNumber: number;
  headBytes: number;
  bodyBytes: number;
}

/** Writes the twenty-four bytes that stand before a frame of these lengths. */
export const writePrefix = (
  into: Buffer,
  at: number,
  frame: Sent,
  { headNumber, headBytes, bodyBytes }: Lengths,
): void => {
  into[at] = MARK;
  into[at + 1] = frame.kind;
  into.writeUInt16BE(headNumber, at + 2);
  into.writeUInt32BE(headBytes, at + 4);
  into.writeUInt32BE(bodyBytes, at + 8);
  into.writeUInt32BE(frame.id, at + 12);
  into.writeDoubleBE(frame.number, at + 16);
};

/** Bytes of the whole frame whose prefix is at `at`. Throws `bad_frame`. */
export const frameBytes = (held: Buffer, at: number, most: number): number => {
  const kind = held[at + 1] as number;
  if (held[at] !== MARK) throw badFrame('it does not begin as one', held[at]);
  if (kind < 1 || kind > HIGHEST) throw badFrame('nobody knows its kind', kind);
  if (held.readUInt16BE(at + 2) > HEADS) throw badFrame('no head has such a number', held.readUInt16BE(at + 2));
  const bytes = PREFIX + held.readUInt32BE(at + 4) + held.readUInt32BE(at + 8);
  if (bytes > most) throw badFrame(`it has more than ${most} bytes`, bytes);
  return bytes;
};

/** The head between two places, remembered or recalled where it has a number. Throws `bad_frame`. */
const headIn = (held: Buffer, from: number, to: number, number: number, heads: string[]): string => {
  if (from === to && number > 0) {
    const known = heads[number];
    if (known === undefined) throw badFrame('nobody told the head of this number', number);
    return known;
  }
  const bytes = held.subarray(from, to);
  if (!isUtf8(bytes)) throw badFrame('its head is not UTF-8', bytes.length);
  const head = bytes.toString('utf8');
  if (number > 0) heads[number] = head;
  return head;
};

/** The whole frame at `at`, whose length `frameBytes` told. `heads`: those remembered so far, by number. Throws `bad_frame`. */
export const readFrame = (held: Buffer, at: number, bytes: number, heads: string[]): Frame => {
  const number = held.readDoubleBE(at + 16);
  if (!Number.isSafeInteger(number) || number < 0) throw badFrame('its number is none', number);
  const middle = at + PREFIX + held.readUInt32BE(at + 4);
  return {
    kind: held[at + 1] as Kind,
    id: held.readUInt32BE(at + 12),
    number,
    head: headIn(held, at + PREFIX, middle, held.readUInt16BE(at + 2), heads),
    body: held.subarray(middle, at + bytes),
  };
};
