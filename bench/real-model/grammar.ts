/**
 * A GBNF grammar in which a reply is a call of an offered tool, with arguments of its schema, or text: what llama.cpp's server
 * makes of tools by itself. A model of 135 million parameters writes few calls that can be read without it.
 */
import type { SessionTool } from '../../src/serve/tool-host.js';

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
}

const literal = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

const RULES = [
  'reply ::= [A-Za-z0-9] [^<{]{0,400}',
  'text ::= "\\"" [^"\\\\\\n\\x00-\\x1F]{0,60} "\\""',
  'whole ::= "-"? [0-9]{1,9}',
  'number ::= whole ("." [0-9]{1,4})?',
  'truth ::= "true" | "false"',
];

/** The rule of a value; `add` takes further rules and answers with the name of each. */
const ruleOf = (schema: Schema, add: (body: string) => string): string => {
  if (schema.enum && schema.enum.length > 0)
    return add(schema.enum.map((value) => literal(JSON.stringify(value))).join(' | '));
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type;
  switch (type) {
    case 'integer':
      return 'whole';
    case 'number':
      return 'number';
    case 'boolean':
      return 'truth';
    case 'object':
      return objectOf(schema, add);
    case 'array':
      return add(`"[" ${ruleOf(schema.items ?? {}, add)} "]"`);
    default:
      return 'text';
  }
};

const objectOf = ({ properties = {} }: Schema, add: (body: string) => string): string => {
  const pairs = Object.entries(properties).map(
    ([key, schema]) => `${literal(`${JSON.stringify(key)}: `)} ${ruleOf(schema, add)}`,
  );
  if (pairs.length === 0) return add('"{}"');
  const pair = add(pairs.join(' | '));
  return add(`"{" (${pair} (", " ${pair}){0,3})? "}"`);
};

/** `mustCall`: the reply has to be a call. */
export const grammarOf = (tools: readonly SessionTool[], mustCall: boolean): string => {
  const rules = [...RULES];
  let count = 0;
  const add = (body: string): string => {
    const name = `r${count++}`;
    rules.push(`${name} ::= ${body}`);
    return name;
  };
  const calls = tools.map(({ name, inputSchema }) => {
    const args = objectOf(inputSchema as Schema, add);
    return add(`${literal(`${JSON.stringify(name)}, "arguments": `)} ${args}`);
  });
  const call = `${literal('<tool_call>\n{"name": ')} (${calls.join(' | ')}) ${literal('}\n</tool_call>')}`;
  return [`root ::= ${mustCall ? 'call' : 'call | reply'}`, `call ::= ${call}`, ...rules].join('\n');
};
