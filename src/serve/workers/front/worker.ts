/** One worker as its front sees it: a process, the link to it, and what it last said. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import type { TreadleError } from '../../../errors.js';
import type { Clock } from '../../durable/clock.js';
import { failureOf } from '../frames/failure.js';
import { Link } from '../frames/link.js';
import type { Hello, Ready, Report, Welcome } from '../protocol.js';
import { Rpc } from '../rpc/rpc.js';
import { NAME_VARIABLE } from '../worker/process.js';
import { ended, silent } from './failures.js';
import type { FrontLimits } from './limits.js';
import type { Entry } from './router.js';

/** How a worker's process is started: the program and its arguments; it finds the front on file descriptor 3. */
export interface WorkerCommand {
  command: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** `starting` until it is ready; `draining`: it gets no new sessions; `gone`: whatever it says is not heard any more. */
export type WorkerState = 'starting' | 'ready' | 'draining' | 'gone';

export interface WorkerEnds {
  welcome(worker: Worker): Welcome;
  ready(worker: Worker): void;
  /** Once: its link closed or its process ended. */
  gone(worker: Worker, why: TreadleError): void;
}

export class Worker {
  state: WorkerState = 'starting';
  /** Told with `ready`. */
  incarnation: string | undefined;
  readonly rpc: Rpc;
  readonly sessions = new Set<Entry>();
  report: Report | undefined;
  /** Milliseconds of the clock. */
  reportedAt: number;
  readyAt: number | undefined;
  /** Sessions that it was seen to open. */
  admitted = 0;
  /** Opens under way. */
  opening = 0;
  /** Why it takes no new sessions; absent while it does. */
  unhealthy: string | undefined;
  /** It has all of the registry, and is told what changes. */
  isWelcomed = false;
  /** It was asked to end. */
  isStopping = false;
  /** The registry's changes so far have reached it. */
  told: Promise<unknown> = Promise.resolve();
  readonly exited: Promise<void>;
  /** It is gone and can write nothing any more that somebody reads: what it left may be taken up. */
  readonly buried: Promise<void>;
  isBuried!: () => void;
  #why: TreadleError | undefined;
  readonly #child: ChildProcess;
  #timer: NodeJS.Timeout;

  constructor(
    readonly name: string,
    { command, args, env }: WorkerCommand,
    readonly limits: FrontLimits,
    readonly clock: Clock,
    readonly ends: WorkerEnds,
  ) {
    // What a worker says on its standard output is no answer of the front's.
    this.#child = spawn(command, [...args], {
      stdio: ['ignore', 2, 2, 'pipe'],
      env: { ...process.env, ...env, [NAME_VARIABLE]: name },
    });
    this.reportedAt = clock.now();
    this.rpc = new Rpc(new Link(this.#child.stdio[3] as Duplex));
    this.buried = new Promise((resolve) => {
      this.isBuried = resolve;
    });
    this.exited = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#end(ended(error.message));
        resolve();
      });
      this.#child.once('exit', (code, signal) => {
        this.#end(ended(signal ?? `code ${code}`));
        resolve();
      });
    });
    this.#timer = this.#expect(limits.helloMs, 'did not say hello');
    this.rpc.handle('hello', (params) => this.#hello(params as Hello));
    this.rpc.handle('ready', (params) => this.#ready(params as Ready));
    this.rpc.onNotice('failed', (params) => {
      this.#why = failureOf(params);
    });
    this.rpc.onNotice('report', (params) => this.#reported(params as Report));
    // The process may have more to say of why it ended.
    this.rpc.onClosed((why) => {
      if (this.#child.pid === undefined) return;
      if (why.code === 'bad_frame') this.#end(why);
      else setTimeout(() => this.#end(why), this.isRunning ? 50 : 0).unref();
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null && this.#child.pid !== undefined;
  }

  /** New sessions may be placed here. */
  get isHealthy(): boolean {
    return this.state === 'ready' && this.unhealthy === undefined && !this.rpc.isClosed;
  }

  /** Sessions that are not closed: what it reported, and those opened since. */
  get open(): number {
    const { report, admitted } = this;
    if (!report) return admitted;
    let open = admitted - report.admitted;
    for (const [status, count] of Object.entries(report.info.sessions)) if (status !== 'closed') open += count;
    return Math.max(0, open);
  }

  /** Sessions by which it is compared with others, those included that are being opened. */
  get load(): number {
    return this.open + this.opening;
  }

  /** Milliseconds since it was last heard from. */
  get silence(): number {
    return this.clock.now() - this.reportedAt;
  }

  /** Asks it to end and sees that it does. */
  async stop(): Promise<void> {
    this.isStopping = true;
    if (this.isRunning && !this.rpc.isClosed)
      await this.rpc.request('stop', null, { ms: this.limits.graceMs }).catch(() => undefined);
    this.rpc.link.end();
    await this.#seenToEnd();
  }

  /** Its link closes now; the process is ended if it does not end by itself. */
  giveUp(why: TreadleError): void {
    this.#end(why);
    void this.#seenToEnd();
  }

  kill(): void {
    if (this.isRunning) this.#child.kill('SIGKILL');
  }

  async #seenToEnd(): Promise<void> {
    const timer = setTimeout(() => this.kill(), this.limits.graceMs);
    await this.exited;
    clearTimeout(timer);
  }

  #expect(ms: number, what: string): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#end(silent(what, ms));
      this.kill();
    }, ms);
    timer.unref();
    return timer;
  }

  #hello({ pid }: Hello): { value: Welcome } {
    if (this.state !== 'starting' || pid !== this.pid) throw ended('somebody else is at its link');
    clearTimeout(this.#timer);
    this.#timer = this.#expect(this.limits.readyMs, 'was not ready');
    this.isWelcomed = true;
    return { value: this.ends.welcome(this) };
  }

  #ready({ incarnation }: Ready): { value: boolean } {
    clearTimeout(this.#timer);
    if (this.state !== 'starting') return { value: false };
    this.state = 'ready';
    this.incarnation = incarnation;
    this.readyAt = this.clock.now();
    this.reportedAt = this.readyAt;
    this.ends.ready(this);
    return { value: true };
  }

  #reported(report: Report): void {
    this.report = report;
    this.reportedAt = this.clock.now();
  }

  #end(why: TreadleError): void {
    if (this.state === 'gone') return;
    this.state = 'gone';
    clearTimeout(this.#timer);
    if (!this.rpc.isClosed) this.rpc.link.close();
    this.ends.gone(this, this.#why ?? why);
  }
}
