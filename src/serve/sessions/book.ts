/** Where a session writes its calls down. In process a plain list; a server's session has one that spills to disk. */
import type { LedgerEntry } from '../../artifacts/trace.js';

export interface Book {
  readonly length: number;
  /** `ms`: wall-clock milliseconds the call took; only servers keep it. */
  push(entry: LedgerEntry, ms: number): void;
  entries(): readonly LedgerEntry[];
  /** Another book with the same entries so far. */
  fork(): Book;
  drop(): void;
}

export const plainBook = (kept: readonly LedgerEntry[] = []): Book => {
  const list = kept.slice();
  return {
    get length() {
      return list.length;
    },
    push: (entry) => {
      list.push(entry);
    },
    entries: () => list,
    fork: () => plainBook(list),
    drop: () => {},
  };
};
