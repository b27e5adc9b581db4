/** Text and words in the wasm heap. The heap moves when it grows, so the views are renewed when found detached. */
import type { Wasm } from './wasm.js';

const SCRATCH = 1 << 16;
/** A call into Buffer costs more than a loop over a name. */
const SHORT = 64;
/** The longest text that V8 keeps in one piece when it is put together. */
const PIECEWISE = 12;

export class Memory {
  #bytes: Buffer;
  #scratch: number;
  #used = 0;

  constructor(readonly wasm: Wasm) {
    this.#bytes = Buffer.from(wasm.memory.buffer);
    this.#scratch = wasm.alloc(SCRATCH);
  }

  get bytes(): Buffer {
    if (this.#bytes.length === 0) this.#bytes = Buffer.from(this.wasm.memory.buffer);
    return this.#bytes;
  }

  read32(at: number): number {
    return this.bytes.readUInt32LE(at);
  }

  write32(at: number, value: number): void {
    this.bytes.writeUInt32LE(value >>> 0, at);
  }

  /** `length` bytes of UTF-8 at `at`. */
  text(at: number, length: number): string {
    const bytes = this.bytes;
    // A call into Buffer costs more than a few steps here. Longer texts put together so would be trees of pieces, which cost
    // most when they are read.
    if (length > PIECEWISE) return bytes.toString('utf8', at, at + length);
    const end = at + length;
    let out = '';
    let seen = 0;
    let i = at;
    for (; i + 4 <= end; i += 4) {
      const a = bytes[i] as number;
      const b = bytes[i + 1] as number;
      const c = bytes[i + 2] as number;
      const d = bytes[i + 3] as number;
      seen |= a | b | c | d;
      out += String.fromCharCode(a, b, c, d);
    }
    for (; i < end; i++) {
      const byte = bytes[i] as number;
      seen |= byte;
      out += String.fromCharCode(byte);
    }
    return seen > 127 ? bytes.toString('utf8', at, end) : out;
  }

  hex(at: number, length: number): string {
    return this.bytes.toString('hex', at, at + length);
  }

  /** A NUL-terminated string; undefined for a null pointer. */
  cString(at: number): string | undefined {
    if (at === 0) return undefined;
    const bytes = this.bytes;
    let end = at;
    while (end < at + SHORT && bytes[end] !== 0) end++;
    return this.text(at, (bytes[end] === 0 ? end : bytes.indexOf(0, end)) - at);
  }

  /** Whether the bytes at `at` begin with those of `text`; false for any that is not ASCII. */
  startsWith(at: number, text: string): boolean {
    const bytes = this.bytes;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 127 || bytes[at + i] !== code) return false;
    }
    return true;
  }

  /** Writes a 64-bit integer that is not negative. */
  write64(at: number, value: number): void {
    this.write32(at, value);
    this.write32(at + 4, Math.floor(value / 2 ** 32));
  }

  /** The bytes themselves, until the heap next moves. */
  view(at: number, length: number): Uint8Array {
    return new Uint8Array(this.bytes.buffer, at, length);
  }

  /** Forgets what `put` has put; its addresses are free for use again. */
  rewind(): void {
    this.#used = 0;
  }

  /** Writes UTF-8 into the scratch space and answers its length in bytes, or -1 when there is no room. See `putAt`. */
  put(text: string): number {
    const room = SCRATCH - this.#used;
    if (text.length > room) return -1;
    const bytes = this.bytes;
    const from = this.#scratch + this.#used;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) return this.#putWide(text, from, room);
      bytes[from + i] = code;
    }
    this.#used += text.length;
    return text.length;
  }

  /** Where the next `put` will write. */
  get putAt(): number {
    return this.#scratch + this.#used;
  }

  /** A NUL-terminated copy in freshly allocated memory, for the caller to free. */
  allocText(text: string): { at: number; length: number } {
    const encoded = Buffer.from(text, 'utf8');
    const at = this.wasm.alloc(encoded.length + 1);
    this.bytes.set(encoded, at);
    this.bytes[at + encoded.length] = 0;
    return { at, length: encoded.length };
  }

  #putWide(text: string, from: number, room: number): number {
    if (Buffer.byteLength(text) > room) return -1;
    const length = this.bytes.write(text, from, 'utf8');
    this.#used += length;
    return length;
  }
}
