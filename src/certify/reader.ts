/** Reads of a service's initial state that the validators share: one session for all of them, so that its pages stay warm. */
import type { Book } from '../serve/sessions/book.js';
import type { Session } from '../serve/sessions/session.js';
import type { CallOutcome } from '../serve/tool-host.js';
import type { CallArgs } from './arguments.js';

export interface Reader {
  /** Calls a tool on the initial state and keeps the answer for the next who asks the same. */
  keep(name: string, args: CallArgs | undefined): CallOutcome;
  /** The answer that was kept, else that of a call on the initial state. */
  ask(name: string, args: CallArgs | undefined): CallOutcome;
  /** Whether a call of the tool changed the state. The calls after it found the initial state again. */
  hasChanged(name: string): boolean;
  /** Gives the pages back; the next call opens another session. */
  close(): void;
}

/** Counts calls and forgets them: hundreds of long answers would be carried through every collection. */
const countingBook = (calls = 0): Book => {
  let length = calls;
  return {
    get length() {
      return length;
    },
    push: () => {
      length++;
    },
    entries: () => [],
    fork: () => countingBook(length),
    drop: () => {},
  };
};

/** `open` gives sessions on the initial state that write into a book; `service` is the one whose tools are called. */
export const readerOf = (open: (book: Book) => Session, service: string): Reader => {
  const kept = new Map<string, CallOutcome>();
  const changers = new Set<string>();
  let session: Session | undefined;
  const close = (): void => {
    session?.drop();
    session = undefined;
  };
  const call = (name: string, args: CallArgs | undefined): CallOutcome => {
    session ??= open(countingBook());
    const before = session.states.get(service)?.writeCounter ?? 0;
    const outcome = session.call(name, args);
    // Without a page written no row can be another.
    const isWritten = (session.states.get(service)?.writeCounter ?? 0) !== before;
    if (outcome.entry.touched.length > 0 || (isWritten && Object.keys(session.diff()).length > 0)) {
      changers.add(name);
      close();
    }
    return outcome;
  };
  const key = (name: string, args: CallArgs | undefined): string => `${name} ${JSON.stringify(args)}`;
  return {
    keep: (name, args) => {
      const outcome = call(name, args);
      kept.set(key(name, args), outcome);
      return outcome;
    },
    ask: (name, args) => {
      const known = kept.get(key(name, args));
      kept.delete(key(name, args));
      return known ?? call(name, args);
    },
    hasChanged: (name) => changers.has(name),
    close,
  };
};
