/** What checks may look at: the states before and after, the calls, the answer, the files. Nothing an agent says of itself. */
import type { LedgerEntry } from '../artifacts/trace.js';
import type { LoadedWorld } from '../world/loaded.js';
import { diffStates } from '../world/state/diff.js';
import type { State } from '../world/state/state.js';
import type { RowChange } from '../world/state/types.js';
import type { Workspace } from '../world/workspace/workspace.js';
import type { Judgement } from './answer.js';

export interface Evidence {
  world: LoadedWorld;
  /** Virtual time at the end, unix seconds. */
  clock: number;
  after: (service: string) => State;
  ledger: readonly LedgerEntry[];
  /** The final message, or the submitted answer. */
  answer: string;
  /** Replies at the ends of a composed task's stages, by node, where a user asked for one stage after the other. */
  answers?: Readonly<Record<string, string>>;
  files: Workspace;
  /** Row changes since the initial state, per service. */
  changes: Readonly<Record<string, readonly RowChange[]>>;
  /** Answers to the same task that were judged before: the answer alone decides, and many attempts give the same one. */
  judged?: Map<string, Judgement>;
}

/** What `gather` needs of a session; Session fits. */
export interface Observed {
  world: LoadedWorld;
  clock: number;
  ledger: readonly LedgerEntry[];
  workspace: Workspace;
  /** To be read only. */
  view(service: string): State;
  diff(): Record<string, RowChange[]>;
}

/** The evidence a finished session leaves. */
export const gather = (session: Observed, answer: string): Evidence => ({
  world: session.world,
  clock: session.clock,
  after: (service) => session.view(service),
  ledger: session.ledger,
  answer,
  files: session.workspace,
  changes: session.diff(),
});

/** The changes between two states of one service, for callers without a session. */
export const changesBetween = (keys: Record<string, string>, before: State, after: State): RowChange[] =>
  diffStates(before, after, keys);
