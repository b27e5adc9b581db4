/** Answers in the form of OpenAI's chat completions, whole or streamed. */
import type { ServerResponse } from 'node:http';
import { wallSeconds } from '../../kit/clock.js';
import type { ChatReply } from '../../models/types.js';
import { type Asked, beginStream, type Chunk, NO_RETRY, sendJson, type Writer } from './asked.js';
import { errorBody, statusOf } from './failures.js';

const FINISH = { stop: 'stop', tool_calls: 'tool_calls', length: 'length', other: 'stop' } as const;

const usageOf = ({ usage }: ChatReply) =>
  usage && {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
  };

const callsOf = (reply: ChatReply) =>
  reply.calls.map(({ id, name, arguments: args }) => ({ id, type: 'function', function: { name, arguments: args } }));

const head = (id: string, model: string, object: string) => ({ id, object, created: wallSeconds(), model });

/** A chat completion of a reply that came in no such form. */
export const completionOf = (reply: ChatReply, id: string, model: string): object => ({
  ...head(id, model, 'chat.completion'),
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: reply.content === '' && reply.calls.length > 0 ? null : reply.content,
        ...(reply.reasoning === undefined ? {} : { reasoning_content: reply.reasoning }),
        ...(reply.calls.length > 0 ? { tool_calls: callsOf(reply) } : {}),
      },
      finish_reason: FINISH[reply.finish],
    },
  ],
  usage: usageOf(reply),
});

/** The events of a stream of such a reply, the one with its usage last. */
export const chunksOf = (reply: ChatReply, id: string, model: string): Chunk[] => {
  const start = head(id, model, 'chat.completion.chunk');
  const event = (delta: object, finish_reason: string | null = null): Chunk =>
    ({ ...start, choices: [{ index: 0, delta, finish_reason }] }) as Chunk;
  const usage = usageOf(reply);
  return [
    event({ role: 'assistant', content: '' }),
    ...(reply.reasoning ? [event({ reasoning_content: reply.reasoning })] : []),
    ...(reply.content ? [event({ content: reply.content })] : []),
    ...callsOf(reply).map((call, index) => event({ tool_calls: [{ index, ...call }] })),
    event({}, FINISH[reply.finish]),
    ...(usage ? [{ ...start, choices: [], usage }] : []),
  ];
};

const wantsUsage = ({ body }: Asked): boolean =>
  (body.stream_options as { include_usage?: unknown } | null | undefined)?.include_usage === true;

export const openaiWriter = (asked: Asked, response: ServerResponse, id: string, model: string): Writer => {
  const begin = (): void => {
    if (!response.headersSent) beginStream(response);
  };
  const isShown = ({ choices }: Chunk): boolean => wantsUsage(asked) || (choices?.length ?? 0) > 0;
  // Events that came in together go out together: a write for each would cost more than all else.
  let unsent = '';
  const taken = (): string => {
    const text = unsent;
    unsent = '';
    return text;
  };
  const flush = (): void => {
    if (unsent !== '' && !response.writableEnded) response.write(taken());
  };
  return {
    hasBegun: () => response.headersSent,
    chunk: (chunk, text) => {
      begin();
      if (isShown(chunk)) {
        if (unsent === '') process.nextTick(flush);
        unsent += `data: ${text}\n\n`;
      }
      return !response.writableNeedDrain;
    },
    waiting: () => {
      begin();
      response.write(': waiting\n\n');
    },
    done: ({ reply, text }) => {
      if (!asked.isStream) {
        sendJson(response, 200, text ?? JSON.stringify(completionOf(reply, id, model)));
        return;
      }
      begin();
      response.end(`${taken()}data: [DONE]\n\n`);
    },
    fail: (error) => {
      const body = JSON.stringify(errorBody(error, 'openai'));
      if (response.headersSent) response.end(`${taken()}data: ${body}\n\n`);
      else sendJson(response, statusOf(error), body, NO_RETRY);
    },
  };
};
