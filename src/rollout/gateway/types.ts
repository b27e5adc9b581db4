/**
 * The seam of the recording gateway (rollout.md, "The recording gateway"): a harness speaks to it instead of to its model. One
 * token a rollout tells whose request it is; everything said is recorded, and the rollout's budget is kept.
 */
import type { GatewayFacts, Message, Tokens } from '../../artifacts/trace.js';
import type { TreadleError } from '../../errors.js';
import type { Backend } from '../../models/backend.js';

export type { Backend };

/** Limits of one rollout; what is absent is not limited. */
export interface Budget {
  /** Answers of the model. */
  turns?: number;
  /** Prompt and completion tokens together, as the backend counts them. */
  tokens?: number;
  /** US dollars; needs the backend's prices. */
  cost?: number;
}

/** What was recorded of a rollout. */
export interface Recording {
  /** The main conversation: system, user, assistant and tool messages as the model saw and wrote them. */
  messages: Message[];
  /** Tools of its last request, as the harness named them. */
  tools: { name: string; description: string; inputSchema: object }[];
  usage: { turns: number; promptTokens?: number; completionTokens?: number; cost?: number };
  /** One sequence; absent where the backend gave none or history was rewritten. */
  tokens?: Tokens;
  facts: GatewayFacts;
  /** Why no more requests are answered: a budget (`turn_budget`, `token_budget`, `cost_budget`), or the backend's failure. */
  problem?: TreadleError;
}

export interface GatewayRollout {
  /** Taken as `Authorization: Bearer` and as `x-api-key`. */
  token: string;
  /** For OpenAI clients: ends in /v1. */
  openaiBaseUrl: string;
  /** For Anthropic clients: they add /v1/messages. */
  anthropicBaseUrl: string;
  /** Resolves when a budget ended or the backend failed for good: the harness may be stopped then. */
  spent: Promise<TreadleError>;
  /** Refuses further requests, ends those in flight, and gives what was recorded. */
  close(): Recording;
}

export interface Gateway {
  url: string;
  open(options: { backend: Backend; budget?: Budget; signal?: AbortSignal }): GatewayRollout;
  close(): Promise<void>;
}
