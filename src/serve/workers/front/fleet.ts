/** The workers of one front: placed, watched, buried, replaced. */
import { asTreadleError, type TreadleError } from '../../../errors.js';
import type { Clock } from '../../durable/clock.js';
import type { Ownership } from '../../durable/ownership/ownership.js';
import type { Welcome } from '../protocol.js';
import { noWorker, silent } from './failures.js';
import { healthOf } from './health.js';
import type { FrontLimits } from './limits.js';
import { Moves } from './moves.js';
import { Place } from './places.js';
import type { Router } from './router.js';
import type { Worker, WorkerCommand } from './worker.js';

export interface FleetOptions {
  command: WorkerCommand;
  count: number;
  limits: FrontLimits;
  clock: Clock;
  router: Router;
  /** Who says which worker lives; without it a process that ended is one that is dead. */
  ownership?: Ownership | undefined;
  welcome(worker: Worker): Welcome;
  /** Told of every process before it is heard. */
  made(worker: Worker): void;
  onDefect: (error: TreadleError) => void;
  /** No place has a worker, and none can be started. */
  onFatal: (error: TreadleError) => void;
}

const BURY_MS = 200;

export class Fleet {
  readonly moves: Moves;
  readonly places: readonly Place[];
  /** All processes that have a link, also those that are on their way out. */
  readonly workers = new Set<Worker>();
  readonly #moving = new Set<Worker>();
  readonly #waiting = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  constructor(readonly options: FleetOptions) {
    const { router, limits, clock, onDefect } = options;
    const targets = (): Worker[] => this.#targets();
    this.moves = new Moves({ router, limits, clock, onDefect, targets });
    this.places = Array.from({ length: options.count }, (_, i) => this.#place(`w${i + 1}`));
  }

  /** Resolves when every place has a worker that is ready. Rejects with `worker_crashes`: then all have ended. */
  async start(): Promise<void> {
    const { limits } = this.options;
    const failed = new Promise<never>((_, reject) => {
      this.#failed = reject;
    });
    failed.catch(() => undefined);
    try {
      await Promise.race([failed, Promise.all(this.places.map((place) => this.#first(place)))]);
    } catch (thrown) {
      await this.close();
      throw thrown;
    }
    this.#failed = undefined;
    this.#timer = setInterval(() => void this.#look(), limits.healthMs);
  }

  #failed: ((why: TreadleError) => void) | undefined;

  async #first(place: Place): Promise<void> {
    await place.start().catch(() => undefined);
    while (!this.#isClosed && place.worker?.state !== 'ready') await this.#change();
  }

  /** The healthy one with the fewest sessions. */
  choose(): Worker | undefined {
    let best: Worker | undefined;
    for (const worker of this.workers)
      if (worker.isHealthy && (best === undefined || worker.load < best.load)) best = worker;
    return best;
  }

  /** As `choose`, after a while where there is none now; counts as opening one until it is told otherwise. Rejects with `no_worker`. */
  async reserve(): Promise<Worker> {
    const { clock, limits } = this.options;
    const until = clock.now() + limits.waitMs;
    for (;;) {
      const worker = this.choose();
      if (worker) {
        worker.opening++;
        return worker;
      }
      const left = until - clock.now();
      if (left <= 0 || this.#isClosed) throw noWorker(this.reasons());
      await this.#change(Math.min(left, limits.healthMs));
    }
  }

  /** Why each worker takes no sessions. */
  reasons(): string[] {
    return this.places.map(({ name, worker, failing }) => {
      const why =
        worker?.unhealthy ?? (worker ? (worker.state === 'ready' ? 'is well' : `is ${worker.state}`) : undefined);
      return `${name} ${why ?? (failing ? 'cannot be started' : 'is being started again')}`;
    });
  }

  /** Moves the sessions off one worker after another and starts each anew. Throws `cannot_move`, and why a new one did not start. */
  async roll(): Promise<void> {
    for (const place of this.places) await this.replace(place);
  }

  /** The successor starts beside it, so nothing waits longer than a session takes to move. */
  async replace(place: Place): Promise<void> {
    const old = place.worker;
    if (old?.state !== 'ready' || this.#moving.has(old)) return;
    this.#moving.add(old);
    const next = place.make();
    try {
      await place.readied(next);
      old.state = 'draining';
      place.worker = next;
      await this.#empty(old, () => (next.isHealthy ? next : this.choose()));
    } catch (thrown) {
      // What could not move stays where it is, and the other place's worker with it.
      if (old.state === 'draining') {
        old.state = 'ready';
        place.worker = old;
        await this.moves.away(next, [...next.sessions], () => old);
      }
      await next.stop();
      throw thrown;
    } finally {
      this.#moving.delete(old);
    }
    await old.stop();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.moves.close();
    for (const place of this.places) place.close();
    for (const wake of this.#waiting) wake();
    await Promise.all([...this.workers].map((worker) => worker.stop()));
  }

  async #empty(worker: Worker, to: () => Worker | undefined): Promise<void> {
    while (worker.sessions.size > 0 || worker.opening > 0) {
      const why = await this.moves.away(worker, [...worker.sessions], to);
      if (why) throw why;
      if (worker.state === 'gone') return;
      if (worker.opening > 0) await this.options.clock.sleep(20);
    }
  }

  #place(name: string): Place {
    const { command, limits, clock, welcome, made, onDefect } = this.options;
    return new Place(name, {
      command,
      limits,
      clock,
      welcome,
      made: (worker) => {
        this.workers.add(worker);
        made(worker);
      },
      ready: () => {
        this.#wake();
        void this.moves.adopt();
      },
      gone: (worker, why) => {
        this.workers.delete(worker);
        if (!this.#isClosed && !worker.isStopping) onDefect(why);
        void this.#bury(worker);
        this.#wake();
      },
      inVain: (_, why) => {
        this.#failed?.(why);
        if (this.places.every(({ failing }) => failing)) this.options.onFatal(why);
      },
    });
  }

  /** Its sessions go to others once it is certain that it writes none of them any more. */
  async #bury(worker: Worker): Promise<void> {
    const { ownership, clock, onDefect } = this.options;
    const { incarnation } = worker;
    if (ownership && incarnation !== undefined)
      while (!this.#isClosed) {
        try {
          await ownership.bury(incarnation);
          break;
        } catch (thrown) {
          onDefect(asTreadleError(thrown, 'infrastructure'));
          await clock.sleep(BURY_MS);
        }
      }
    // Nothing that it does counts from here on, and what it would still write to its log could be taken for something that does.
    if (!worker.isStopping || !ownership) {
      worker.kill();
      await worker.exited;
    }
    worker.isBuried();
    this.moves.orphan([...worker.sessions]);
  }

  #targets(): Worker[] {
    const all = [...this.workers].filter(({ state, rpc }) => state === 'ready' && !rpc.isClosed);
    const healthy = all.filter(({ isHealthy }) => isHealthy);
    return (healthy.length > 0 ? healthy : all).sort((a, b) => a.load - b.load);
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  /** A worker came or went, or `ms` are over. */
  #change(ms?: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
      if (ms !== undefined) setTimeout(wake, ms).unref();
    });
  }

  async #look(): Promise<void> {
    const { limits, ownership, onDefect } = this.options;
    for (const worker of this.workers) {
      if (worker.state !== 'ready') continue;
      worker.unhealthy = healthOf(worker, limits);
      if (!ownership && worker.silence > limits.lostMs) worker.giveUp(silent('said nothing', limits.lostMs));
      else if (worker.unhealthy !== undefined && worker.silence <= limits.lateMs) void this.#relieve(worker);
    }
    if (!ownership) return;
    try {
      const died = new Set((await ownership.reap()).died);
      for (const worker of this.workers)
        if (worker.incarnation !== undefined && died.has(worker.incarnation))
          worker.giveUp(silent('did not prolong its lease', worker.silence));
    } catch (thrown) {
      onDefect(asTreadleError(thrown, 'infrastructure'));
    }
  }

  /** Its sessions go where all is well; one that has none left and too much memory is started anew. */
  async #relieve(worker: Worker): Promise<void> {
    if (this.#moving.has(worker) || this.choose() === undefined) return;
    this.#moving.add(worker);
    try {
      const why = await this.moves.away(worker, [...worker.sessions], () => this.choose());
      if (why) throw why;
    } catch (thrown) {
      this.options.onDefect(asTreadleError(thrown, 'infrastructure'));
      await this.options.clock.sleep(this.options.limits.lateMs);
    } finally {
      this.#moving.delete(worker);
    }
    const place = this.places.find((one) => one.worker === worker);
    const isHeavy = (worker.report?.rssBytes ?? 0) > this.options.limits.memoryBytes;
    if (place && isHeavy && worker.sessions.size === 0) await worker.stop();
  }
}
