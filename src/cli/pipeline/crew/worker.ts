/** A worker process, seen from the build: it has orders or none, and it may die. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Setup } from './crew.js';
import type { FromWorker, Order, ToWorker } from './protocol.js';

// From src (under a test runner) and from dist alike: the compiled child.
const CHILD = fileURLToPath(new URL('../../../../dist/cli/pipeline/crew/child.js', import.meta.url));
const MOST_SAID = 2_000;

export class Worker {
  readonly #child: ChildProcess;
  #said = '';
  #isEnding = false;
  /** What it was sent and has not finished. */
  orders: readonly Order[] = [];

  constructor(setup: Setup, heard: (worker: Worker, message: FromWorker) => void, died: (worker: Worker) => void) {
    this.#child = spawn(process.execPath, [setup.program ?? CHILD], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
    this.#child.stderr?.on('data', (data: Buffer) => {
      this.#said = (this.#said + data.toString('utf8')).slice(-MOST_SAID);
    });
    this.#child.on('message', (message: FromWorker) => heard(this, message));
    this.#child.on('error', () => died(this));
    this.#child.on('close', () => {
      if (!this.#isEnding) died(this);
    });
    this.#send({ options: setup.options });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** How it ended and the last it said on stderr. */
  get ending(): string {
    const { exitCode, signalCode } = this.#child;
    return `${signalCode ?? `exit status ${exitCode}`} ${this.#said.trim().slice(-300)}`.trim();
  }

  give(orders: readonly Order[]): void {
    this.orders = orders;
    this.#send({ orders });
  }

  /** Nothing new is begun; what is begun is finished and answered. */
  stop(): void {
    this.#send('stop');
  }

  end(): void {
    this.#isEnding = true;
    this.#send('end');
  }

  kill(): void {
    this.#isEnding = true;
    this.#child.kill('SIGKILL');
  }

  #send(message: ToWorker): void {
    // A process that is gone says so by its end.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }
}
