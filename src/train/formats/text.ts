/**
 * The conversation as one text, in ChatML over Hermes' tags: for trainers that take `text` and tokenize it themselves. A message
 * that holds one of ChatML's own tags would forge a turn there, so such a rollout becomes no row. With a tokenizer named, its own
 * chat template writes the text instead (tokenizer/shapes.ts).
 */
import type { Json } from '../../kit/hash.js';
import { METADATA } from './columns.js';
import { hermes } from './hermes.js';
import type { Shape } from './shape.js';

const TAGS = ['<|im_start|>', '<|im_end|>', '<|endoftext|>'];

export const text: Shape = {
  id: 'text',
  describes:
    '`text`: the whole conversation in ChatML (`<|im_start|>role`, `<|im_end|>`), tools, calls and results in Hermes’ tags; tool results are in the `tool` role.',
  columns: { text: 'string', metadata: METADATA },
  lines: ({ row }) => {
    if (hermes.cannotSay?.(row)) return { refused: 'not_expressible' };
    const messages = hermes.write(row).messages as unknown as { role: string; content: string }[];
    if (messages.some(({ content }) => TAGS.some((tag) => content.includes(tag)))) return { refused: 'control_tokens' };
    return {
      lines: [
        {
          text: messages.map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`).join(''),
          metadata: row.metadata as unknown as Json,
        },
      ],
    };
  },
};
