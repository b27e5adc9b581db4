/** A list of tools as MCP servers, OpenAI and Anthropic write it, read into one shape. */

import { isNode, type Node } from '../../document/node.js';
import { TreadleError } from '../../errors.js';
import { inlined } from './inline.js';

export interface ListedTool {
  /** As the list writes it. */
  name: string;
  description: string;
  /** Plain JSON Schemas: references followed, depth bounded. */
  input: Node;
  output: Node | undefined;
  /** It says of itself that it changes nothing. */
  readOnly: boolean | undefined;
  destructive: boolean | undefined;
}

export interface ToolList {
  tools: ListedTool[];
  /** Entries that are no tool, or a second one of a name. */
  left: { operation: string; why: string }[];
}

const MOST_LISTED = 10_000;
const MOST_NAME = 256;
const LONGEST = 32 * 1024 * 1024;

const refused = (message: string, value?: unknown): TreadleError =>
  new TreadleError({
    code: 'not_tool_list',
    message,
    value,
    next: 'Give the answer to `tools/list` ({"tools": [...]}) or an array of function tools, as JSON.',
  });

/** The array of entries in any of the wrappings that are met; undefined when this is no list of tools. */
const entriesOf = (root: unknown): unknown[] | undefined => {
  if (Array.isArray(root)) return root.every((item) => isNode(item) && isEntry(item)) ? root : undefined;
  if (!isNode(root) || 'openapi' in root || 'swagger' in root || 'paths' in root) return undefined;
  if (Array.isArray(root.tools)) return root.tools;
  if (Array.isArray(root.functions)) return root.functions;
  return isNode(root.result) && Array.isArray(root.result.tools) ? root.result.tools : undefined;
};

const isEntry = (item: Node): boolean => typeof item.name === 'string' || isNode(item.function);

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
};

/** Whether the text is JSON that holds a list of tools and no API document. */
export const isToolList = (text: string): boolean =>
  /^\uFEFF?\s*[{[]/.test(text) && text.length <= LONGEST && (entriesOf(parsed(text))?.length ?? 0) > 0;

/** What a person or a model may read: no control, zero-width or direction characters, one line. */
const plainText = (value: unknown): string =>
  typeof value === 'string'
    ? value
        .slice(0, 20_000)
        .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
        .replace(/\s+/g, ' ')
        .trim()
    : '';

const toolOf = (item: Node): ListedTool | string => {
  const inner = isNode(item.function) ? item.function : item;
  const { name, description, annotations } = inner;
  if (typeof name !== 'string' || name.trim() === '') return 'it has no name';
  if (name.length > MOST_NAME) return `its name has more than ${MOST_NAME} characters`;
  const given = inner.inputSchema ?? inner.input_schema ?? inner.parameters ?? {};
  const input = inlined(given);
  const hints = isNode(annotations) ? annotations : {};
  const output = inner.outputSchema ?? inner.output_schema;
  return {
    name: name.trim(),
    description: plainText(description ?? inner.title ?? hints.title),
    input,
    output: isNode(output) ? inlined(output) : undefined,
    readOnly: typeof hints.readOnlyHint === 'boolean' ? hints.readOnlyHint : undefined,
    destructive: typeof hints.destructiveHint === 'boolean' ? hints.destructiveHint : undefined,
  };
};

/** Entries as tools, in the list's order; of two of one name the first counts. Throws `not_tool_list` for an empty or endless one. */
export const toolsOf = (entries: readonly unknown[]): ToolList => {
  if (entries.length === 0) throw refused('The list holds no tools');
  if (entries.length > MOST_LISTED) throw refused(`The list holds more than ${MOST_LISTED} tools`, entries.length);
  const list: ToolList = { tools: [], left: [] };
  const names = new Set<string>();
  entries.forEach((item, i) => {
    const tool = isNode(item) ? toolOf(item) : 'it is no object';
    if (typeof tool === 'string') list.left.push({ operation: `entry ${i + 1}`, why: tool });
    else if (names.has(tool.name))
      list.left.push({ operation: tool.name, why: 'another tool of the list has this name' });
    else {
      names.add(tool.name);
      list.tools.push(tool);
    }
  });
  if (list.tools.length === 0) throw refused(`None of the ${entries.length} entries is a tool: ${list.left[0]?.why}`);
  return list;
};

/** Reads JSON text; throws `not_tool_list`. */
export const readToolList = (text: string): ToolList => {
  if (text.length > LONGEST) throw refused(`The list has more than ${LONGEST} characters`, text.length);
  const root = parsed(text);
  if (root === undefined) throw refused('This is not JSON');
  const entries = entriesOf(root);
  if (!entries) throw refused('This holds no list of tools');
  return toolsOf(entries);
};
