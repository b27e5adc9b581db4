/** One fresh process that answers many jobs: started once, asked by messages, so that its start is paid for once. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { TreadleError } from '../../errors.js';
import type { Answered, Job, JobResult } from './script.js';

// From src (under a test runner) and from dist alike: the compiled child.
const CHILD = fileURLToPath(new URL('../../../dist/certify/determinism/child.js', import.meta.url));
const MOST_SAID = 4_000;

const failure = (why: string, stderr: string): TreadleError =>
  new TreadleError({
    code: 'child_failed',
    message: `A fresh process did not finish: ${why}`,
    value: stderr.trim().slice(-300) || undefined,
    next: 'Run npm run build, then try again.',
    fault: 'infrastructure',
  });

interface Waiting {
  job: Job;
  resolve(result: JobResult): void;
  reject(error: TreadleError): void;
}

const isAnswer = (message: unknown): message is Answered =>
  typeof message === 'object' &&
  message !== null &&
  typeof (message as Answered).number === 'number' &&
  typeof (message as Answered).result === 'object';

export class FreshProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;
  #said = '';
  #failed: TreadleError | undefined;
  #closing = false;

  constructor(program = CHILD) {
    // Structured clones: images cross as bytes, not as text.
    this.#child = spawn(process.execPath, [program], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
    this.#child.stderr?.on('data', (data: Buffer) => {
      this.#said = (this.#said + data.toString('utf8')).slice(-MOST_SAID);
    });
    this.#child.on('message', (message: unknown) => this.#heard(message));
    this.#child.on('error', (error) => this.#fail(error.message));
    this.#child.on('close', (code, signal) => {
      if (!this.#closing || this.#waiting.size > 0) this.#fail(`exit status ${code ?? signal}`);
    });
  }

  /** Throws `child_failed` (also later) when the process dies or answers something else. */
  ask(job: Job): Promise<JobResult> {
    if (this.#failed) return Promise.reject(this.#failed);
    const number = this.#asked++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { job, resolve, reject });
      this.#child.send({ number, job }, (error) => {
        if (error) this.#fail(error.message);
      });
    });
  }

  /** Lets the process end; what was asked and not answered fails. */
  close(): void {
    if (this.#closing) return;
    this.#closing = true;
    if (this.#child.connected) this.#child.disconnect();
    if (this.#waiting.size > 0) this.#fail('it was closed');
  }

  #heard(message: unknown): void {
    const waiting = isAnswer(message) ? this.#waiting.get(message.number) : undefined;
    if (!isAnswer(message) || !waiting) {
      this.#fail('it answered something else than results');
      return;
    }
    this.#waiting.delete(message.number);
    waiting.resolve(message.result);
  }

  #fail(why: string): void {
    this.#failed ??= failure(why, this.#said);
    for (const { reject } of this.#waiting.values()) reject(this.#failed);
    this.#waiting.clear();
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL');
  }
}
