/** A ledger without a disk, for sessions in process. Forks share one array until one of them writes. */
import { TreadleError } from '../../errors.js';
import type { ServedEntry } from '../api.js';
import { type Ledger, type Run, served } from './ledger.js';

export const droppedLedger = (): TreadleError =>
  new TreadleError({
    code: 'ledger_dropped',
    message: 'The ledger was dropped and can no longer be read',
    fault: 'infrastructure',
    next: 'Fork it before the session that owns it is closed.',
  });

class MemoryLedger implements Ledger {
  #run: Run | undefined;
  #isShared: boolean;
  /** Made when first asked for, and grown by what was pushed since. */
  #served: ServedEntry[] = [];

  constructor(run: Run, isShared: boolean) {
    this.#run = run;
    this.#isShared = isShared;
  }

  get #held(): Run {
    if (!this.#run) throw droppedLedger();
    return this.#run;
  }

  get length(): number {
    return this.#run?.calls.length ?? 0;
  }

  push(entry: Parameters<Ledger['push']>[0], ms: number): void {
    if (!this.#run) return;
    if (this.#isShared) {
      this.#run = { calls: this.#run.calls.slice(), ms: this.#run.ms.slice() };
      this.#served = this.#served.slice();
      this.#isShared = false;
    }
    this.#run.calls.push(entry);
    this.#run.ms.push(ms);
  }

  at(index: number): ServedEntry | undefined {
    const { calls, ms } = this.#held;
    const call = calls[index];
    return call && served(call, ms[index] as number);
  }

  last(): ServedEntry | undefined {
    return this.at(this.length - 1);
  }

  /** The ledger's own array, which grows with it until it is forked. */
  entries(): ServedEntry[] {
    const { calls, ms } = this.#held;
    for (let i = this.#served.length; i < calls.length; i++) this.#served.push(served(calls[i]!, ms[i] as number));
    return this.#served;
  }

  /** The ledger's own array, which grows with it until it is forked. */
  calls(): readonly Run['calls'][number][] {
    return this.#held.calls;
  }

  fork(): Ledger {
    const run = this.#held;
    this.#isShared = true;
    return new MemoryLedger(run, true);
  }

  spill(): void {}

  drop(): void {
    this.#run = undefined;
    this.#served = [];
  }
}

/** An empty ledger that stays in memory. */
export const memoryLedger = (): Ledger => new MemoryLedger({ calls: [], ms: [] }, false);
