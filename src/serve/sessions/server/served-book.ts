/** A server session's book: a ledger that spills to disk, each entry heard by the statistics as it is written. */
import type { LedgerEntry } from '../../../artifacts/trace.js';
import type { ServedEntry } from '../../api.js';
import type { Ledger } from '../../ledger/ledger.js';
import type { Book } from '../book.js';

export interface ServedBook extends Book {
  /** With wall-clock times. */
  served(): readonly ServedEntry[];
  at(index: number): ServedEntry | undefined;
  fork(): ServedBook;
  /** The same entries, whose further calls are told to somebody else. */
  forkFor(heard: Heard): ServedBook;
  /** Entries that another process wrote and its statistics heard: nobody is told. */
  refill(entries: readonly ServedEntry[]): void;
  /** Leaves memory. */
  rest(): void;
}

export type Heard = (entry: LedgerEntry, ms: number) => void;

/** A class: a literal with a getter would have a shape of its own, and there are thousands of books. */
class SpillingBook implements ServedBook {
  constructor(
    readonly ledger: Ledger,
    readonly heard: Heard,
  ) {}

  get length(): number {
    return this.ledger.length;
  }

  push(entry: LedgerEntry, ms: number): void {
    this.ledger.push(entry, ms);
    this.heard(entry, ms);
  }

  entries(): readonly LedgerEntry[] {
    return this.ledger.calls();
  }

  served(): readonly ServedEntry[] {
    return this.ledger.entries();
  }

  at(index: number): ServedEntry | undefined {
    return this.ledger.at(index);
  }

  fork(): ServedBook {
    return servedBook(this.ledger.fork(), this.heard);
  }

  forkFor(heard: Heard): ServedBook {
    return servedBook(this.ledger.fork(), heard);
  }

  refill(entries: readonly ServedEntry[]): void {
    for (const { ms, ...entry } of entries) this.ledger.push(entry, ms);
  }

  rest(): void {
    this.ledger.spill();
  }

  drop(): void {
    this.ledger.drop();
  }
}

export const servedBook = (ledger: Ledger, heard: Heard): ServedBook => new SpillingBook(ledger, heard);
