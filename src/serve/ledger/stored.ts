/** A session's hold on its ledger in a store. */
import type { LedgerEntry } from '../../artifacts/trace.js';
import type { ServedEntry } from '../api.js';
import type { Body } from './ages.js';
import { type Chunk, partWith, runOf } from './chunk.js';
import { type Ledger, type Run, served } from './ledger.js';
import { droppedLedger } from './memory.js';
import type { LedgerStore } from './store.js';

export class StoredLedger implements Ledger {
  readonly #store: LedgerStore;
  readonly #body: Body;

  constructor(store: LedgerStore, body: Body) {
    this.#store = store;
    this.#body = body;
  }

  get length(): number {
    return this.#body.length;
  }

  push(entry: LedgerEntry, ms: number): void {
    this.#store.pushTo(this.#body, entry, ms);
  }

  at(index: number): ServedEntry | undefined {
    const body = this.#live();
    if (!Number.isInteger(index) || index < 0 || index >= body.length) return undefined;
    if (index >= body.start) return take(body.tail, index - body.start);
    let chunk = body.head;
    while (chunk && chunk.start > index) chunk = chunk.parent;
    if (!chunk) return undefined;
    const part = partWith(this.#store.segments, chunk, index - chunk.start);
    return take(part.run, part.index);
  }

  last(): ServedEntry | undefined {
    return this.at(this.length - 1);
  }

  entries(): ServedEntry[] {
    const body = this.#live();
    const known = body.served?.deref();
    if (known && known.length === body.length) return known;
    const made: ServedEntry[] = [];
    for (const { calls, ms } of this.#runs()) {
      for (let i = 0; i < calls.length; i++) made.push(served(calls[i]!, ms[i] as number));
    }
    body.served = new WeakRef(made);
    return made;
  }

  calls(): readonly LedgerEntry[] {
    const runs = this.#runs();
    return runs.length === 1 ? runs[0]!.calls.slice() : runs.flatMap(({ calls }) => calls);
  }

  fork(): Ledger {
    return this.#store.forkBody(this.#body);
  }

  spill(): void {
    if (!this.#body.isDropped) this.#store.spillBody(this.#body);
  }

  drop(): void {
    this.#store.dropBody(this.#body);
  }

  #live(): Body {
    if (this.#body.isDropped) throw droppedLedger();
    return this.#body;
  }

  /** Eldest first. */
  #runs(): Run[] {
    const { head, tail } = this.#live();
    const runs: Run[] = tail ? [tail] : [];
    for (let chunk: Chunk | undefined = head; chunk; chunk = chunk.parent)
      runs.push(runOf(this.#store.segments, chunk));
    return runs.reverse();
  }
}

const take = (run: Run | undefined, index: number): ServedEntry | undefined => {
  const call = run?.calls[index];
  return call && served(call, run.ms[index] as number);
};
