/** The canonical row as it is: arguments as objects, the shape TRL and Hugging Face chat templates take. */
import type { Json } from '../../kit/hash.js';
import type { RowMessage, RowTool } from '../sft/row.js';
import { MESSAGES, METADATA, TOOLS } from './columns.js';
import type { RowFormat } from './format.js';

/** What a model wrote for broken arguments has no place among objects: such a call shows none. */
export const plain = ({ tool_calls, ...message }: RowMessage): RowMessage => ({
  ...message,
  ...(tool_calls ? { tool_calls: tool_calls.map(({ malformed: _, ...call }) => call) } : {}),
});

export const treadle: RowFormat = {
  id: 'treadle',
  describes:
    '`messages` with `tool_calls` whose arguments are objects, and `tools` as JSON Schema functions: TRL and Hugging Face chat templates read it as it is. Loads with `datasets` 4.7 or newer; for older ones take `--tools text`, or a format whose arguments are text.',
  columns: { messages: MESSAGES, tools: TOOLS, metadata: METADATA },
  write: ({ messages, tools, metadata }) =>
    ({ messages: messages.map(plain), tools, metadata }) as unknown as Record<string, Json>,
  read: (line) => ({
    turns: (line.messages as unknown as RowMessage[]).map(({ role, content, tool_calls }) => ({
      role,
      text: content,
      calls: (tool_calls ?? []).map((call) => ({ name: call.function.name, arguments: call.function.arguments })),
    })),
    tools: (line.tools as unknown as RowTool[]).map((tool) => tool.function.name),
  }),
};
