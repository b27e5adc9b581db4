/** Whoever puts into words what a simulated user is to say: a model, or a script that makes mistakes. */
import type { Message } from '../../artifacts/trace.js';
import type { Known } from './known.js';
import type { Said, UserState } from './rules.js';

/** What is to be said next, as the rules have it. */
export interface Plan {
  known: Known;
  state: UserState;
  said: Said;
  /** Words that have to be in it. */
  must: readonly string[];
  /** What no user says, ids and answers: for scripts that give it away. No model is told. */
  secret: readonly string[];
  /** The conversation so far. */
  messages: readonly Message[];
}

export interface Speaker {
  /** For the trace. */
  name: string;
  by: 'model' | 'script';
  /** The same for the same plan. Throws what its endpoint throws. */
  say(plan: Plan, signal?: AbortSignal): Promise<string> | string;
}

/** With this somebody who speaks for himself ends the conversation. */
export const LEAVING = '[end]';
