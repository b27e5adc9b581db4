/** A worker process as a hand: it has jobs or none, and it may die. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { LeasedJob } from '../../../serve/durable/jobs/jobs.js';
import { type Ends, errorOf, type Hand } from '../../../serve/durable/jobs/run.js';
import { workerDied } from './errors.js';
import type { FromWorker, ToWorker } from './protocol.js';

export interface WorkerProgram {
  /** The compiled worker, which calls `serveOrders`. */
  program: string;
  /** What it is told before its first order; structured clone. */
  setup: unknown;
  /** What it is asked for a job; the job's payload when absent. */
  asked?(job: LeasedJob): unknown;
  onNote?(note: unknown): void;
  onOver?(rss: number): void;
}

/** A worker that holds more than this (bytes) is replaced by a new one when its jobs are done. */
const MOST_RESIDENT = 700 * 2 ** 20;
const MOST_SAID = 2_000;

export class WorkerProcess implements Hand {
  readonly #child: ChildProcess;
  readonly #gone: Promise<never>;
  #said = '';
  #heard: (message: FromWorker) => void = () => undefined;
  isWornOut = false;

  constructor(readonly plan: WorkerProgram) {
    const child = spawn(process.execPath, [plan.program], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
    this.#child = child;
    child.stderr?.on('data', (data: Buffer) => {
      this.#said = (this.#said + data.toString('utf8')).slice(-MOST_SAID);
    });
    child.on('message', (message: FromWorker) => this.#heard(message));
    this.#gone = new Promise((_, reject) => {
      child.on('error', (error) => reject(workerDied(error.message)));
      child.on('close', () => reject(workerDied(this.#ending)));
    });
    this.#gone.catch(() => undefined);
    this.#send({ setup: plan.setup });
  }

  /** How it ended and the last it said on stderr. */
  get #ending(): string {
    const { exitCode, signalCode } = this.#child;
    return `${signalCode ?? `exit status ${exitCode}`} ${this.#said.trim().slice(-300)}`.trim();
  }

  async work(jobs: readonly LeasedJob[], ends: Ends): Promise<void> {
    const byId = new Map(jobs.map((job) => [job.id, job]));
    /** Ends are told one after another, all of them before the next batch. */
    let told: Promise<void> = Promise.resolve();
    const then = (work: () => Promise<void> | void): void => {
      told = told.then(work);
      told.catch(() => undefined);
    };
    const over = new Promise<void>((resolve) => {
      this.#heard = (message) => {
        if ('note' in message) then(() => this.plan.onNote?.(message.note));
        else if ('over' in message) {
          this.isWornOut = message.over > MOST_RESIDENT;
          this.plan.onOver?.(message.over);
          resolve();
        } else {
          const job = byId.get('done' in message ? message.done : message.failed);
          if (job && 'done' in message) then(() => ends.done(job, message.result));
          else if (job && 'failed' in message) then(() => ends.failed(job, errorOf({ result: message.error })));
        }
      };
    });
    const { asked = ({ payload }: LeasedJob) => payload } = this.plan;
    this.#send({ orders: jobs.map((job) => ({ id: job.id, asked: asked(job) })) });
    try {
      await Promise.race([over, this.#gone]);
    } finally {
      await told;
    }
  }

  stop(): void {
    this.#send('stop');
  }

  close(): void {
    this.#send('end');
  }

  #send(message: ToWorker): void {
    // A process that is gone says so by its end.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }
}
