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
  /** Leaves memory. */
  rest(): void;
}

export type Heard = (entry: LedgerEntry, ms: number) => void;

export const servedBook = (ledger: Ledger, heard: Heard): ServedBook => ({
  get length() {
    return ledger.length;
  },
  push: (entry, ms) => {
    ledger.push(entry, ms);
    heard(entry, ms);
  },
  entries: () => ledger.calls(),
  served: () => ledger.entries(),
  at: (index) => ledger.at(index),
  fork: () => servedBook(ledger.fork(), heard),
  forkFor: (other) => servedBook(ledger.fork(), other),
  rest: () => ledger.spill(),
  drop: () => ledger.drop(),
});
