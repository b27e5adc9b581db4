/** Our own ReAct loop: a model with native tool calls, nothing between it and the tools. */
import type { Message } from '../../artifacts/trace.js';
import { readArguments } from '../../models/arguments.js';
import type { ChatMessage, ChatReply, ChatTool, ModelClient, Sampling } from '../../models/types.js';
import type { SessionTool } from '../../serve/tool-host.js';
import type { Action, Policy } from '../policy.js';

const chatMessage = ({ toolCalls, ...message }: Message): ChatMessage => ({
  ...message,
  ...(toolCalls
    ? {
        calls: toolCalls.map(({ id, name, arguments: args, malformed }) => ({
          id,
          name,
          arguments: malformed ?? JSON.stringify(args),
        })),
      }
    : {}),
});

export const chatTool = ({ name, description, inputSchema }: SessionTool): ChatTool => ({
  name,
  description,
  parameters: inputSchema,
});

const actionOf = (reply: ChatReply): Action => ({
  text: reply.content,
  ...(reply.reasoning === undefined ? {} : { reasoning: reply.reasoning }),
  calls: reply.calls.map((call) => ({ id: call.id, name: call.name, args: readArguments(call.arguments) })),
  ...(reply.finish === 'length' ? { isCut: true } : {}),
  isModel: true,
  ...(reply.usage ? { usage: reply.usage } : {}),
  ...(reply.tokens ? { tokens: reply.tokens } : {}),
});

/** What a message may have: as asked for, and no more than the rollout's budget has left. */
const within = (sampling: Sampling, left: number | undefined): Sampling => {
  if (left === undefined) return sampling;
  const name = 'max_completion_tokens' in sampling ? 'max_completion_tokens' : 'max_tokens';
  const asked = sampling[name];
  return { ...sampling, [name]: Math.max(1, typeof asked === 'number' ? Math.min(asked, left) : left) };
};

/** `sampling` is recorded in the producer and sent with every turn; `seed` becomes part of both where it is given. */
export const modelPolicy = (client: ModelClient, sampling: Sampling = {}, seed?: string): Policy => ({
  producer: {
    policy: 'model',
    name: client.model,
    ...(seed === undefined ? {} : { seed }),
    ...(Object.keys(sampling).length > 0 ? { sampling } : {}),
  },
  next: async (view) => {
    const request = {
      messages: view.messages.map(chatMessage),
      tools: view.tools.map(chatTool),
      sampling: within(sampling, view.tokensLeft),
    };
    return actionOf(await client.chat(request, view.signal));
  },
});
