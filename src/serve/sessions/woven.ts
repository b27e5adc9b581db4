/**
 * What is woven into a session's calls beside the world's own tools: injected faults, and later events (dynamics.md). Its state is
 * the session's: it forks with it, is kept in its snapshots and rests in its parcel.
 */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { LedgerEntry } from '../../artifacts/trace.js';
import type { Json } from '../../kit/hash.js';
import type { SessionTool } from '../tool-host.js';
import type { Answered } from './entry.js';
import type { Session } from './session.js';

export interface WovenCall {
  spec: ServiceSpec;
  /** As the agent calls it. */
  tool: string;
  args: unknown;
  /** No step of it writes. */
  isRead: boolean;
  /** Calls of the session before it. */
  index: number;
}

/** An answer of something woven in; `seconds`: virtual time it takes, where that is not the tool's own. */
export interface WovenAnswer extends Answered {
  seconds?: number;
}

export interface Woven {
  /** In place of the tool; undefined: the tool runs. */
  instead(call: WovenCall): WovenAnswer | undefined;
  /** What the agent sees of what the tool answered; the same object where nothing is changed. */
  after(call: WovenCall, answered: Answered): Answered;
  /** Tools that it adds to the session's. */
  readonly tools?: readonly SessionTool[];
  /** Answers a call of one of them. */
  perform?(tool: string, args: unknown, session: Session): WovenAnswer;
  /** After every call, once it is in the ledger and time has passed: the world outside acts. */
  settle?(entry: LedgerEntry, session: Session): void;
  fork(): Woven;
  /** As it was when the session was opened. */
  renewed(): Woven;
  /** Its state, for a parcel; `loaded` makes the same of it again. */
  save(): Json;
  loaded(saved: Json): Woven;
}
