/**
 * Qwen3.5's text: calls as `<function=name>` with one `<parameter=name>` each, values as plain text where they are texts and as
 * JSON otherwise. A reader tells the two apart by the tool's schema, so a row is written only where reading it gives the same
 * calls again: a value that holds the closing tag, say, cannot be said.
 */
import type { Json } from '../../kit/hash.js';
import { canonicalJson } from '../../kit/hash.js';
import type { RowMessage, RowTool, SftRow } from '../sft/row.js';
import { METADATA, TEXT_MESSAGES } from './columns.js';
import type { ReadTurn, RowFormat } from './format.js';
import { tagSafeJson, withoutThoughts, withThoughts } from './thoughts.js';

interface Rendered {
  role: RowMessage['role'];
  content: string;
}

const INTRODUCTION = 'These functions may be called; each line between the tags describes one in JSON:';
const HOW = [
  'A call has this shape; a turn may hold several, after whatever is said:',
  '<tool_call>',
  '<function=name_of_the_function>',
  '<parameter=name_of_a_parameter>',
  'its value, on as many lines as it takes',
  '</parameter>',
  '</function>',
  '</tool_call>',
].join('\n');

const systemText = ({ messages, tools }: Pick<SftRow, 'messages' | 'tools'>): string => {
  const own = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const described = ['<tools>', ...tools.map(tagSafeJson), '</tools>'].join('\n');
  return [...own, `${INTRODUCTION}\n${described}\n${HOW}`].join('\n\n');
};

const valueText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

const callText = ({ name, arguments: args }: { name: string; arguments: Record<string, Json> }): string =>
  [
    '<tool_call>',
    `<function=${name}>`,
    ...Object.entries(args).map(([key, value]) => `<parameter=${key}>\n${valueText(value)}\n</parameter>`),
    '</function>',
    '</tool_call>',
  ].join('\n');

const render = ({ role, content, reasoning_content, tool_calls = [] }: RowMessage): Rendered => {
  if (role === 'tool') return { role, content: `<tool_response>\n${content}\n</tool_response>` };
  if (role !== 'assistant') return { role, content };
  const calls = tool_calls.map((call) => callText(call.function));
  // An empty line parts what is said from the first call.
  const said = content && calls.length > 0 ? `${content}\n` : content;
  return { role, content: withThoughts(reasoning_content, [said, ...calls].filter(Boolean).join('\n')) };
};

const CALL = /\n{0,2}<tool_call>\n<function=([^>\n]*)>\n([\s\S]*?)<\/function>\n<\/tool_call>/g;
const PARAMETER = /<parameter=([^>\n]*)>\n([\s\S]*?)\n<\/parameter>\n/g;

type Schemas = ReadonlyMap<string, { properties?: Record<string, { type?: Json }> }>;

const schemasOf = (tools: readonly RowTool[]): Schemas =>
  new Map(tools.map(({ function: { name, parameters } }) => [name, parameters as object]));

/** A text where the schema says so, and where it is no JSON; texts are never in quotes. */
const readValue = (text: string, type: Json | undefined): Json => {
  if (type === 'string') return text;
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === 'string' ? text : value;
  } catch {
    return text;
  }
};

const readCalls = (said: string, schemas: Schemas): ReadTurn['calls'] =>
  [...said.matchAll(CALL)].map(([, name = '', body = '']) => ({
    name,
    arguments: Object.fromEntries(
      [...body.matchAll(PARAMETER)].map(([, key = '', value = '']) => [
        key,
        readValue(value, schemas.get(name)?.properties?.[key]?.type),
      ]),
    ),
  }));

const readTurns = (messages: readonly Rendered[], schemas: Schemas): ReadTurn[] =>
  messages.map(({ role, content }) => {
    if (role === 'tool')
      return { role, text: content.slice('<tool_response>\n'.length, -'\n</tool_response>'.length), calls: [] };
    if (role !== 'assistant') return { role, text: content, calls: [] };
    const said = withoutThoughts(content);
    return { role, text: said.replace(CALL, ''), calls: readCalls(said, schemas) };
  });

const sayable = ({ messages, tools }: SftRow): boolean => {
  const schemas = schemasOf(tools);
  return messages
    .filter(({ role }) => role === 'assistant')
    .every((message) => {
      const [turn] = readTurns([render(message)], schemas);
      const meant = (message.tool_calls ?? []).map(({ function: { name, arguments: args } }) => ({
        name,
        arguments: args,
      }));
      return canonicalJson(turn?.calls ?? []) === canonicalJson(meant) && turn?.text === message.content;
    });
};

export const qwenXml: RowFormat = {
  id: 'qwen-xml',
  describes:
    '`messages` as plain text in Qwen3.5’s manner: tools between `<tools>` in the system message, calls as `<function=name>` with `<parameter=name>` values, results as `<tool_response>`.',
  columns: { messages: TEXT_MESSAGES, metadata: METADATA },
  write: (row) => ({
    messages: [
      { role: 'system', content: systemText(row) },
      ...row.messages.filter(({ role }) => role !== 'system').map(render),
    ] as unknown as Json,
    metadata: row.metadata as unknown as Json,
  }),
  read: (line) => {
    const [system, ...rest] = line.messages as unknown as Rendered[];
    const content = system?.content ?? '';
    const listed = /<tools>\n([\s\S]*)\n<\/tools>/.exec(content)?.[1] ?? '';
    const tools = listed
      .split('\n')
      .filter(Boolean)
      .map((tool) => JSON.parse(tool) as RowTool);
    const own = content.split(INTRODUCTION)[0]?.trimEnd() ?? '';
    const opening: ReadTurn[] = own ? [{ role: 'system', text: own, calls: [] }] : [];
    return {
      turns: [...opening, ...readTurns(rest, schemasOf(tools))],
      tools: tools.map((tool) => tool.function.name),
    };
  },
  cannotSay: (row) => !sayable(row),
};
