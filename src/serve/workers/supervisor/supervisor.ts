/**
 * A small process that starts the front and starts it again when it is killed. It holds nothing but what the front asked it to keep for
 * its next life: where it listens and by which token.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { TreadleError } from '../../../errors.js';
import type { Json } from '../../../kit/hash.js';
import { type Clock, processClock } from '../../durable/clock.js';

export interface SupervisorLimits {
  /** It is started again after `firstMs`, twice that the next time, at most `mostMs`. */
  firstMs: number;
  mostMs: number;
  /** Lives in a row that ended within `stableMs` after which it is not started any more. */
  starts: number;
  stableMs: number;
  /** Between asking it to end and ending it. */
  graceMs: number;
}

const LIMITS: SupervisorLimits = { firstMs: 100, mostMs: 10_000, starts: 5, stableMs: 10_000, graceMs: 30_000 };

export interface SupervisorOptions {
  command: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  limits?: Partial<SupervisorLimits>;
  clock?: Clock;
  /** Hears of every life that ended by itself. */
  onDefect: (error: TreadleError) => void;
}

export interface Supervised {
  /** Of the life that is now. */
  readonly pid: number | undefined;
  /** Asks the front to end, and sees that it does. */
  stop(): Promise<void>;
  /** Resolves with the code to end with: the front's own where it ended as it should, or never served. Rejects with `front_crashes`. */
  readonly ended: Promise<number>;
}

/** What goes between the two: to the front at its start, and from it whenever it likes. */
export interface Before {
  before: Json | null;
}
export interface Keep {
  keep: Json;
}

const crashes = (lives: number, how: string): TreadleError =>
  new TreadleError({
    code: 'front_crashes',
    message: `The front ended ${lives} times in a row right after it was started; the last time with ${how}`,
    next: 'What it said before it ended tells why; mend that and start again.',
    fault: 'infrastructure',
  });

const endedBy = (how: string): TreadleError =>
  new TreadleError({
    code: 'front_ended',
    message: `The front ended (${how}) and is started again`,
    fault: 'infrastructure',
  });

class Supervisor implements Supervised {
  readonly ended: Promise<number>;
  readonly #limits: SupervisorLimits;
  readonly #clock: Clock;
  #child: ChildProcess | undefined;
  #kept: Json | null = null;
  /** A life of it has served: from then on it is worth starting again. */
  #hasServed = false;
  #isStopping = false;
  readonly #stop = new AbortController();

  constructor(readonly options: SupervisorOptions) {
    this.#limits = { ...LIMITS, ...options.limits };
    this.#clock = options.clock ?? processClock;
    this.ended = this.#run();
    this.ended.catch(() => undefined);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#stop.abort();
    const child = this.#child;
    child?.kill('SIGTERM');
    const cut = setTimeout(() => child?.kill('SIGKILL'), this.#limits.graceMs);
    await this.ended.catch(() => undefined);
    clearTimeout(cut);
  }

  async #run(): Promise<number> {
    const { starts, stableMs, firstMs, mostMs } = this.#limits;
    for (let short = 0; ; ) {
      const from = this.#clock.now();
      const { code, signal } = await this.#life();
      if (this.#isStopping || code === 0) return code ?? 0;
      if (!this.#hasServed) return code ?? 1;
      short = this.#clock.now() - from >= stableMs ? 0 : short + 1;
      const how = signal ?? `code ${code}`;
      if (short >= starts) throw crashes(short, how);
      this.options.onDefect(endedBy(how));
      if (short > 0) await this.#wait(Math.min(mostMs, firstMs * 2 ** (short - 1)));
      if (this.#isStopping) return 0;
    }
  }

  /** Keeps this process alive, unlike the clock's sleep: there may be nothing else that does. */
  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#stop.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #life(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const { command, args, env } = this.options;
    return new Promise((resolve) => {
      const child = spawn(command, [...args], {
        stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
        env: { ...process.env, ...env },
      });
      this.#child = child;
      child.on('message', (said) => {
        const { keep } = said as Partial<Keep>;
        if (keep === undefined) return;
        this.#kept = keep;
        this.#hasServed = true;
      });
      // It may be gone before it reads this; then the next life is told.
      child.send({ before: this.#kept } satisfies Before, () => {});
      child.once('error', () => resolve({ code: 127, signal: null }));
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
  }
}

export const supervise = (options: SupervisorOptions): Supervised => new Supervisor(options);
