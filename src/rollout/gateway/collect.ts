/** Puts the events of a streamed chat completion together to the reply that it is. */
import type { ChatReply } from '../../models/types.js';
import { fromWire } from '../../models/wire.js';
import type { Chunk } from './asked.js';

interface Call {
  id: string;
  function: { name: string; arguments: string };
}

export interface Collected {
  add(chunk: Chunk): void;
  /** Whether the model said that it is done: a stream that ends before was cut. */
  isWhole(): boolean;
  reply(): ChatReply;
}

export const collect = (): Collected => {
  let content = '';
  let reasoning = '';
  const calls = new Map<number, Call>();
  let finish: string | null = null;
  let usage: Chunk['usage'];
  let prompt: number[] | undefined;
  const output: number[] = [];
  const logprobs: { logprob?: number | null }[] = [];
  const addCalls = (parts: NonNullable<NonNullable<Chunk['choices']>[number]['delta']>['tool_calls']): void => {
    for (const part of parts ?? []) {
      // Some servers leave the index out: a new id begins a new call, no id goes on with the last.
      const index = part.index ?? (part.id ? calls.size : Math.max(0, calls.size - 1));
      const call = calls.get(index) ?? { id: '', function: { name: '', arguments: '' } };
      if (part.id) call.id = part.id;
      call.function.name += part.function?.name ?? '';
      call.function.arguments += part.function?.arguments ?? '';
      calls.set(index, call);
    }
  };
  return {
    add: (chunk) => {
      if (chunk.usage) usage = chunk.usage;
      if (chunk.prompt_token_ids) prompt = chunk.prompt_token_ids;
      const choice = chunk.choices?.[0];
      if (!choice) return;
      content += choice.delta?.content ?? '';
      reasoning += choice.delta?.reasoning_content ?? choice.delta?.reasoning ?? '';
      addCalls(choice.delta?.tool_calls);
      if (choice.finish_reason) finish = choice.finish_reason;
      for (const id of choice.token_ids ?? []) output.push(id);
      for (const each of choice.logprobs?.content ?? []) logprobs.push(each);
    },
    isWhole: () => finish !== null,
    reply: () =>
      fromWire({
        choices: [
          {
            message: {
              content,
              ...(reasoning ? { reasoning_content: reasoning } : {}),
              tool_calls: [...calls].sort(([a], [b]) => a - b).map(([, call]) => call),
            },
            finish_reason: finish,
            ...(prompt ? { token_ids: output, logprobs: { content: logprobs } } : {}),
          },
        ],
        ...(prompt ? { prompt_token_ids: prompt } : {}),
        ...(usage ? { usage } : {}),
      }),
  };
};
