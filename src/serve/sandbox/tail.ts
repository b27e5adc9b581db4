/** The end of a stream that may have none: the last bytes, and how many there were. */

export class Tail {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #held = 0;
  #seen = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  push(chunk: Buffer): void {
    this.#seen += chunk.length;
    // A copy, since a slice would keep the whole chunk it came from.
    this.#chunks.push(chunk.length > this.#limit ? Buffer.from(chunk.subarray(chunk.length - this.#limit)) : chunk);
    this.#held += Math.min(chunk.length, this.#limit);
    if (this.#held <= 2 * this.#limit && this.#chunks.length < 1024) return;
    this.#chunks = [this.bytes()];
    this.#held = this.#chunks[0]?.length ?? 0;
  }

  /** Bytes that came in all. */
  get seen(): number {
    return this.#seen;
  }

  /** The last of them, at most the limit. */
  bytes(): Buffer {
    const all = Buffer.concat(this.#chunks);
    return all.length > this.#limit ? Buffer.from(all.subarray(all.length - this.#limit)) : all;
  }

  /** As UTF-8; what is cut or broken shows as U+FFFD. */
  text(): string {
    return this.bytes().toString('utf8');
  }
}
