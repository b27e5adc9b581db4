/** The seam between sessions and whoever keeps them beyond the life of their process (`serve/durable`). */
import type { KeepingFigures } from '../../api.js';
import type { CallOutcome } from '../../tool-host.js';
import type { Session } from '../session.js';
import type { LiveSession } from './live-session.js';
import type { Known } from './operations.js';
import type { Maybe } from './turns.js';

/** A call that ran, as its session's ledger has it now. */
export interface KeptCall {
  outcome: CallOutcome;
  /** The name that a repeated call is known by. */
  operation?: [string, Known] | undefined;
}

export interface Parent {
  live: LiveSession;
  session: Session;
}

/** Told of every state-changing request in the session's turn, before it is acknowledged. */
export interface Keeping {
  /** Throws why nothing can be kept now (`disk_full`, `log_full`, `log_failed`); asked before anything runs. */
  ready(): void;
  /** A session that is new here. `parent`: of which it is a fork, in whose turn this is. */
  opened(live: LiveSession, session: Session, parent?: Parent): void;
  /** Settles when the call may be acknowledged. Throws `not_kept`: it ran, and the next request keeps it or says so. */
  called(live: LiveSession, session: Session, call: KeptCall): Maybe<void>;
  /** A request is about to be answered again, perhaps one that could not be kept when it ran. Settles and throws as `called`. */
  repeated(live: LiveSession, session: Session | undefined): Maybe<void>;
  /** Anything but a call, once it is done. `session` is absent where it rests. */
  changed(live: LiveSession, session: Session | undefined): Maybe<void>;
  /** It rests now: a good moment, for its pages are packed anyway. */
  rested(live: LiveSession): void;
  /** It is in use again, as it was when it came to rest. */
  woke(live: LiveSession, session: Session): void;
  /** It is forgotten: nothing of it is kept any longer. */
  forgotten(live: LiveSession): void;
  figures(): KeepingFigures;
  /** All is kept and let go of; sessions go on wherever they are taken up. */
  close(): Promise<void>;
}
