/** Answers in the form of OpenAI's responses, whole or as their named events. */
import type { ServerResponse } from 'node:http';
import { wallSeconds } from '../../kit/clock.js';
import type { ChatReply } from '../../models/types.js';
import { type Asked, beginStream, NO_RETRY, sendJson, type Writer } from './asked.js';
import { errorBody, statusOf } from './failures.js';

interface Item {
  type: string;
  id: string;
  [field: string]: unknown;
}

const textPart = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });
const reasoningItem = (id: string, text: string): Item => ({
  type: 'reasoning',
  id: `rs_${id}`,
  summary: [],
  content: [{ type: 'reasoning_text', text }],
});
const messageItem = (id: string, text?: string): Item => ({
  type: 'message',
  id: `msg_${id}`,
  role: 'assistant',
  status: text === undefined ? 'in_progress' : 'completed',
  content: text === undefined ? [] : [textPart(text)],
});
const callItems = (id: string, { calls }: ChatReply): Item[] =>
  calls.map(({ id: call_id, name, arguments: args }, n) => ({
    type: 'function_call',
    id: `fc_${id}_${n}`,
    call_id,
    name,
    arguments: args,
    status: 'completed',
  }));

const itemsOf = (id: string, reply: ChatReply): Item[] => [
  ...(reply.reasoning ? [reasoningItem(id, reply.reasoning)] : []),
  ...(reply.content !== '' || reply.calls.length === 0 ? [messageItem(id, reply.content)] : []),
  ...callItems(id, reply),
];

const usageOf = ({ usage }: ChatReply) =>
  usage && {
    input_tokens: usage.promptTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: usage.completionTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.promptTokens + usage.completionTokens,
  };

const responseOf = (id: string, model: string, status: string, more: object = {}): object => ({
  id: `resp_${id}`,
  object: 'response',
  created_at: wallSeconds(),
  status,
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model,
  output: [],
  parallel_tool_calls: true,
  temperature: null,
  tool_choice: 'auto',
  tools: [],
  top_p: null,
  ...more,
});

const finished = (id: string, model: string, reply: ChatReply): { status: string; response: object } => {
  const isCut = reply.finish === 'length';
  const status = isCut ? 'incomplete' : 'completed';
  const response = responseOf(id, model, status, {
    output: itemsOf(id, reply),
    usage: usageOf(reply),
    ...(isCut ? { incomplete_details: { reason: 'max_output_tokens' } } : {}),
  });
  return { status, response };
};

export const responsesWriter = (asked: Asked, response: ServerResponse, id: string, model: string): Writer => {
  let sequence_number = 0;
  const send = (type: string, event: object): boolean =>
    response.write(
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...event })}\n\n`,
    );
  const begin = (): void => {
    if (response.headersSent) return;
    beginStream(response);
    const started = responseOf(id, model, 'in_progress');
    send('response.created', { response: started });
    send('response.in_progress', { response: started });
  };
  let output_index = 0;
  let reasoning = '';
  let text: string | undefined;
  const whole = (item: Item): void => {
    send('response.output_item.added', { output_index, item });
    if (item.type === 'function_call') {
      const place = { item_id: item.id, output_index };
      send('response.function_call_arguments.delta', { ...place, delta: item.arguments });
      send('response.function_call_arguments.done', { ...place, name: item.name, arguments: item.arguments });
    }
    send('response.output_item.done', { output_index, item });
    output_index++;
  };
  /** Reasoning is said in one piece, before what follows it. */
  const endReasoning = (): void => {
    if (reasoning !== '') whole(reasoningItem(id, reasoning));
    reasoning = '';
  };
  const place = () => ({ item_id: `msg_${id}`, output_index, content_index: 0 });
  const beginText = (): void => {
    endReasoning();
    text = '';
    send('response.output_item.added', { output_index, item: messageItem(id) });
    send('response.content_part.added', { ...place(), part: textPart('') });
  };
  const endText = (): void => {
    if (text === undefined) return;
    send('response.output_text.done', { ...place(), text, logprobs: [] });
    send('response.content_part.done', { ...place(), part: textPart(text) });
    send('response.output_item.done', { output_index, item: messageItem(id, text) });
    output_index++;
  };
  return {
    hasBegun: () => response.headersSent,
    chunk: ({ choices }) => {
      begin();
      const delta = choices?.[0]?.delta;
      if (text === undefined) reasoning += delta?.reasoning_content ?? delta?.reasoning ?? '';
      if (!delta?.content) return !response.writableNeedDrain;
      if (text === undefined) beginText();
      text += delta.content;
      return send('response.output_text.delta', { ...place(), delta: delta.content, logprobs: [] });
    },
    waiting: () => {
      begin();
      response.write(': waiting\n\n');
    },
    done: ({ reply }) => {
      const { status, response: said } = finished(id, model, reply);
      if (!asked.isStream) {
        sendJson(response, 200, JSON.stringify(said));
        return;
      }
      begin();
      if (text === undefined && reply.calls.length === 0) beginText();
      endReasoning();
      endText();
      for (const item of callItems(id, reply)) whole(item);
      send(`response.${status}`, { response: said });
      response.end();
    },
    fail: (error) => {
      const body = errorBody(error, 'openai') as { error: { message: string; code: string } };
      if (!response.headersSent) {
        sendJson(response, statusOf(error), JSON.stringify(body), NO_RETRY);
        return;
      }
      const { message, code } = body.error;
      send('response.failed', { response: responseOf(id, model, 'failed', { error: { code, message } }) });
      response.end();
    },
  };
};
