/** Answers from a backend that takes ids and gives ids; clients see an ordinary chat completion. */
import type { Backend } from '../../models/backend.js';
import { type ExactKind, type TokenClient, tokenClient } from '../../models/exact/token-client.js';
import type { Retries } from '../../models/retry.js';
import type { ChatRequest, Sampling } from '../../models/types.js';
import type { Asked } from './asked.js';
import type { Answerer } from './relay.js';
import { chunksOf } from './write-openai.js';

/** Clients give up on a stream that stays silent; how often it is told that the answer is still being written. */
const WAITING_MS = 10_000;

const requestOf = ({ body, messages, tools }: Asked, backend: Backend): ChatRequest => ({
  messages,
  tools: body.tool_choice === 'none' ? [] : tools,
  sampling: { ...(body as Sampling), ...backend.sampling },
});

export interface ExactAnswerer {
  answer: Answerer;
  count(asked: Asked, signal: AbortSignal): Promise<number>;
}

/**
 * One of its own for each rollout: its memory is that of the rollout's conversations. The text is known only when the turn has
 * ended, since tool calls are read from the whole of it: a stream shows that it waits, then all of it.
 */
export const exactFrom = (
  backend: Backend & { kind: ExactKind },
  { most, backoffMs }: Retries,
  silenceMs: number,
): ExactAnswerer => {
  let onRetry = (): void => {};
  const client: TokenClient = tokenClient(backend, {
    retries: most,
    backoffMs,
    timeoutMs: silenceMs,
    onRetry: () => onRetry(),
  });
  return {
    count: async (asked, signal) => (await client.prompt(requestOf(asked, backend), signal)).length,
    answer: async (way) => {
      const { asked, writer, signal } = way;
      onRetry = way.onRetry;
      const waiting = asked.isStream ? setInterval(writer.waiting, WAITING_MS) : undefined;
      try {
        const reply = await client.chat(requestOf(asked, backend), signal);
        if (asked.isStream)
          for (const chunk of chunksOf(reply, 'chatcmpl-exact', backend.model))
            if (!writer.chunk(chunk, JSON.stringify(chunk))) await way.drained();
        return { reply };
      } finally {
        clearInterval(waiting);
      }
    },
  };
};
