/**
 * TRL's prompt and completion, conversational: a line for each assistant turn, with everything before it as the prompt, so that
 * a trainer whose loss covers the completion trains on nothing but what the assistant wrote. A conversation of n turns becomes n
 * lines, and its first messages are in all of them.
 */
import type { Json } from '../../kit/hash.js';
import type { RowMessage } from '../sft/row.js';
import { MESSAGES, METADATA, TOOLS } from './columns.js';
import type { Line, Shape } from './shape.js';
import { plain } from './treadle.js';

export const promptCompletion: Shape = {
  id: 'prompt-completion',
  describes:
    '`prompt` and `completion` as messages, a line for each assistant turn, and `tools`: TRL’s conversational prompt-completion. `turn` counts the assistant turns of a rollout from 0.',
  columns: {
    prompt: MESSAGES,
    completion: MESSAGES,
    tools: TOOLS,
    turn: 'int64',
    metadata: METADATA,
  },
  lines: ({ row: { messages, tools, metadata } }) => {
    const said = messages.map(plain);
    let turn = 0;
    const lines = said.flatMap((message: RowMessage, at): Line[] => {
      // Nothing was asked yet, so there is no prompt: no trainer takes that.
      if (message.role !== 'assistant' || at === 0) return [];
      const n = turn++;
      // Of a failed rollout only what lies in the failed part is bad; what went before was kept, and is in a row of its own.
      if (!metadata.label && at < metadata.negative_from) return [];
      return [
        {
          prompt: said.slice(0, at) as unknown as Json,
          completion: [message] as unknown as Json,
          tools: tools as unknown as Json,
          turn: n,
          metadata: metadata as unknown as Json,
        },
      ];
    });
    return lines.length > 0 ? { lines } : { refused: 'no_conversation' };
  },
};
