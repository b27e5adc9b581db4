/** A process with all that it starts, as one: signalled, stopped, continued and ended together. POSIX only. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { TreadleError } from '../../errors.js';
import { forgetGroup, keepGroup } from './keeper.js';
import { hasRunningMembers, signalMarked } from './process-table.js';

export interface ProcessExit {
  code: number | null;
  signal: string | null;
}

export interface GroupOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Found by it are the processes that leave the group; `env` must carry it. */
  mark: string;
}

/** How long a group may take to leave after SIGTERM. */
const TERM_MS = 2_000;
/** How long the kernel may take after SIGKILL; zombies that nobody reaps stay longer and do no harm. */
const KILL_MS = 1_000;
/** How often a group that its first process left behind is looked at, so that its number is forgotten before it is another's. */
const WATCH_MS = 1_000;

export class ProcessGroup {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** When the first process has ended; others of its group may still run. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  readonly #mark: string;
  #hasExited = false;
  #isGone = false;
  #ending: Promise<void> | undefined;

  constructor(child: ChildProcess, pid: number, mark: string) {
    this.pid = pid;
    this.#mark = mark;
    this.stdin = child.stdin as Writable;
    this.stdout = child.stdout as Readable;
    this.stderr = child.stderr as Readable;
    // A process that does not read is noticed by its exit; an unheard 'error' would end ours.
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream.on('error', () => {});
    keepGroup(pid);
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#hasExited = true;
        if (this.isAlive()) this.#watch();
        resolve({ code, signal });
      });
    });
  }

  /** Whether the first process has ended. */
  get hasExited(): boolean {
    return this.#hasExited;
  }

  /** Whether anything of the group is left; of those that are dead and wait to be reaped it learns within a second. */
  isAlive(): boolean {
    if (!this.#isGone && !this.signal(0)) this.#forget();
    return !this.#isGone;
  }

  /** The same, at once and without the dead. */
  async isRunning(): Promise<boolean> {
    if (!this.isAlive()) return false;
    if (this.#hasExited && !(await hasRunningMembers(this.pid))) this.#forget();
    return !this.#isGone;
  }

  /** To every process of the group; false when there is none. */
  signal(signal: NodeJS.Signals | 0): boolean {
    if (this.#isGone) return false;
    try {
      return process.kill(-this.pid, signal);
    } catch (thrown) {
      // EPERM: it runs, under another user.
      return (thrown as NodeJS.ErrnoException).code === 'EPERM';
    }
  }

  stop(): void {
    this.signal('SIGSTOP');
  }

  continue(): void {
    this.signal('SIGCONT');
  }

  /** SIGTERM, after two seconds SIGKILL, then whatever left the group. Resolves when nothing is left; never rejects. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    this.stdin.destroy();
    this.signal('SIGTERM');
    this.continue();
    await this.#untilGone(TERM_MS);
    this.signal('SIGKILL');
    await signalMarked(this.#mark, 'SIGKILL');
    await this.#untilGone(KILL_MS);
    // Whoever inherited the pipes would keep them open.
    this.stdout.destroy();
    this.stderr.destroy();
    this.#forget();
  }

  /** Its number may soon be another's, and must not be signalled any more. */
  #forget(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    forgetGroup(this.pid);
  }

  async #untilGone(ms: number): Promise<void> {
    let pause = 2;
    for (let waited = 0; waited < ms && (!this.#hasExited || (await this.isRunning())); waited += pause) {
      pause = Math.min(pause * 2, 50);
      await sleep(pause);
    }
  }

  #watch(): void {
    const timer = setInterval(async () => {
      if (!(await this.isRunning())) clearInterval(timer);
    }, WATCH_MS);
    timer.unref();
  }
}

/** Starts `command` in a process group of its own. Throws `cannot_start` with the system's code, such as ENOENT. */
export const startGroup = (command: string, args: readonly string[], options: GroupOptions): ProcessGroup => {
  const failed = (cause: unknown): TreadleError =>
    new TreadleError({
      code: 'cannot_start',
      message: 'The command could not be started',
      value: command,
      next: 'Check that it is installed, executable and in the search path',
      fault: 'infrastructure',
      cause,
    });
  let child: ChildProcess;
  try {
    const { cwd, env } = options;
    child = spawn(command, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  } catch (thrown) {
    throw failed(thrown);
  }
  child.on('error', () => {});
  if (child.pid === undefined) throw failed(undefined);
  return new ProcessGroup(child, child.pid, options.mark);
};
