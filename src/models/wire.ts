/** Our messages in the OpenAI chat form, and replies of any OpenAI-compatible endpoint back. */
import { z } from 'zod';
import { TreadleError } from '../errors.js';
import type { ChatMessage, ChatReply, ChatRequest, RawCall } from './types.js';

const wireCall = (call: RawCall) => ({
  id: call.id,
  type: 'function' as const,
  function: { name: call.name, arguments: call.arguments },
});

const wireMessage = (message: ChatMessage): object => {
  if (message.role === 'tool')
    return { role: 'tool', tool_call_id: message.toolCallId ?? '', content: message.content };
  if (message.role !== 'assistant') return { role: message.role, content: message.content };
  return {
    role: 'assistant',
    content: message.content,
    // vLLM, SGLang and DeepSeek read it back under this name; templates that have no use for it drop it.
    ...(message.reasoning === undefined ? {} : { reasoning_content: message.reasoning }),
    ...(message.calls?.length ? { tool_calls: message.calls.map(wireCall) } : {}),
  };
};

/** The body of a chat completion request. `tools` is left out when there are none, since endpoints refuse an empty list. */
export const toWire = (model: string, request: ChatRequest): Record<string, unknown> => ({
  ...request.sampling,
  model,
  messages: request.messages.map(wireMessage),
  ...(request.tools.length > 0
    ? {
        tools: request.tools.map(({ name, description, parameters }) => ({
          type: 'function',
          function: { name, description, parameters },
        })),
      }
    : {}),
});

const ids = z.array(z.number().int()).nullish();
const Call = z.object({
  id: z.string().nullish(),
  // Some servers hand the arguments over as an object already.
  function: z.object({
    name: z.string(),
    arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
  }),
});
const Part = z.object({ type: z.string(), text: z.string().optional() });
const Reply = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z.union([z.string(), z.array(Part)]).nullish(),
          reasoning_content: z.string().nullish(),
          reasoning: z.string().nullish(),
          tool_calls: z.array(Call).nullish(),
        }),
        finish_reason: z.string().nullish(),
        token_ids: ids,
        logprobs: z.object({ content: z.array(z.object({ logprob: z.number().nullish() })).nullish() }).nullish(),
      }),
    )
    .min(1),
  prompt_token_ids: ids,
  usage: z.object({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() }).nullish(),
});
type Reply = z.infer<typeof Reply>;

const FINISH: Record<string, ChatReply['finish']> = {
  stop: 'stop',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  length: 'length',
};

const textOf = (content: string | z.infer<typeof Part>[] | null | undefined): string =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');

const tokensOf = (reply: Reply): Pick<ChatReply, 'tokens'> => {
  const [choice] = reply.choices;
  if (!reply.prompt_token_ids || !choice?.token_ids) return {};
  const logprobs = choice.logprobs?.content?.map(({ logprob }) => logprob ?? Number.NaN);
  const isWhole = logprobs?.length === choice.token_ids.length && logprobs.every(Number.isFinite);
  return { tokens: { prompt: reply.prompt_token_ids, output: choice.token_ids, ...(isWhole ? { logprobs } : {}) } };
};

/** One assistant turn from a response body. Throws `bad_response` with the first thing that is wrong in it. */
export const fromWire = (body: unknown): ChatReply => {
  const parsed = Reply.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new TreadleError({
      code: 'bad_response',
      message: `The model endpoint answered with something that is no chat completion${issue?.path.length ? ` (at ${issue.path.join('.')}: ${issue.message})` : ''}`,
      value: body === undefined ? 'nothing' : body,
      next: 'Check that the base URL is that of an OpenAI-compatible API (it usually ends in /v1) and look at the server log.',
      fault: 'infrastructure',
      isRetryable: true,
    });
  }
  const reply = parsed.data;
  const choice = reply.choices[0] as Reply['choices'][number];
  const { message } = choice;
  const reasoning = message.reasoning_content ?? message.reasoning;
  const calls = (message.tool_calls ?? []).map((call, n): RawCall => {
    const given = call.function.arguments ?? '';
    return {
      id: call.id || `call_${n}`,
      name: call.function.name,
      arguments: typeof given === 'string' ? given : JSON.stringify(given),
    };
  });
  const { usage } = reply;
  return {
    content: textOf(message.content),
    ...(reasoning ? { reasoning } : {}),
    calls,
    finish: FINISH[choice.finish_reason ?? ''] ?? 'other',
    ...(usage?.prompt_tokens == null
      ? {}
      : { usage: { promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens ?? 0 } }),
    ...tokensOf(reply),
  };
};
