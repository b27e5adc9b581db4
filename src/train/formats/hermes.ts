/** Hermes and Qwen text: tools in the system message, calls as `<tool_call>` and results as `<tool_response>` inside plain messages. */
import type { Json } from '../../kit/hash.js';
import { canonicalJson } from '../../kit/hash.js';
import type { RowMessage, RowTool } from '../sft/row.js';
import { METADATA, TEXT_MESSAGES } from './columns.js';
import type { ReadTurn, RowFormat } from './format.js';
import { tagSafeJson, withoutThoughts, withThoughts } from './thoughts.js';

interface Rendered {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
}

const INTRODUCTION = 'You may call these functions, each described by one JSON line between the tags:';
const HOW =
  'A call is a JSON object with name and arguments between <tool_call> and </tool_call>; you may make several.';

const systemText = (messages: readonly RowMessage[], tools: readonly RowTool[]): string => {
  const own = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const described = ['<tools>', ...tools.map(tagSafeJson), '</tools>'].join('\n');
  return [...own, `${INTRODUCTION}\n${described}\n${HOW}`].join('\n\n');
};

const assistantText = ({ content, reasoning_content, tool_calls = [] }: RowMessage): string => {
  const calls = tool_calls.map(
    (call) =>
      `<tool_call>\n${tagSafeJson({ name: call.function.name, arguments: call.function.arguments })}\n</tool_call>`,
  );
  return withThoughts(reasoning_content, [content, ...calls].filter(Boolean).join('\n'));
};

const render = (message: RowMessage): Rendered => {
  if (message.role === 'assistant') return { role: 'assistant', content: assistantText(message) };
  if (message.role === 'tool')
    return { role: 'tool', content: `<tool_response>\n${message.content}\n</tool_response>` };
  return { role: message.role, content: message.content };
};

// The JSON between the tags holds no `<`: it was escaped.
const CALL = /\n?<tool_call>\n([^<]*)\n<\/tool_call>/g;

const readTurn = ({ role, content }: Rendered): ReadTurn => {
  if (role === 'tool')
    return { role, text: content.slice('<tool_response>\n'.length, -'\n</tool_response>'.length), calls: [] };
  if (role !== 'assistant') return { role, text: content, calls: [] };
  const said = withoutThoughts(content);
  return {
    role,
    text: said.replace(CALL, ''),
    calls: [...said.matchAll(CALL)].map((match) => JSON.parse(match[1] as string) as ReadTurn['calls'][number]),
  };
};

/** Whether a reader finds the same words and calls: a text that holds a whole call of its own is read as one. */
const sayable = (message: RowMessage): boolean => {
  const turn = readTurn(render(message));
  const meant = (message.tool_calls ?? []).map(({ function: { name, arguments: args } }) => ({
    name,
    arguments: args,
  }));
  return turn.text === message.content && canonicalJson(turn.calls) === canonicalJson(meant);
};

export const hermes: RowFormat = {
  id: 'hermes',
  describes:
    '`messages` as plain text: tools between `<tools>` in the system message, calls as `<tool_call>{json}</tool_call>`, results as `<tool_response>`.',
  columns: { messages: TEXT_MESSAGES, metadata: METADATA },
  write: ({ messages, tools, metadata }) => ({
    messages: [
      { role: 'system', content: systemText(messages, tools) },
      ...messages.filter(({ role }) => role !== 'system').map(render),
    ] as unknown as Json,
    metadata: metadata as unknown as Json,
  }),
  read: (line) => {
    const [system, ...rest] = line.messages as unknown as Rendered[];
    const listed = /<tools>\n([\s\S]*)\n<\/tools>/.exec(system?.content ?? '')?.[1] ?? '';
    const own = (system?.content ?? '').split(INTRODUCTION)[0]?.trimEnd() ?? '';
    const opening: ReadTurn[] = own ? [{ role: 'system', text: own, calls: [] }] : [];
    return {
      turns: [...opening, ...rest.map(readTurn)],
      tools: listed
        .split('\n')
        .filter(Boolean)
        .map((tool) => (JSON.parse(tool) as RowTool).function.name),
    };
  },
  cannotSay: ({ messages }) => !messages.filter(({ role }) => role === 'assistant').every(sayable),
};
