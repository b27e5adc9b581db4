/**
 * What is woven into a session's calls beside the world's own tools: injected faults, and later events (dynamics.md). Its state is
 * the session's: it forks with it, is kept in its snapshots and rests in its parcel.
 */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Json } from '../../kit/hash.js';
import type { Answered } from './entry.js';

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
  fork(): Woven;
  /** As it was when the session was opened. */
  renewed(): Woven;
  /** Its state, for a parcel; `loaded` makes the same of it again. */
  save(): Json;
  loaded(saved: Json): Woven;
}
