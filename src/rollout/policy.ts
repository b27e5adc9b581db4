/** A policy is anything that turns history into actions (rollout.md). */
import type { Task } from '../artifacts/task.js';
import type { Message, Producer } from '../artifacts/trace.js';
import type { Json } from '../kit/hash.js';
import type { ReadArguments } from '../models/arguments.js';
import type { ChatTokens } from '../models/types.js';
import type { SessionTool } from '../serve/tool-host.js';

/** What a policy may know of the task: nothing of its checks, its reference or its answer. */
export type TaskView = Pick<Task, 'id' | 'actor' | 'clock' | 'services'>;

export interface View {
  messages: readonly Message[];
  tools: readonly SessionTool[];
  task: TaskView;
  /** Assistant messages so far. */
  turn: number;
  /** With a simulated user: how many stages have ended. */
  stage?: number;
  /** Tokens that the rollout's budget still has; absent: no budget. */
  tokensLeft?: number;
  /** Fires when the rollout is called off or its time is up. */
  signal: AbortSignal;
}

export interface ProposedCall {
  /** The policy's own id for it; one is made up when it is absent or taken. */
  id?: string;
  name: string;
  args: ReadArguments;
}

/** One assistant message: text, tool calls, or both. Text without a call ends the rollout and is the answer. */
export interface Action {
  text: string;
  reasoning?: string;
  calls: ProposedCall[];
  /** A token limit cut the message. */
  isCut?: boolean;
  /** A model wrote it: where it counted no `usage`, budgets go by length. */
  isModel?: boolean;
  usage?: { promptTokens: number; completionTokens: number };
  tokens?: ChatTokens;
}

export interface Policy {
  producer: Producer;
  /** The next message. A throw ends the rollout with `finish: error`; TreadleErrors keep their code and fault. */
  next(view: View): Promise<Action> | Action;
}

/** A call with good arguments. */
export const proposed = (id: string, name: string, args: Record<string, Json>): ProposedCall => ({
  id,
  name,
  args: { ok: true, args },
});
