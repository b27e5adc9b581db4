/** One connection between two processes of a server: frames out, those of one slice of work in one write, and frames in. */
import type { Duplex } from 'node:stream';
import { asTreadleError, TreadleError } from '../../../errors.js';
import { type Frame, MOST_BYTES, type Sent } from './frame.js';
import { Outbox } from './outbox.js';
import { FrameReader } from './reader.js';

export interface LinkLimits {
  /** Bytes of one frame. */
  frameBytes: number;
  /** Bytes that wait to go out beyond which the link is full: who can refuse work, should. */
  fullBytes: number;
  /** Bytes that wait to go out beyond which the other end is given up: it reads nothing. */
  stuckBytes: number;
  /** While the link is full nothing is read from it. For one end only, or both might wait for one another for ever. */
  holdsBack: boolean;
}

export const LINK_LIMITS: LinkLimits = {
  frameBytes: MOST_BYTES,
  fullBytes: 8_388_608,
  stuckBytes: 536_870_912,
  holdsBack: false,
};

export const linkClosed = (why: string): TreadleError =>
  new TreadleError({
    code: 'worker_link',
    message: `The link between two processes of the server closed (${why}): nobody knows whether what was asked was done`,
    next: 'Ask again; name the request so that it is not done twice.',
    fault: 'infrastructure',
    isRetryable: true,
  });

export interface LinkEnds {
  /** Must not throw. */
  frame(frame: Frame): void;
  /** Once, and nothing comes after it. `bad_frame` where the other end said what is none, `worker_link` else. */
  closed(why: TreadleError): void;
}

export class Link {
  readonly limits: LinkLimits;
  readonly #outbox: Outbox;
  readonly #reader: FrameReader;
  #isDue = false;
  #isClosed = false;
  #isEnding = false;
  #ends: LinkEnds | undefined;
  #why: TreadleError | undefined;

  constructor(
    readonly socket: Duplex,
    limits: Partial<LinkLimits> = {},
  ) {
    this.limits = { ...LINK_LIMITS, ...limits };
    this.#outbox = new Outbox(this.limits.frameBytes);
    this.#reader = new FrameReader(this.limits.frameBytes);
    socket.on('error', (error) => this.close(linkClosed(error.message)));
    socket.on('close', () => this.close(linkClosed('it is gone')));
  }

  /** Frames are read from now on. A link that broke before says so now. */
  open(ends: LinkEnds): void {
    if (this.#why) {
      ends.closed(this.#why);
      return;
    }
    this.#ends = ends;
    const { socket } = this;
    socket.on('data', this.#take);
    socket.on('drain', this.#drained);
    socket.on('end', () => this.close(linkClosed('the other end closed it')));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Bytes that wait to go out. */
  get waiting(): number {
    return this.#outbox.size + this.socket.writableLength;
  }

  get isFull(): boolean {
    return this.waiting > this.limits.fullBytes;
  }

  /** False where the link is closed: nobody will hear it. Throws `frame_too_large`. */
  send(frame: Sent): boolean {
    if (this.#isClosed || this.#isEnding) return false;
    this.#outbox.put(frame);
    if (this.#isDue) return true;
    this.#isDue = true;
    // After the slice of work in which it was sent, not a round of the event loop later.
    process.nextTick(this.#flush);
    return true;
  }

  /** What was sent goes out, then the link closes. */
  end(): void {
    if (this.#isClosed || this.#isEnding) return;
    this.#flush();
    this.#isEnding = true;
    this.socket.end();
  }

  /** Closes now; what has not gone out never does. */
  close(why: TreadleError = linkClosed('it was closed here')): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#why = why;
    this.socket.off('data', this.#take);
    this.socket.destroy();
    this.#ends?.closed(why);
  }

  readonly #take = (chunk: Buffer): void => {
    try {
      this.#reader.feed(chunk, (frame) => {
        if (!this.#isClosed) this.#ends?.frame(frame);
      });
    } catch (thrown) {
      this.close(asTreadleError(thrown, 'infrastructure'));
    }
  };

  readonly #flush = (): void => {
    this.#isDue = false;
    if (this.#isClosed || this.#isEnding || this.#outbox.size === 0) return;
    const chunks = this.#outbox.take();
    const { socket } = this;
    if (chunks.length > 1) socket.cork();
    for (const chunk of chunks) socket.write(chunk);
    if (chunks.length > 1) socket.uncork();
    if (!this.isFull) return;
    if (this.limits.holdsBack) socket.pause();
    if (this.waiting > this.limits.stuckBytes) this.close(linkClosed('the other end does not read'));
  };

  readonly #drained = (): void => {
    if (this.limits.holdsBack && this.socket.isPaused()) this.socket.resume();
  };
}
