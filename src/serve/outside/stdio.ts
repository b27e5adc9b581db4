/** JSON-RPC lines to and from a process group, with bounds that the SDK's own transport does not have. */
import { type JSONRPCMessage, SdkError, SdkErrorCode, type Transport } from '@modelcontextprotocol/client';
import type { ProcessExit, ProcessGroup } from '../sandbox/process-group.js';
import { Tail } from '../sandbox/tail.js';
import { BAD_ANSWER, type OutsideOutcome, TOO_LARGE } from './faults.js';
import { Lines } from './lines.js';

/** A result of 16 MiB, and what JSON-RPC writes around it. */
export const LINE_BYTES = 16 * 1024 * 1024 + 4096;
/** A server that writes more than this without answering anything is ended: reading it costs the other sessions their time. */
const FLOOD_BYTES = 256 * 1024 * 1024;
const STDERR_BYTES = 65_536;
/** How long what a dead process wrote last may take to arrive. */
const LAST_WORDS_MS = 200;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** The request under way will never be answered well; `outcome` says why. */
  onbroken?: (outcome: OutsideOutcome) => void;
  /** The process has ended without having been asked to, and said what it had to say. */
  onexit?: (exit: ProcessExit) => void;
  readonly #group: ProcessGroup;
  readonly #stderr = new Tail(STDERR_BYTES);
  #sinceAnswer = 0;
  #isClosed = false;
  #isAskedFor = false;
  #ended: Promise<void> | undefined;

  constructor(group: ProcessGroup) {
    this.#group = group;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The last 64 KB of what it wrote to stderr, and of what it wrote to stdout that is no message. */
  diagnostics(): string {
    return this.#stderr.text();
  }

  start(): Promise<void> {
    if (this.#ended) return Promise.resolve();
    const { stdout, stderr, exited } = this.#group;
    const lines = new Lines(LINE_BYTES, {
      onLine: (line) => this.#read(line),
      onTooLong: () => this.onbroken?.(TOO_LARGE),
    });
    stdout.on('data', (chunk: Buffer) => {
      if (this.#isClosed) return;
      this.#sinceAnswer += chunk.length;
      lines.push(chunk);
      if (this.#sinceAnswer <= FLOOD_BYTES) return;
      this.#stderr.push(Buffer.from('\n(ended: it wrote 256 MiB without an answer)\n'));
      void this.#end();
    });
    stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    // Nothing can come any more, though the process may go on.
    stdout.once('end', () => void this.#end());
    this.#ended = exited.then(async (exit) => {
      await this.#lastWords();
      if (!this.#isAskedFor) this.onexit?.(exit);
      await this.#end();
    });
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#group;
    return new Promise((resolve, reject) => {
      if (this.#isClosed || !stdin.writable)
        reject(new SdkError(SdkErrorCode.SendFailed, 'The server does not read any more'));
      // Not awaited: whether a server that reads nothing answers is the request's time limit to say.
      else {
        stdin.write(`${JSON.stringify(message)}\n`);
        resolve();
      }
    });
  }

  /** When the process has ended, with all that it started, and `onexit` was told. */
  ended(): Promise<void> {
    return this.#ended ?? Promise.resolve();
  }

  async close(): Promise<void> {
    this.#isAskedFor = true;
    await this.#end();
  }

  async #end(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.onclose?.();
    }
    await this.#group.end();
  }

  #lastWords(): Promise<void> {
    const { stdout } = this.#group;
    if (stdout.readableEnded || stdout.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LAST_WORDS_MS);
      stdout.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #read(line: string): void {
    if (!line.startsWith('{')) {
      // A log line, which does not belong here and is common.
      this.#stderr.push(Buffer.from(`${line.slice(0, 2_000)}\n`));
      return;
    }
    try {
      const message = JSON.parse(line) as JSONRPCMessage;
      if ('result' in message || 'error' in message) this.#sinceAnswer = 0;
      this.onmessage?.(message);
    } catch {
      this.onbroken?.(BAD_ANSWER);
    }
  }
}
