/** Where one worker of a drill can be made to fail, to stop and to end. */
import type { FaultPoint, FaultPoints } from '../../../src/serve/durable/faults/fault-points.js';

const CODES = { full: 'ENOSPC', broken: 'EIO' } as const;

interface Armed {
  point: FaultPoint;
  what: 'stop' | 'end' | keyof typeof CODES;
  left: number;
}

/** It stopped or ended, and so does not answer. */
export const HALTED = Symbol('halted');

export class Points implements FaultPoints {
  #armed: Armed[] = [];
  #gate: Promise<void> | undefined;
  #open = (): void => {};
  #halt = (): void => {};
  /** Settles when it stops or ends, as whoever waits for it sees it. */
  halted: Promise<typeof HALTED>;
  isEnded = false;

  constructor() {
    this.halted = this.#next();
  }

  #next(): Promise<typeof HALTED> {
    return new Promise((resolve) => {
      this.#halt = () => resolve(HALTED);
    });
  }

  arm(point: FaultPoint, what: Armed['what'], times = 1): void {
    this.#armed.push({ point, what, left: times });
  }

  disarm(): void {
    this.#armed = [];
  }

  get isStopped(): boolean {
    return this.#gate !== undefined;
  }

  /** As SIGSTOP: nothing that it began goes on. */
  stop(): void {
    this.#gate ??= new Promise((resolve) => {
      this.#open = resolve;
    });
    this.#halt();
  }

  /** As SIGCONT. */
  goOn(): void {
    if (this.isEnded) return;
    this.halted = this.#next();
    this.#gate = undefined;
    this.#open();
  }

  /** As kill -9. */
  end(): void {
    this.stop();
    this.isEnded = true;
  }

  async pass(): Promise<void> {
    while (this.#gate) await this.#gate;
  }

  #fires(point: FaultPoint): Armed | undefined {
    const armed = this.#armed.find((one) => one.point === point && one.left > 0);
    if (armed) armed.left--;
    return armed;
  }

  #act({ what, point }: Armed): void {
    if (what === 'stop') this.stop();
    else if (what === 'end') this.end();
    else throw Object.assign(new Error(`${CODES[what]}: a drill's fault at ${point}`), { code: CODES[what] });
  }

  /** What cannot wait is left by a throw: whoever called hears nothing of it, for the worker has stopped. */
  hit(point: FaultPoint): void {
    const fires = this.#fires(point);
    if (fires) this.#act(fires);
    if (this.#gate) throw new Error('a drill stopped it');
  }

  async reach(point: FaultPoint): Promise<void> {
    await this.pass();
    const fires = this.#fires(point);
    if (fires) this.#act(fires);
    await this.pass();
  }
}
