/** Lines out of a stream of bytes, each bounded: one that is too long is skipped, and told at its end. */

export interface LineListener {
  onLine(line: string): void;
  onTooLong(): void;
}

export class Lines {
  readonly #limit: number;
  readonly #listener: LineListener;
  #parts: Buffer[] = [];
  #held = 0;
  #isSkipping = false;

  constructor(limitBytes: number, listener: LineListener) {
    this.#limit = limitBytes;
    this.#listener = listener;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      this.#take(chunk.subarray(from, end));
      this.#endLine();
      from = end + 1;
    }
    this.#take(chunk.subarray(from));
  }

  #take(part: Buffer): void {
    if (this.#isSkipping || part.length === 0) return;
    this.#parts.push(part);
    this.#held += part.length;
    if (this.#held <= this.#limit) return;
    this.#isSkipping = true;
    this.#parts = [];
    this.#held = 0;
  }

  #endLine(): void {
    const wasSkipping = this.#isSkipping;
    const line = Buffer.concat(this.#parts).toString('utf8').trim();
    this.#isSkipping = false;
    this.#parts = [];
    this.#held = 0;
    if (wasSkipping) this.#listener.onTooLong();
    else if (line !== '') this.#listener.onLine(line);
  }
}
