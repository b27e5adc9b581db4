/** Reads of a service's initial state that the validators share: one session for all of them, so that its pages stay warm. */
import type { Session } from '../serve/sessions/session.js';
import type { CallOutcome } from '../serve/tool-host.js';
import type { CallArgs } from './arguments.js';

export interface Reader {
  /** Calls a tool on the initial state and keeps the answer for whoever asks the same next. */
  keep(name: string, args: CallArgs | undefined): CallOutcome;
  /** The answer that was kept, else that of a call on the initial state. */
  ask(name: string, args: CallArgs | undefined): CallOutcome;
  /** Whether a call of the tool changed the state. The calls after it found the initial state again. */
  hasChanged(name: string): boolean;
  /** Gives the pages back; the next call opens another session. */
  close(): void;
}

/** `open` gives sessions on the initial state; `service` is the one whose tools are called. */
export const readerOf = (open: () => Session, service: string): Reader => {
  const kept = new Map<string, CallOutcome>();
  const changers = new Set<string>();
  let session: Session | undefined;
  const close = (): void => {
    session?.drop();
    session = undefined;
  };
  const call = (name: string, args: CallArgs | undefined): CallOutcome => {
    session ??= open();
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
    ask: (name, args) => kept.get(key(name, args)) ?? call(name, args),
    hasChanged: (name) => changers.has(name),
    close,
  };
};
