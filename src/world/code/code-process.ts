/** One child process that runs code tools, a call at a time; killed when it takes too long, gone when it breaks. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { TreadleError } from '../../errors.js';
import { elapsedMs } from '../../kit/clock.js';
import { frameOf, frameReader } from './frames.js';
import {
  type Answerer,
  ASK,
  broke,
  type CodeEnd,
  type CodeJob,
  END,
  JOB,
  LAST,
  READY,
  TOO_LONG,
  TOO_MUCH,
} from './protocol.js';

// From src (under a test runner) and from dist alike: the compiled child.
const CHILD = fileURLToPath(new URL('../../../dist/world/code/child.js', import.meta.url));
const START_MS = 20_000;
/** V8's heap in MiB, and room on its stack for QuickJS's frames in KiB. */
const V8 = ['--max-old-space-size=64', '--stack-size=3900'];
/** Milliseconds of work after which a process is replaced. */
const LONGEST_LIFE_MS = 30_000;
/** CPU seconds that end a process which nobody is left to kill: well beyond its life, V8's own threads counted. */
const cpuSeconds = (wallMs: number): number => Math.ceil((2 * (LONGEST_LIFE_MS + wallMs)) / 1000) + 10;
/** No files, no core dumps. */
const limits = (wallMs: number): string => `ulimit -c 0; ulimit -f 0; ulimit -t ${cpuSeconds(wallMs)}; exec "$0" "$@"`;

interface Running {
  answer: Answerer;
  resolve(end: CodeEnd): void;
  /** Milliseconds it may still run; the time its questions take to answer is not its own. */
  left: number;
  since: number;
  timer?: NodeJS.Timeout | undefined;
}

const unavailable = (why: string): TreadleError =>
  new TreadleError({
    code: 'code_unavailable',
    message: `No process for code tools could be started: ${why}`,
    next: 'Run npm run build, then try again.',
    fault: 'infrastructure',
    isRetryable: true,
  });

const spawned = (program: string, wallMs: number): ChildProcessWithoutNullStreams => {
  const args = [...V8, program];
  const options = { stdio: 'pipe' as const, env: { TZ: 'UTC' }, cwd: '/' };
  return process.platform === 'win32'
    ? spawn(process.execPath, args, options)
    : spawn('/bin/sh', ['-c', limits(wallMs), process.execPath, ...args], options);
};

export class CodeProcess {
  /** Set once it is of no more use: it has died, or will not be given another call. */
  isSpent = false;
  #running: Running | undefined;
  #started: ((error?: Error) => void) | undefined;
  #timedOut = false;
  #worked = 0;
  #errors = '';
  readonly #child: ChildProcessWithoutNullStreams;

  private constructor(
    program: string,
    readonly wallMs: number,
  ) {
    this.#child = spawned(program, wallMs);
    const read = frameReader((tag, text) => this.#take(tag, text));
    this.#child.stdout.on('data', (chunk: Buffer) => {
      if (!read(chunk)) this.kill();
    });
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString('utf8')).slice(-4_000);
    });
    this.#child.stdin.on('error', () => undefined);
    this.#child.on('error', (error) => this.#gone(error.message));
    this.#child.on('close', (code, signal) => this.#gone(`exit status ${code ?? signal}`));
  }

  /** Throws `code_unavailable` (infrastructure) when it does not come up. */
  static async start(wallMs: number, program = CHILD): Promise<CodeProcess> {
    const made = new CodeProcess(program, wallMs);
    const late = setTimeout(() => made.kill(), START_MS);
    try {
      await new Promise<void>((resolve, reject) => {
        made.#started = (error) => (error ? reject(error) : resolve());
      });
    } finally {
      clearTimeout(late);
    }
    return made;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Runs a call to its end, whatever that is. One at a time. */
  run(job: CodeJob, answer: Answerer): Promise<CodeEnd> {
    return new Promise((resolve) => {
      this.#running = { answer, resolve, left: this.wallMs, since: 0 };
      this.#send(JOB + JSON.stringify(job));
    });
  }

  /** Whether it keeps this process alive. */
  hold(isHeld: boolean): void {
    const pipes = [this.#child, this.#child.stdin, this.#child.stdout, this.#child.stderr] as {
      ref?(): void;
      unref?(): void;
    }[];
    for (const each of pipes) isHeld ? each.ref?.() : each.unref?.();
  }

  kill(): void {
    this.isSpent = true;
    this.#child.kill('SIGKILL');
  }

  #send(text: string): void {
    const running = this.#running as Running;
    running.since = elapsedMs();
    running.timer = setTimeout(() => this.#late(running), running.left);
    this.#child.stdin.write(frameOf(text.charAt(0), text.slice(1)));
  }

  /** The process waits for us from here on. */
  #pause(running: Running): void {
    clearTimeout(running.timer);
    running.timer = undefined;
    const took = elapsedMs() - running.since;
    running.left = Math.max(1, running.left - took);
    this.#worked += took;
  }

  /**
   * Our own event loop may have been held up: timers then fire early by as much, and what has arrived is still unread. Both are
   * made good before the process is blamed.
   */
  #late(running: Running): void {
    const { timer } = running;
    const early = running.left - (elapsedMs() - running.since);
    if (early > 1) {
      running.timer = setTimeout(() => this.#late(running), early);
      return;
    }
    setImmediate(() => {
      if (this.#running !== running || running.timer !== timer || timer === undefined) return;
      this.#timedOut = true;
      this.kill();
    });
  }

  #take(tag: string, text: string): void {
    const running = this.#running;
    if (tag === READY && this.#started) {
      this.#started();
      this.#started = undefined;
    } else if (!running || running.timer === undefined) this.kill();
    else if (tag === ASK) {
      this.#pause(running);
      void this.#reply(running, text);
    } else if (tag === END || tag === LAST) {
      this.#pause(running);
      if (tag === LAST) this.isSpent = true;
      this.#end(JSON.parse(text) as CodeEnd);
    } else this.kill();
  }

  async #reply(running: Running, ask: string): Promise<void> {
    const answer = running.answer(ask);
    const text = typeof answer === 'string' ? answer : await answer;
    if (this.#running === running) this.#send(text);
  }

  #end(end: CodeEnd): void {
    const running = this.#running;
    this.#running = undefined;
    if (this.#worked > LONGEST_LIFE_MS) this.kill();
    running?.resolve(end);
  }

  #gone(why: string): void {
    this.isSpent = true;
    const errors = this.#errors.trim().slice(-300);
    this.#started?.(unavailable(errors ? `${why}: ${errors}` : why));
    this.#started = undefined;
    if (!this.#running) return;
    clearTimeout(this.#running.timer);
    if (this.#timedOut) this.#end(broke('code_timeout', TOO_LONG));
    else if (/heap out of memory/.test(this.#errors)) this.#end(broke('code_memory', TOO_MUCH));
    else this.#end(broke('code_crashed', `The process that ran the tool ended (${why}); nothing was changed`));
  }
}
