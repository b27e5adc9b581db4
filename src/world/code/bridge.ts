/** Runs code tools while this thread waits: a worker thread speaks to the processes, Atomics.wait holds this one. */
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { TreadleError } from '../../errors.js';
import { elapsedMs } from '../../kit/clock.js';
import type { PoolOptions } from './pool.js';
import type { CodeEnd, CodeJob } from './protocol.js';

export type ToThread = { job: CodeJob } | { answer: string };
export type FromThread =
  | { ask: string }
  | { end: CodeEnd }
  | { failure: { code: string; message: string; next: string | undefined } };

// From src (under a test runner) and from dist alike: the compiled thread.
const THREAD = fileURLToPath(new URL('../../../dist/world/code/bridge-thread.js', import.meta.url));
/** Beyond what a call may take: for a process to start, and for a machine that is busy. */
const PATIENCE_MS = 60_000;

const lost = (why: string): TreadleError =>
  new TreadleError({
    code: 'code_unavailable',
    message: `The thread that runs code tools ${why}`,
    next: 'Run npm run build, then try again.',
    fault: 'infrastructure',
    isRetryable: true,
  });

export class CodeBridge {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #signal = new Int32Array(new SharedArrayBuffer(4));
  readonly #patience: number;
  #seen = 0;

  constructor(options: PoolOptions = {}) {
    this.#patience = PATIENCE_MS + 2 * (options.wallMs ?? 0);
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#worker = new Worker(THREAD, {
      workerData: { port: port2, signal: this.#signal, options },
      transferList: [port2],
      execArgv: [],
    });
    this.#worker.on('error', () => undefined);
    this.#worker.unref();
    this.#port.unref();
  }

  /** Runs a call to its end; `answer` is asked on this thread. Throws `code_unavailable` (infrastructure). */
  run(job: CodeJob, answer: (ask: string) => string): CodeEnd {
    this.#tell({ job });
    for (;;) {
      const message = this.#next();
      if ('end' in message) return message.end;
      if ('failure' in message)
        throw new TreadleError({ ...message.failure, next: message.failure.next ?? '', fault: 'infrastructure' });
      this.#tell({ answer: answer(message.ask) });
    }
  }

  close(): void {
    void this.#worker.terminate();
  }

  #tell(message: ToThread): void {
    this.#port.postMessage(message);
  }

  #next(): FromThread {
    const until = elapsedMs() + this.#patience;
    for (;;) {
      const found = receiveMessageOnPort(this.#port) as { message: FromThread } | undefined;
      if (found) return found.message;
      const left = until - elapsedMs();
      if (left <= 0) throw lost('does not answer');
      Atomics.wait(this.#signal, 0, this.#seen, left);
      this.#seen = Atomics.load(this.#signal, 0);
    }
  }
}
