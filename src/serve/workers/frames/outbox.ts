/** Frames written one behind the other, so that many go out in one write. */
import { HEADS, KIND, MOST_BYTES, type Piece, PREFIX, type Sent, tooLarge, writePrefix } from './frame.js';

/** Frames are written into pieces of memory of this size; one is used until it is full. */
const SLAB = 262_144;
/** Bytes that are not copied but go out as they are. */
const AS_IS = 65_536;

/** Characters of a head that is remembered: a client's own are far shorter. */
const MOST_HEAD = 2_048;

/** What a text takes at most: three bytes for each of its characters. */
const most = (piece: Piece): number => (typeof piece === 'string' ? piece.length * 3 : piece.length);

const exact = (piece: Piece): number => (typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length);

export class Outbox {
  #slab = Buffer.allocUnsafeSlow(SLAB);
  /** Where the next frame begins in the slab, and what of it was not taken yet. */
  #at = 0;
  #from = 0;
  #chunks: Uint8Array[] = [];
  /** The other end knows them by number. */
  readonly #heads = new Map<string, number>();
  #numbers = 0;
  /** Bytes that were put and not taken. */
  size = 0;

  constructor(readonly largest: number = MOST_BYTES) {}

  /** Throws `frame_too_large`; nothing of it is written then. */
  put(frame: Sent): void {
    const { kind, head, body } = frame;
    let room = PREFIX + head.length * 3;
    for (const piece of body) room += most(piece);
    const isCommon = (kind === KIND.visit || kind === KIND.reply) && head.length > 0 && head.length <= MOST_HEAD;
    const known = isCommon ? this.#heads.get(head) : undefined;
    const number = known ?? (isCommon ? (this.#numbers % HEADS) + 1 : 0);
    const text = known === undefined ? head : '';
    if (room > AS_IS) this.#putLarge(frame, text, number);
    else this.#putSmall(frame, text, number, room);
    // Not before: the other end knows nothing of a frame that was refused.
    if (isCommon && known === undefined) this.#remember(head, number);
  }

  #remember(head: string, number: number): void {
    this.#numbers++;
    if (number === 1) this.#heads.clear();
    this.#heads.set(head, number);
  }

  /** What was put since the last time, in order. */
  take(): Uint8Array[] {
    this.#seal();
    const taken = this.#chunks;
    this.#chunks = [];
    this.size = 0;
    return taken;
  }

  /** Measured by writing it: most frames are small, and going over their text twice would cost as much. */
  #putSmall(frame: Sent, head: string, headNumber: number, room: number): void {
    this.#need(room);
    const slab = this.#slab;
    const at = this.#at;
    const headBytes = head === '' ? 0 : slab.write(head, at + PREFIX, 'utf8');
    const headEnd = at + PREFIX + headBytes;
    let end = headEnd;
    for (const piece of frame.body) {
      if (typeof piece === 'string') end += slab.write(piece, end, 'utf8');
      else {
        slab.set(piece, end);
        end += piece.length;
      }
    }
    if (end - at > this.largest) throw tooLarge(end - at, this.largest);
    writePrefix(slab, at, frame, { headNumber, headBytes, bodyBytes: end - headEnd });
    this.size += end - at;
    this.#at = end;
  }

  #putLarge(frame: Sent, head: string, headNumber: number): void {
    const headBytes = Buffer.byteLength(head);
    let bodyBytes = 0;
    for (const piece of frame.body) bodyBytes += exact(piece);
    const all = PREFIX + headBytes + bodyBytes;
    if (all > this.largest) throw tooLarge(all, this.largest);
    this.#need(PREFIX);
    writePrefix(this.#slab, this.#at, frame, { headNumber, headBytes, bodyBytes });
    this.#at += PREFIX;
    for (const piece of [head, ...frame.body]) this.#add(typeof piece === 'string' ? Buffer.from(piece) : piece);
    this.size += all;
  }

  #add(piece: Uint8Array): void {
    if (piece.length < AS_IS) {
      this.#need(piece.length);
      this.#slab.set(piece, this.#at);
      this.#at += piece.length;
      return;
    }
    this.#seal();
    this.#chunks.push(piece);
  }

  /** Memory that was given away is never written again; what is left of a slab is. */
  #need(room: number): void {
    if (this.#slab.length - this.#at >= room) return;
    this.#seal();
    this.#slab = Buffer.allocUnsafeSlow(SLAB);
    this.#at = 0;
    this.#from = 0;
  }

  #seal(): void {
    if (this.#at === this.#from) return;
    this.#chunks.push(this.#slab.subarray(this.#from, this.#at));
    this.#from = this.#at;
  }
}
