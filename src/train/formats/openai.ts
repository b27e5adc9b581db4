/** OpenAI's chat form: arguments as a JSON string, and so no column whose type changes from row to row. */
import type { Json } from '../../kit/hash.js';
import type { RowTool } from '../sft/row.js';
import { METADATA, PLAIN_MESSAGES, TOOLS } from './columns.js';
import type { RowFormat } from './format.js';

interface WireMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | null;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
}

export const openai: RowFormat = {
  id: 'openai',
  describes: '`messages` in the OpenAI chat form, tool arguments as JSON strings, and `tools`.',
  columns: { messages: PLAIN_MESSAGES, tools: TOOLS, metadata: METADATA },
  write: ({ messages, tools, metadata }) => {
    const wire = messages.map(({ tool_calls, ...message }) => ({
      ...message,
      ...(tool_calls
        ? {
            content: message.content || null,
            tool_calls: tool_calls.map(({ malformed, ...call }) => ({
              ...call,
              function: { ...call.function, arguments: malformed ?? JSON.stringify(call.function.arguments) },
            })),
          }
        : {}),
    }));
    return { messages: wire, tools, metadata } as unknown as Record<string, Json>;
  },
  read: (line) => ({
    turns: (line.messages as unknown as WireMessage[]).map(({ role, content, tool_calls }) => ({
      role,
      text: content ?? '',
      calls: (tool_calls ?? []).map((call) => ({
        name: call.function.name,
        arguments: JSON.parse(call.function.arguments) as Json,
      })),
    })),
    tools: (line.tools as unknown as RowTool[]).map((tool) => tool.function.name),
  }),
};
