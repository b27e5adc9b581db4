/**
 * Tool calls in the text that a model wrote, for servers that hand over ids and leave parsing to us: Hermes and Qwen
 * (`<tool_call>{json}</tool_call>`), Qwen 3.5 XML (`<function=name><parameter=key>`), Llama (`<|python_tag|>{json}` or bare JSON)
 * and Mistral (`[TOOL_CALLS][{json}]`). What is written badly stays a call with the model's own text for arguments, as long as a
 * name can be read; else it stays text.
 */
import type { Json } from '../../kit/hash.js';
import type { ChatTool, RawCall } from '../types.js';

export interface Said {
  content: string;
  reasoning?: string;
  calls: Omit<RawCall, 'id'>[];
}

type Call = Omit<RawCall, 'id'>;

/** Tokens with which templates end a turn; a server that shows special tokens shows them too. */
const ENDS = [
  '<|im_end|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|end_of_text|>',
  '<|endoftext|>',
  '<|end|>',
  '<|eot|>',
  '<end_of_turn>',
  '</s>',
];

/** Without the tokens that end the turn. No regular expression: a model may write forty thousand spaces. */
const withoutEnd = (text: string): string => {
  let rest = text;
  for (;;) {
    const trimmed = rest.trimEnd();
    const end = ENDS.find((each) => trimmed.endsWith(each));
    if (end === undefined) return rest;
    rest = trimmed.slice(0, -end.length);
  }
};

/** Whether a piece of text is one token that ends a turn. */
export const isTurnEnd = (piece: string): boolean => ENDS.includes(piece.trim());

const parsedJson = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
};

const NAMED = /"name"\s*:\s*"([^"\\]{1,200})"/;
const GIVEN = /"(?:arguments|parameters)"\s*:\s*([\s\S]*)$/;

/** One call written as JSON; undefined where not even a name can be read. */
const jsonCall = (text: string): Call | undefined => {
  const value = parsedJson(text.trim());
  if (value !== undefined) {
    if (value === null || typeof value !== 'object' || Array.isArray(value) || typeof value.name !== 'string')
      return undefined;
    const given = value.arguments ?? value.parameters ?? {};
    return { name: value.name, arguments: typeof given === 'string' ? given : JSON.stringify(given) };
  }
  const name = NAMED.exec(text)?.[1];
  // Broken JSON stays as it was written: the tool's answer tells the model.
  return name === undefined ? undefined : { name, arguments: (GIVEN.exec(text)?.[1] ?? text).trim() };
};

type Properties = Record<string, { type?: unknown } | undefined>;

const isStringType = (type: unknown): boolean => type === 'string' || (Array.isArray(type) && type.includes('string'));

const FUNCTION = /<function=([^<>\s]{1,200})\s{0,20}>([\s\S]*?)(?:<\/function>|$)/g;
const PARAMETER = /<parameter=([^<>\s]{1,200})\s{0,20}>([\s\S]*?)(?:<\/parameter>|(?=<parameter=)|$)/g;

/** Calls in Qwen 3.5's XML: values are JSON unless the tool's schema says that they are text. */
const xmlCalls = (text: string, tools: readonly ChatTool[]): Call[] =>
  [...text.matchAll(FUNCTION)].map(([, name = '', inner = '']) => {
    const schema = tools.find((tool) => tool.name === name)?.parameters as { properties?: Properties } | undefined;
    const args: Record<string, Json> = {};
    for (const [, key = '', raw = ''] of inner.matchAll(PARAMETER)) {
      const value = raw.replace(/^\n/, '').replace(/\n$/, '');
      args[key] = isStringType(schema?.properties?.[key]?.type) ? value : (parsedJson(value.trim()) ?? value);
    }
    return { name, arguments: JSON.stringify(args) };
  });

/** `{...}; {...}` or `[{...}]`, all of it calls, or nothing. */
const jsonCalls = (text: string): Call[] | undefined => {
  const value = parsedJson(text.trim());
  const parts = Array.isArray(value) ? value.map((each) => JSON.stringify(each)) : text.trim().split(/;\s*(?=\{)/);
  const calls = parts.map(jsonCall);
  return parts.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
};

const thought = (text: string): { reasoning?: string; rest: string } => {
  const end = text.indexOf('</think>');
  const start = text.indexOf('<think>');
  if (end < 0) {
    // Cut while it was thinking.
    return start >= 0 && text.slice(0, start).trim() === ''
      ? { reasoning: text.slice(start + 7).trim(), rest: '' }
      : { rest: text };
  }
  // A template may have written the opening tag: it stands in the prompt then.
  const from = start >= 0 && start < end ? start + 7 : 0;
  const reasoning = text.slice(from, end).trim();
  return { ...(reasoning ? { reasoning } : {}), rest: text.slice(end + 8) };
};

const BLOCK = /<tool_call>([\s\S]*?)(?:<\/tool_call>|(?=<tool_call>)|$)/g;

const tagged = (text: string, tools: readonly ChatTool[]): Said => {
  const calls: Call[] = [];
  const content = text.replace(BLOCK, (block, inner: string) => {
    const own = inner.includes('<function=') ? xmlCalls(inner, tools) : [jsonCall(inner)];
    const read = own.filter((call) => call !== undefined);
    calls.push(...read);
    return read.length > 0 ? '' : block;
  });
  return { content: content.trim(), calls };
};

const spoken = (text: string, tools: readonly ChatTool[]): Said => {
  if (text.includes('<tool_call>')) return tagged(text, tools);
  if (text.includes('<function=')) {
    const calls = xmlCalls(text, tools);
    if (calls.length > 0) return { content: text.slice(0, text.indexOf('<function=')).trim(), calls };
  }
  for (const mark of ['<|python_tag|>', '[TOOL_CALLS]']) {
    const at = text.indexOf(mark);
    const calls = at < 0 ? undefined : jsonCalls(text.slice(at + mark.length));
    if (calls) return { content: text.slice(0, at).trim(), calls };
  }
  // Bare JSON is a call only where it names a tool that was offered: it may as well be the answer.
  const bare = text.trim();
  const calls = /^[[{]/.test(bare) ? jsonCalls(bare) : undefined;
  const isKnown = calls?.every(({ name }) => tools.some((tool) => tool.name === name));
  return calls && calls.length > 0 && isKnown ? { content: '', calls } : { content: text, calls: [] };
};

/** What a model's text says. `tools` are those that it was offered. */
export const readToolText = (text: string, tools: readonly ChatTool[]): Said => {
  const { reasoning, rest } = thought(withoutEnd(text));
  const said = spoken(rest, tools);
  const content = reasoning === undefined ? said.content : said.content.trim();
  return { ...said, content, ...(reasoning === undefined ? {} : { reasoning }) };
};
