/** For `datasets` older than 4.7: what differs from row to row is JSON text, `tools` as a whole and the arguments of calls. */
import type { Json } from '../../kit/hash.js';
import type { RowMessage } from '../sft/row.js';
import { type ColumnType, hasJson, PLAIN_MESSAGES } from './columns.js';
import type { Line, Shape } from './shape.js';

const MESSAGE_COLUMNS = ['messages', 'prompt', 'completion'] as const;

const asText = (messages: readonly RowMessage[]): Json =>
  messages.map(({ tool_calls, ...message }) => ({
    ...message,
    ...(tool_calls
      ? {
          tool_calls: tool_calls.map((call) => ({
            ...call,
            function: {
              ...call.function,
              arguments:
                typeof call.function.arguments === 'string'
                  ? call.function.arguments
                  : JSON.stringify(call.function.arguments),
            },
          })),
        }
      : {}),
  })) as unknown as Json;

/** The same shape with no column whose type changes; a shape that has none is given back as it is. */
export const withTextColumns = (shape: Shape): Shape => {
  const { columns } = shape;
  if (!Object.values(columns).some(hasJson)) return shape;
  const mine = MESSAGE_COLUMNS.filter((name) => columns[name] !== undefined);
  const typeOf = (name: string, type: ColumnType): ColumnType => {
    if (name === 'tools') return 'string';
    return (mine as readonly string[]).includes(name) ? PLAIN_MESSAGES : type;
  };
  return {
    ...shape,
    describes: `${shape.describes} \`tools\` and the arguments of calls are JSON texts, for \`datasets\` older than 4.7 (TRL reads such \`tools\`; arguments as texts suit some chat templates only).`,
    columns: Object.fromEntries(Object.entries(columns).map(([name, type]) => [name, typeOf(name, type)])),
    lines: (source) => {
      const made = shape.lines(source);
      if ('refused' in made) return made;
      return {
        lines: made.lines.map(
          (line): Line => ({
            ...line,
            ...Object.fromEntries(mine.map((name) => [name, asText(line[name] as unknown as RowMessage[])])),
            ...('tools' in line ? { tools: JSON.stringify(line.tools) } : {}),
          }),
        ),
      };
    },
  };
};
