/** What a model is to Treadle: messages and tools in, one assistant turn out (rollout.md). */
import type { Message } from '../artifacts/trace.js';
import type { Json } from '../kit/hash.js';

/** A tool as a model is told of it; `parameters` is JSON Schema. */
export interface ChatTool {
  name: string;
  description: string;
  parameters: object;
}

/** A tool call as the model wrote it: `arguments` is its own text, JSON or not. */
export interface RawCall {
  id: string;
  name: string;
  arguments: string;
}

/** An assistant or tool message of the history; calls keep the model's own spelling of their arguments. */
export interface ChatMessage extends Omit<Message, 'toolCalls'> {
  calls?: RawCall[];
}

/** Sampling settings in the endpoint's own names (`temperature`, `top_p`, `max_tokens`, `seed` ...). */
export type Sampling = Record<string, Json>;

export interface ChatRequest {
  messages: ChatMessage[];
  tools: ChatTool[];
  sampling?: Sampling;
}

/** Exact tokens, where the endpoint gives them: the prompt as it saw it, its own output, a log probability for each of those. */
export interface ChatTokens {
  prompt: number[];
  output: number[];
  logprobs?: number[];
  /** Version of the weights, where the endpoint tells it: a policy may be updated in the middle of a rollout. */
  weights?: string;
}

export interface ChatReply {
  content: string;
  reasoning?: string;
  calls: RawCall[];
  /** `length`: the turn was cut by a token limit. */
  finish: 'stop' | 'tool_calls' | 'length' | 'other';
  usage?: { promptTokens: number; completionTokens: number };
  tokens?: ChatTokens;
}

export interface ModelClient {
  /** The model's name, for producers and cassettes. */
  readonly model: string;
  /**
   * One assistant turn. Throws TreadleError with fault `infrastructure`: `endpoint_down`, `endpoint_timeout`, `endpoint_busy`,
   * `endpoint_rejected`, `context_exceeded`, `bad_response`. Badly written tool arguments are no error: they come back as they are.
   */
  chat(request: ChatRequest, signal?: AbortSignal): Promise<ChatReply>;
}
