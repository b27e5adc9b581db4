/** Answers in the form of Anthropic's messages, whole or as its named events. */
import type { ServerResponse } from 'node:http';
import { readArguments } from '../../models/arguments.js';
import type { ChatReply, RawCall } from '../../models/types.js';
import { type Asked, beginStream, type Chunk, NO_RETRY, sendJson, type Writer } from './asked.js';
import { errorBody, statusOf } from './failures.js';
import { MALFORMED } from './read-anthropic.js';

const STOP = { stop: 'end_turn', tool_calls: 'tool_use', length: 'max_tokens', other: 'end_turn' } as const;

const stopOf = (reply: ChatReply) =>
  reply.calls.length > 0 && reply.finish !== 'length'
    ? 'tool_use'
    : reply.finish === 'tool_calls'
      ? 'end_turn'
      : STOP[reply.finish];

const inputOf = (call: RawCall): object => {
  const read = readArguments(call.arguments);
  return read.ok ? read.args : { [MALFORMED]: call.arguments };
};

const usageOf = ({ usage }: ChatReply) => ({
  input_tokens: usage?.promptTokens ?? 0,
  output_tokens: usage?.completionTokens ?? 0,
});

const head = (id: string, model: string) => ({ id, type: 'message', role: 'assistant', model });

const messageOf = (reply: ChatReply, id: string, model: string): object => ({
  ...head(id, model),
  content: [
    ...(reply.reasoning ? [{ type: 'thinking', thinking: reply.reasoning, signature: '' }] : []),
    ...(reply.content !== '' ? [{ type: 'text', text: reply.content }] : []),
    ...reply.calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: inputOf(call) })),
  ],
  stop_reason: stopOf(reply),
  stop_sequence: null,
  usage: usageOf(reply),
});

/** Writes blocks as they come; calls wait for the end, since only whole arguments tell whether they are an object. */
const blockWriter = (send: (event: object) => boolean) => {
  let index = -1;
  let open: 'text' | 'thinking' | undefined;
  const stop = (): void => {
    if (open === 'thinking')
      send({ type: 'content_block_delta', index, delta: { type: 'signature_delta', signature: '' } });
    if (open) send({ type: 'content_block_stop', index });
    open = undefined;
  };
  const start = (block: object): void => {
    index++;
    send({ type: 'content_block_start', index, content_block: block });
  };
  return {
    stop,
    text: (kind: 'text' | 'thinking', part: string): boolean => {
      if (open !== kind) {
        stop();
        start(kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: '' });
        open = kind;
      }
      const delta = kind === 'text' ? { type: 'text_delta', text: part } : { type: 'thinking_delta', thinking: part };
      return send({ type: 'content_block_delta', index, delta });
    },
    call: (call: RawCall): void => {
      stop();
      start({ type: 'tool_use', id: call.id, name: call.name, input: {} });
      const delta = { type: 'input_json_delta', partial_json: JSON.stringify(inputOf(call)) };
      send({ type: 'content_block_delta', index, delta });
      send({ type: 'content_block_stop', index });
    },
  };
};

export const anthropicWriter = (asked: Asked, response: ServerResponse, id: string, model: string): Writer => {
  const send = (event: object): boolean =>
    response.write(`event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`);
  const blocks = blockWriter(send);
  const begin = (): void => {
    if (response.headersSent) return;
    beginStream(response);
    const usage = { input_tokens: 0, output_tokens: 0 };
    const message = { ...head(id, model), content: [], stop_reason: null, stop_sequence: null, usage };
    send({ type: 'message_start', message });
  };
  return {
    hasBegun: () => response.headersSent,
    chunk: ({ choices }: Chunk) => {
      begin();
      const delta = choices?.[0]?.delta;
      const reasoning = delta?.reasoning_content ?? delta?.reasoning;
      let isFlowing = true;
      if (reasoning) isFlowing = blocks.text('thinking', reasoning);
      if (delta?.content) isFlowing = blocks.text('text', delta.content);
      return isFlowing;
    },
    waiting: () => {
      begin();
      send({ type: 'ping' });
    },
    done: ({ reply }) => {
      if (!asked.isStream) {
        sendJson(response, 200, JSON.stringify(messageOf(reply, id, model)));
        return;
      }
      begin();
      for (const call of reply.calls) blocks.call(call);
      blocks.stop();
      send({
        type: 'message_delta',
        delta: { stop_reason: stopOf(reply), stop_sequence: null },
        usage: usageOf(reply),
      });
      send({ type: 'message_stop' });
      response.end();
    },
    fail: (error) => {
      const body = errorBody(error, 'anthropic');
      if (!response.headersSent) sendJson(response, statusOf(error), JSON.stringify(body), NO_RETRY);
      else {
        send(body);
        response.end();
      }
    },
  };
};
