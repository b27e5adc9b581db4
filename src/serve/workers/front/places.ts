/** One worker's place: whoever is there is started, and started again when it ends, later each time and not for ever. */
import type { TreadleError } from '../../../errors.js';
import type { Clock } from '../../durable/clock.js';
import { startsInVain } from './failures.js';
import type { FrontLimits } from './limits.js';
import { Worker, type WorkerCommand, type WorkerEnds } from './worker.js';

export interface PlaceOptions {
  command: WorkerCommand;
  limits: FrontLimits;
  clock: Clock;
  welcome: WorkerEnds['welcome'];
  made(worker: Worker): void;
  ready(worker: Worker): void;
  gone(worker: Worker, why: TreadleError): void;
  /** It was started in vain too often; it is tried again all the same, at the slowest pace. */
  inVain(place: Place, why: TreadleError): void;
}

export class Place {
  worker: Worker | undefined;
  /** Starts so far. */
  starts = 0;
  /** Why it was started in vain too often; absent since the last that was ready for long enough. */
  failing: TreadleError | undefined;
  #short = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  readonly #waiting = new Map<Worker, { resolve(): void; reject(why: TreadleError): void }>();

  constructor(
    readonly name: string,
    readonly options: PlaceOptions,
  ) {}

  /** Resolves when the place's worker is ready; rejects where it is not the first time. */
  start(): Promise<Worker> {
    this.worker = this.make();
    return this.readied(this.worker);
  }

  /** A worker of this place that is not its worker yet. */
  make(): Worker {
    const { command, limits, clock, welcome } = this.options;
    this.starts++;
    const made = new Worker(this.name, command, limits, clock, {
      welcome,
      ready: (worker) => {
        this.options.ready(worker);
        this.#waiting.get(worker)?.resolve();
        this.#waiting.delete(worker);
      },
      gone: (worker, why) => {
        this.#waiting.get(worker)?.reject(why);
        this.#waiting.delete(worker);
        this.options.gone(worker, why);
        if (worker === this.worker) this.#ended(worker, why);
      },
    });
    this.options.made(made);
    return made;
  }

  readied(worker: Worker): Promise<Worker> {
    if (worker.state === 'ready') return Promise.resolve(worker);
    return new Promise((resolve, reject) => this.#waiting.set(worker, { resolve: () => resolve(worker), reject }));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #ended({ readyAt }: Worker, why: TreadleError): void {
    const { limits, clock } = this.options;
    this.worker = undefined;
    if (this.#isClosed) return;
    const wasStable = readyAt !== undefined && clock.now() - readyAt >= limits.stableMs;
    this.#short = wasStable ? 0 : this.#short + 1;
    if (wasStable) this.failing = undefined;
    if (this.#short >= limits.starts) {
      this.failing = startsInVain(this.name, this.#short, why);
      this.options.inVain(this, this.failing);
    }
    const { firstMs, mostMs } = limits.again;
    const ms = wasStable ? 0 : Math.min(mostMs, firstMs * 2 ** (this.#short - 1));
    this.#timer = setTimeout(() => {
      if (this.#isClosed) return;
      this.start().catch(() => undefined);
    }, ms);
  }
}
