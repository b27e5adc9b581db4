/** What a harness asked, whatever dialect it speaks, and what it is answered: both in the OpenAI chat form. */
import type { ServerResponse } from 'node:http';
import { TreadleError } from '../../errors.js';
import type { ChatMessage, ChatReply, ChatTool } from '../../models/types.js';

export type Dialect = 'openai' | 'anthropic';

export interface Asked {
  dialect: Dialect;
  /** As OpenAI chat completion; model and sampling of the backend are still to be laid over it. */
  body: Record<string, unknown>;
  messages: ChatMessage[];
  tools: ChatTool[];
  isStream: boolean;
}

/** One event of a streamed chat completion. */
export interface Chunk {
  choices?: {
    index?: number;
    delta?: {
      content?: string | null;
      reasoning_content?: string | null;
      reasoning?: string | null;
      tool_calls?: {
        index?: number;
        id?: string | null;
        function?: { name?: string | null; arguments?: string | null };
      }[];
    };
    finish_reason?: string | null;
    token_ids?: number[] | null;
    logprobs?: { content?: { logprob?: number | null }[] | null } | null;
  }[];
  usage?: { prompt_tokens?: number | null; completion_tokens?: number | null } | null;
  prompt_token_ids?: number[] | null;
}

export interface Answer {
  reply: ChatReply;
  /** The backend's own chat completion, where it gave one. */
  text?: string;
}

/** Says an answer, or a failure, in the form that was asked for. */
export interface Writer {
  /** The next event of a stream; false when the client reads more slowly than we write. */
  chunk(chunk: Chunk, text: string): boolean;
  /** Something to show that the answer is still being written. */
  waiting(): void;
  done(answer: Answer): void;
  fail(error: TreadleError): void;
  /** Whether the client has been sent anything yet. */
  hasBegun(): boolean;
}

export const badRequest = (message: string, value: unknown, next: string): TreadleError =>
  new TreadleError({ code: 'bad_request', message, value, next, fault: 'agent' });

/** Neither client package tries again what carries this. */
export const NO_RETRY = { 'x-should-retry': 'false' };

export const sendJson = (response: ServerResponse, status: number, text: string, extra: object = {}): void => {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...extra,
  });
  response.end(text);
};

/** Begins an event stream; what follows is written with `response.write`. */
export const beginStream = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
};
