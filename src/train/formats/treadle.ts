/** The canonical row as it is: arguments as objects, the shape TRL and Hugging Face chat templates take. */
import type { Json } from '../../kit/hash.js';
import type { RowMessage, RowTool } from '../sft/row.js';
import type { RowFormat } from './format.js';

export const treadle: RowFormat = {
  id: 'treadle',
  describes:
    '`messages` with `tool_calls` whose arguments are objects, and `tools` as JSON Schema functions: TRL and Hugging Face chat templates read it as it is. Loads with `datasets` 4.7 or newer; for older ones take a format whose arguments are text.',
  write: (row) => row as unknown as Record<string, Json>,
  read: (line) => ({
    turns: (line.messages as unknown as RowMessage[]).map(({ role, content, tool_calls }) => ({
      role,
      text: content,
      calls: (tool_calls ?? []).map((call) => ({ name: call.function.name, arguments: call.function.arguments })),
    })),
    tools: (line.tools as unknown as RowTool[]).map((tool) => tool.function.name),
  }),
};
