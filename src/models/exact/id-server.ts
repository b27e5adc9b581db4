/** What a model server must do for exact tokens: render a prompt into ids, and go on from ids with ids. */
import type { Json } from '../../kit/hash.js';
import type { ChatMessage, ChatTool, Sampling } from '../types.js';

export interface Prompt {
  messages: readonly ChatMessage[];
  tools: readonly ChatTool[];
  /** Variables of the chat template (`enable_thinking` ...). */
  template?: Json;
}

export interface Generated {
  ids: number[];
  /** One for each id. */
  logprobs?: number[];
  /** Special tokens shown. */
  text: string;
  finish: 'stop' | 'length' | 'other';
  /** Version of the weights, where the server tells it. */
  weights?: string;
}

export interface IdServer {
  /** Ids of the prompt, up to where the model's turn begins. */
  render(prompt: Prompt, signal: AbortSignal): Promise<number[]>;
  generate(prompt: readonly number[], sampling: Sampling, signal: AbortSignal): Promise<Generated>;
  /** Text of ids, special tokens shown. */
  text(ids: readonly number[], signal: AbortSignal): Promise<string>;
}

/** Names that the servers share; all else in a request is about chats, not about sampling. */
const SHARED = ['temperature', 'top_p', 'top_k', 'min_p', 'stop', 'presence_penalty', 'frequency_penalty'] as const;

export const sharedSampling = (sampling: Sampling): Sampling =>
  Object.fromEntries(
    SHARED.flatMap((name) => (sampling[name] === undefined || sampling[name] === null ? [] : [[name, sampling[name]]])),
  );

/** The limit of one turn, whatever it is called. */
export const mostTokens = (sampling: Sampling): number | undefined => {
  const limit = sampling.max_completion_tokens ?? sampling.max_tokens;
  return typeof limit === 'number' ? limit : undefined;
};

const schemaIn = (format: Json | undefined): Json | undefined => {
  const { json_schema: held } = (format ?? {}) as { json_schema?: { schema?: Json } };
  return held?.schema;
};

/** The JSON Schema that an answer must fit, where one was asked for. */
export const answerSchema = (sampling: Sampling): Json | undefined => schemaIn(sampling.response_format);
