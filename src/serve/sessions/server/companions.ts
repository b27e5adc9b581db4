/** What a session has beside its world: instances of outside servers, and the agent's own folder and processes. */
import type { CallOutcome, SessionTool } from '../../tool-host.js';
import type { Session } from '../session.js';
import type { Maybe } from './turns.js';

export interface Companions {
  readonly isEmpty: boolean;
  readonly sandboxFolder: string | undefined;
  /** Servers whose state cannot be copied. */
  unforkable(): string[];
  tools(): SessionTool[];
  /** The outcome where `name` is a tool of an outside server; undefined for all others. */
  call(session: Session, name: string, args: unknown): Promise<CallOutcome> | undefined;
  /** Throws `not_forkable`, `processes_running`, `disk_full`; nothing is left behind then. */
  fork(folder: string): Maybe<Companions>;
  /** Copies what can be copied; the folder of the copies, undefined where there is nothing. */
  save(): Maybe<string | undefined>;
  load(copies: string | undefined): Maybe<void>;
  /** Removes the folder of copies. */
  discard(copies: string | undefined): Maybe<void>;
  /** As newly opened. */
  renew(): Maybe<void>;
  pause(): Maybe<void>;
  resume(): Maybe<void>;
  close(): Maybe<void>;
}

/** A session of declared services only, which is nearly every one: all of this costs it nothing. */
export const NO_COMPANIONS: Companions = {
  isEmpty: true,
  sandboxFolder: undefined,
  unforkable: () => [],
  tools: () => [],
  call: () => undefined,
  fork: () => NO_COMPANIONS,
  save: () => undefined,
  load: () => undefined,
  discard: () => undefined,
  renew: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
  close: () => undefined,
};
