/**
 * The least HTTP/1.1 client: requests written by hand on a socket that is kept, one at a time, answers read by their
 * content-length. A fetch or SDK client would cost more than the server it measures.
 */
import { connect, type Socket } from 'node:net';

export interface Answer {
  status: number;
  body: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const EMPTY = Buffer.alloc(0);

interface Reading {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

export class Wire {
  #held: Buffer = EMPTY;
  #parts: Buffer[] = [];
  #size = 0;
  /** Bytes until the answer is whole; 0 while its head is not. */
  #due = 0;
  #status = 0;
  #bodyAt = 0;
  #reading: Reading | undefined;
  isClosed = false;

  constructor(readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    const over = (error?: Error): void => {
      this.isClosed = true;
      const reading = this.#reading;
      this.#reading = undefined;
      reading?.reject(error ?? new Error('the server hung up'));
    };
    socket.on('error', over);
    socket.on('close', () => over());
  }

  /** `request` is a whole HTTP request. Rejects when the connection breaks. */
  send(request: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) {
        reject(new Error('the connection is closed'));
        return;
      }
      this.#reading = { resolve, reject };
      this.socket.write(request);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#size += chunk.length;
    if (this.#due === 0 && !this.#readHead()) return;
    if (this.#size < this.#due) return;
    const whole = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts, this.#size);
    const answer = { status: this.#status, body: whole.subarray(this.#bodyAt, this.#due) };
    const reading = this.#reading;
    this.#parts = [];
    this.#size = 0;
    this.#due = 0;
    this.#reading = undefined;
    reading?.resolve(answer);
  }

  #readHead(): boolean {
    this.#held = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts, this.#size);
    const end = this.#held.indexOf(HEAD_END);
    if (end < 0) return false;
    const head = this.#held.toString('latin1', 0, end);
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined && this.#status !== 204 && this.#status !== 304) {
      this.socket.destroy(new Error(`an answer without content-length: ${head.slice(0, 200)}`));
      return false;
    }
    this.#bodyAt = end + HEAD_END.length;
    this.#due = this.#bodyAt + Number(length ?? 0);
    return true;
  }
}

/** A connection to a port of this machine. */
export const wireTo = (port: number): Promise<Wire> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(new Wire(socket));
    });
  });

export interface Request {
  method: string;
  path: string;
  token: string;
  body?: unknown;
}

/** A request with a JSON body, where it has one. */
export const ask = (wire: Wire, { method, path, token, body }: Request): Promise<Answer> => {
  const text = body === undefined ? '' : JSON.stringify(body);
  const type =
    body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`;
  return wire.send(
    `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n${type}\r\n${text}`,
  );
};

/** The part of an MCP request before its content-length, for one token at one path. */
export const mcpHead = (path: string, token: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n` +
  'accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-11-25\r\n';

/** The rest of it: content-length, and a JSON-RPC request. */
export const mcpTail = (id: number, method: string, params: object = {}): string => {
  const text = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  return `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
};
