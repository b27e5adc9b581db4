/** The processes that run code tools: a bounded few, started when first needed and closed when idle. */
import { CodeProcess } from './code-process.js';
import type { Answerer, CodeEnd, CodeJob } from './protocol.js';

export interface PoolOptions {
  /** Most processes at a time. */
  size?: number;
  /** Milliseconds of running that a call may take. */
  wallMs?: number;
  /** Milliseconds without a call after which a process is closed. */
  idleMs?: number;
}

export class CodePool {
  readonly size: number;
  readonly wallMs: number;
  readonly idleMs: number;
  #count = 0;
  /** The one used last stands last and is used first, so that the others grow idle. */
  readonly #idle: { process: CodeProcess; timer: NodeJS.Timeout }[] = [];
  readonly #busy = new Set<CodeProcess>();
  readonly #waiting: ((found: CodeProcess | undefined) => void)[] = [];
  readonly #onExit = (): void => this.close();

  constructor({ size = 2, wallMs = 2_000, idleMs = 30_000 }: PoolOptions = {}) {
    this.size = Math.max(1, size);
    this.wallMs = wallMs;
    this.idleMs = idleMs;
  }

  /** Process ids, busy ones first. */
  get pids(): number[] {
    const all = [...this.#busy, ...this.#idle.map(({ process }) => process)];
    return all.flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Runs a call when its turn comes. Throws `code_unavailable` (infrastructure) when no process can be started. */
  async run(job: CodeJob, answer: Answerer): Promise<CodeEnd> {
    const found = await this.#take();
    try {
      return await found.run(job, answer);
    } finally {
      this.#release(found);
    }
  }

  /** Kills every process; calls that run end as `code_crashed`. The next call starts anew. */
  close(): void {
    for (const { process, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      process.kill();
      this.#count--;
    }
    for (const process of this.#busy) process.kill();
    process.removeListener('exit', this.#onExit);
  }

  async #take(): Promise<CodeProcess> {
    const idle = this.#idle.pop();
    clearTimeout(idle?.timer);
    let found = idle?.process;
    if (!found && this.#count >= this.size)
      found = await new Promise<CodeProcess | undefined>((resolve) => this.#waiting.push(resolve));
    else if (!found) this.#count++;
    // One that died while it was idle leaves its place to us.
    if (!found || found.isSpent) found = await this.#start();
    this.#busy.add(found);
    found.hold(true);
    return found;
  }

  /** In a place that is counted already; gives the place up when it fails. */
  async #start(): Promise<CodeProcess> {
    process.removeListener('exit', this.#onExit);
    process.once('exit', this.#onExit);
    try {
      return await CodeProcess.start(this.wallMs);
    } catch (thrown) {
      this.#give(undefined);
      throw thrown;
    }
  }

  #release(used: CodeProcess): void {
    this.#busy.delete(used);
    this.#give(used.isSpent ? undefined : used);
  }

  /** Hands a place on: to who waits, to the idle ones, or back. */
  #give(found: CodeProcess | undefined): void {
    const next = this.#waiting.shift();
    if (next) next(found);
    else if (!found) this.#drop(found);
    else {
      found.hold(false);
      const timer = setTimeout(() => {
        this.#idle.splice(
          this.#idle.findIndex(({ process }) => process === found),
          1,
        );
        this.#drop(found);
      }, this.idleMs).unref();
      this.#idle.push({ process: found, timer });
    }
  }

  #drop(found: CodeProcess | undefined): void {
    this.#count--;
    found?.kill();
  }
}
