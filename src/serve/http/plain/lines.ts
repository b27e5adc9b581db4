/**
 * Connections whose requests are plain are served here, without node's parser and streams, which cost more than a tool call does;
 * at the first request that is not plain, the connection is handed to node's HTTP server with every byte of that request.
 */
import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { elapsedMs, httpDate } from '../../../kit/clock.js';
import { type Body, lengthOf } from '../../mcp/messages.js';
import { eventsText } from '../reply.js';
import { HeadReader, type PlainHead } from './head.js';

/** Bytes of a head, and of a body, that are taken here. */
const MOST_HEAD = 8_192;
const MOST_BODY = 65_536;

/** Bytes of an answer that are rather copied than written on their own. */
const MOST_COPIED = 16_384;

/** The way back to a client; used once. */
export interface PlainReply {
  json(status: number, body: Body | undefined, headers?: Readonly<Record<string, string>>): void;
  /** An event after those of `messages`, for a client that reads nothing but event streams or is told something first. */
  event(body: Body, messages?: readonly string[]): void;
  /** Anything else; without `body` there is no content. */
  send(status: number, type: string, body: Body | undefined, headers?: Readonly<Record<string, string>>): void;
  /** The client hung up, or shut its side, as those do that went away. */
  readonly isGone: boolean;
}

/** Takes a request whose body is whole, and UTF-8. Must not throw. */
export type PlainHandler = (head: PlainHead, body: Buffer, reply: PlainReply) => void;

export interface PlainLimits {
  /** A whole request must have arrived by then. */
  requestMs: number;
  /** How long an idle connection is kept. */
  keepAliveMs: number;
  /** Requests of which a part has arrived; those beyond it are node's. */
  pendingBodies: number;
}

const NO_STORE = { 'cache-control': 'no-store' };
/** What no header's value may hold. */
const UNFIT = /[^\t -~]/g;

class Line implements PlainReply {
  /** When the last answer went, or the first byte after it came. */
  since = elapsedMs();
  /** A request is being answered. */
  isBusy = false;
  #held: Buffer | undefined;
  /** Of a request whose body has not all come. */
  #head: PlainHead | undefined;
  #bodyAt = 0;
  readonly #heads = new HeadReader();
  #isEnding = false;
  #isNext = false;

  constructor(
    readonly lines: PlainLines,
    readonly socket: Socket,
    readonly pass: () => void,
  ) {
    socket.setNoDelay(true);
    socket.on('data', this.#take);
    socket.on('end', this.#end);
    socket.on('error', this.#broke);
    socket.on('close', this.#closed);
  }

  get isPending(): boolean {
    return this.#head !== undefined;
  }

  readonly #take = (chunk: Buffer): void => {
    if (this.#held === undefined) this.since = elapsedMs();
    this.#held = this.#held === undefined ? chunk : Buffer.concat([this.#held, chunk]);
    if (this.isBusy && this.#held.length > MOST_BODY) this.socket.pause();
    this.#next();
  };

  /** Begins with what is here, request after request; a loop, because some are answered before `handler` returns. */
  #next(): void {
    if (this.#isNext) return;
    this.#isNext = true;
    while (!this.isBusy && this.#begin());
    this.#isNext = false;
  }

  /** False where no whole request is here. */
  #begin(): boolean {
    const held = this.#held;
    if (held === undefined) return false;
    if (this.#head === undefined) {
      const end = held.indexOf('\r\n\r\n');
      const head = end < 0 || end > MOST_HEAD ? undefined : this.#heads.read(held.toString('latin1', 0, end));
      if (head === undefined || head.length > MOST_BODY) return this.#leave(held);
      this.#bodyAt = end + 4;
      this.#head = head;
      if (held.length < this.#bodyAt + head.length && !this.lines.mayWait(this)) return this.#leave(held);
    }
    const head = this.#head;
    const end = this.#bodyAt + head.length;
    if (held.length < end) return false;
    const body = held.subarray(this.#bodyAt, end);
    if (!isUtf8(body)) return this.#leave(held);
    this.lines.noLongerWaits(this);
    this.#held = held.length === end ? undefined : held.subarray(end);
    this.#head = undefined;
    this.isBusy = true;
    this.lines.handler(head, body, this);
    return true;
  }

  /** The connection and what it sent last are node's from here on. */
  #leave(held: Buffer): false {
    const { socket } = this;
    this.#forget();
    socket.unshift(held);
    this.pass();
    return false;
  }

  #forget(): void {
    this.lines.noLongerWaits(this);
    this.lines.all.delete(this);
    this.socket.off('data', this.#take);
    this.socket.off('end', this.#end);
    this.socket.off('error', this.#broke);
    this.socket.off('close', this.#closed);
  }

  readonly #end = (): void => {
    this.#isEnding = true;
    if (!this.isBusy) this.socket.end();
  };
  readonly #broke = (): void => {
    this.socket.destroy();
  };
  readonly #closed = (): void => this.#forget();

  json(status: number, body: Body | undefined, headers?: Readonly<Record<string, string>>): void {
    this.send(status, 'application/json', body, headers);
  }

  get isGone(): boolean {
    return this.#isEnding || this.socket.destroyed;
  }

  event(body: Body, messages: readonly string[] = []): void {
    const headers = { 'cache-control': 'no-cache, no-transform' };
    this.send(200, 'text/event-stream', eventsText(body, messages), headers);
  }

  send(
    status: number,
    type: string,
    body: Body | undefined,
    headers: Readonly<Record<string, string>> = NO_STORE,
  ): void {
    const { socket } = this;
    if (socket.destroyed) return;
    const isOver = this.#isEnding || this.lines.isClosing;
    let extra = body === undefined ? '' : `content-type: ${type}\r\n`;
    for (const name in headers) extra += `${name}: ${headers[name]?.replace(UNFIT, ' ')}\r\n`;
    if (headers['cache-control'] === undefined) extra += 'cache-control: no-store\r\n';
    const pieces = body === undefined || typeof body === 'string' ? [body ?? ''] : body;
    const length = lengthOf(pieces);
    if (status !== 204) extra += `content-length: ${length}\r\n`;
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${extra}date: ${httpDate()}\r\nconnection: ${isOver ? 'close' : 'keep-alive'}\r\n\r\n`;
    const [only] = pieces;
    if (pieces.length === 1 && typeof only === 'object' && length <= MOST_COPIED) {
      // The head is ASCII, so all of it is bytes in one string, and goes out in one write.
      socket.write(text + Buffer.from(only.buffer, only.byteOffset, only.byteLength).toString('latin1'), 'latin1');
      this.#sent(isOver);
      return;
    }
    if (pieces.length > 1) socket.cork();
    for (const piece of pieces) {
      if (typeof piece === 'string') {
        text += piece;
        continue;
      }
      socket.write(text);
      socket.write(piece);
      text = '';
    }
    socket.write(text);
    if (pieces.length > 1) socket.uncork();
    this.#sent(isOver);
  }

  #sent(isOver: boolean): void {
    const { socket } = this;
    this.since = elapsedMs();
    if (isOver) socket.destroySoon();
    else if (socket.writableNeedDrain) socket.once('drain', this.#free);
    else this.#free();
  }

  readonly #free = (): void => {
    this.isBusy = false;
    if (this.socket.isPaused()) this.socket.resume();
    if (this.#isEnding) this.socket.end();
    else this.#next();
  };
}

export class PlainLines {
  readonly all = new Set<Line>();
  isClosing = false;
  readonly #waiting = new Set<Line>();
  readonly #timer: NodeJS.Timeout;

  constructor(
    readonly handler: PlainHandler,
    readonly limits: PlainLimits,
  ) {
    this.#timer = setInterval(() => this.sweep(), Math.min(limits.requestMs, limits.keepAliveMs, 5_000));
    this.#timer.unref();
  }

  /** `pass` gives the connection to node's server. */
  take(socket: Socket, pass: () => void): void {
    this.all.add(new Line(this, socket, pass));
  }

  mayWait(line: Line): boolean {
    if (this.#waiting.size >= this.limits.pendingBodies) return false;
    this.#waiting.add(line);
    return true;
  }

  noLongerWaits(line: Line): void {
    this.#waiting.delete(line);
  }

  /** Hangs up on who is slow or idle for too long. */
  sweep(): void {
    const { requestMs, keepAliveMs } = this.limits;
    const now = elapsedMs();
    for (const line of this.all) {
      if (line.isBusy && !line.socket.writableNeedDrain) continue;
      if (now - line.since < (line.isPending ? requestMs : keepAliveMs)) continue;
      if (line.isPending && !line.isBusy)
        line.socket.end('HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      else line.socket.destroy();
    }
  }

  /** Requests under way are answered, then their connections end; idle ones end now. */
  close(): void {
    this.isClosing = true;
    clearInterval(this.#timer);
    for (const line of this.all) if (!line.isBusy) line.socket.destroy();
  }

  /** Hangs up on everybody. */
  cut(): void {
    for (const line of this.all) line.socket.destroy();
  }
}
