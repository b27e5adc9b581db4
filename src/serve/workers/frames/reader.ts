/** Makes frames of a stream of bytes, however it was cut. */
import { type Frame, frameBytes, MOST_BYTES, PREFIX, readFrame } from './frame.js';

export class FrameReader {
  #parts: Buffer[] = [];
  #size = 0;
  /** By number, as the other end told them. */
  readonly #heads: string[] = [];
  /** Bytes without which nothing can be read. */
  #needed = PREFIX;

  constructor(readonly most: number = MOST_BYTES) {}

  /** Bytes of a frame that has not all come. */
  get pending(): number {
    return this.#size;
  }

  /** Gives every frame that is whole now to `take`, in order. Throws `bad_frame`: nothing can be read of the stream after that. */
  feed(chunk: Buffer, take: (frame: Frame) => void): void {
    this.#size += chunk.length;
    if (this.#size < this.#needed) {
      if (chunk.length > 0) this.#parts.push(chunk);
      return;
    }
    const held = this.#parts.length === 0 ? chunk : Buffer.concat([...this.#parts, chunk], this.#size);
    this.#parts = [];
    this.#size = 0;
    let at = 0;
    for (;;) {
      const left = held.length - at;
      if (left < PREFIX) {
        this.#hold(held.subarray(at), PREFIX);
        return;
      }
      const bytes = frameBytes(held, at, this.most);
      if (left < bytes) {
        this.#hold(held.subarray(at), bytes);
        return;
      }
      const frame = readFrame(held, at, bytes, this.#heads);
      at += bytes;
      take(frame);
    }
  }

  #hold(rest: Buffer, needed: number): void {
    this.#needed = needed;
    this.#size = rest.length;
    if (rest.length > 0) this.#parts.push(rest);
  }
}
