/** A rollout under way: everything that one turn leaves for the next, so that it can be copied, dropped and gone on with. */
import type { Task } from '../artifacts/task.js';
import type { LedgerEntry, Message, Trace, TraceEvent } from '../artifacts/trace.js';
import { charge, costOf } from './budget.js';
import type { Limits } from './limits.js';
import type { Action } from './policy.js';
import { openingMessages, type Prompt, systemMessage } from './prompt.js';
import { type TokenTrack, tokenTrack } from './token-track.js';
import { type Conversation, conversationWith } from './users/conversation.js';
import type { SimulatedUser } from './users/user.js';

export interface Run {
  messages: Message[];
  ledger: LedgerEntry[];
  /** What was told of a scenario's events. */
  notices: TraceEvent[];
  turns: number;
  calls: number;
  promptTokens: number | undefined;
  completionTokens: number | undefined;
  /** What budgets have lost, counted or estimated. */
  spentTokens: number;
  spentCost: number;
  track: TokenTrack;
  conversation: Conversation | undefined;
}

/** Before the first turn; with a user, before the first request. */
export const beginRun = (task: Task, prompt: Prompt = {}, user?: SimulatedUser): Run => ({
  messages: user ? [systemMessage(task, prompt)] : openingMessages(task, prompt),
  ledger: [],
  notices: [],
  turns: 0,
  calls: 0,
  promptTokens: undefined,
  completionTokens: undefined,
  spentTokens: 0,
  spentCost: 0,
  track: tokenTrack(),
  conversation: user ? conversationWith(user) : undefined,
});

/** A run that stands where this one does: what either does from here on, the other never sees. */
export const forkRun = (run: Run): Run => ({
  ...run,
  messages: [...run.messages],
  ledger: [...run.ledger],
  notices: [...run.notices],
  track: run.track.fork(),
  conversation: run.conversation?.fork(),
});

/** Counts what a turn cost and keeps its tokens. */
export const countTurn = (run: Run, action: Action, limits: Limits): void => {
  const { usage, tokens } = action;
  run.turns++;
  charge(run, action, limits);
  run.track.add(tokens);
  if (!usage) return;
  run.promptTokens = (run.promptTokens ?? 0) + usage.promptTokens;
  run.completionTokens = (run.completionTokens ?? 0) + usage.completionTokens;
};

/** What a run has used so far, and its tokens, as a trace keeps them. */
export const spentOf = (run: Run, { prices }: Pick<Limits, 'prices'> = {}): Pick<Trace, 'usage' | 'tokens'> => {
  const tokens = run.track.tokens();
  const { promptTokens, completionTokens } = run;
  const cost =
    prices && promptTokens !== undefined
      ? costOf({ promptTokens, completionTokens: completionTokens ?? 0 }, prices)
      : undefined;
  return {
    usage: {
      turns: run.turns,
      calls: run.calls,
      ...(run.promptTokens === undefined ? {} : { promptTokens: run.promptTokens }),
      ...(run.completionTokens === undefined ? {} : { completionTokens: run.completionTokens }),
      ...(cost === undefined ? {} : { cost }),
    },
    ...(tokens ? { tokens } : {}),
  };
};
