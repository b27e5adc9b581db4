/** Frames written one behind the other, so that many go out in one write. */
import { MOST_BYTES, type Piece, PREFIX, type Sent, tooLarge, writePrefix } from './frame.js';

/** Frames are written into pieces of memory of this size; one is used until it is full. */
const SLAB = 262_144;
/** Bytes that are not copied but go out as they are. */
const AS_IS = 65_536;

/** What a text takes at most: three bytes for each of its characters. */
const most = (piece: Piece): number => (typeof piece === 'string' ? piece.length * 3 : piece.length);

const exact = (piece: Piece): number => (typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length);

export class Outbox {
  #slab = Buffer.allocUnsafeSlow(SLAB);
  /** Where the next frame begins in the slab, and what of it was not taken yet. */
  #at = 0;
  #from = 0;
  #chunks: Uint8Array[] = [];
  /** Bytes that were put and not taken. */
  size = 0;

  constructor(readonly largest: number = MOST_BYTES) {}

  /** Throws `frame_too_large`; nothing of it is written then. */
  put(frame: Sent): void {
    let room = PREFIX + frame.head.length * 3;
    for (const piece of frame.body) room += most(piece);
    if (room > AS_IS) this.#putLarge(frame);
    else this.#putSmall(frame, room);
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
  #putSmall(frame: Sent, room: number): void {
    this.#need(room);
    const slab = this.#slab;
    const at = this.#at;
    const headEnd = at + PREFIX + slab.write(frame.head, at + PREFIX, 'utf8');
    let end = headEnd;
    for (const piece of frame.body) {
      if (typeof piece === 'string') end += slab.write(piece, end, 'utf8');
      else {
        slab.set(piece, end);
        end += piece.length;
      }
    }
    if (end - at > this.largest) throw tooLarge(end - at, this.largest);
    writePrefix(slab, at, frame, headEnd - at - PREFIX, end - headEnd);
    this.size += end - at;
    this.#at = end;
  }

  #putLarge(frame: Sent): void {
    const head = Buffer.byteLength(frame.head);
    let body = 0;
    for (const piece of frame.body) body += exact(piece);
    const all = PREFIX + head + body;
    if (all > this.largest) throw tooLarge(all, this.largest);
    this.#need(PREFIX);
    writePrefix(this.#slab, this.#at, frame, head, body);
    this.#at += PREFIX;
    for (const piece of [frame.head, ...frame.body]) this.#add(typeof piece === 'string' ? Buffer.from(piece) : piece);
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
