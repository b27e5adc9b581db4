/**
 * Prompts in ChatML with tools written as the Hermes and Qwen templates write them. The template inside SmolLM2's GGUF knows
 * neither tools nor tool results, so the server is given this one, as `llama-server --jinja --chat-template-file` would be.
 */
import { Template } from '@huggingface/jinja';
import type { Json } from '../../src/kit/hash.js';

const CHATML_TOOLS = `
{%- set has_system = messages[0]['role'] == 'system' -%}
{%- set rest = messages[1:] if has_system else messages -%}
{{- '<|im_start|>system\\n' + (messages[0]['content'] if has_system else '') -}}
{%- if tools -%}
{{- '\\n\\n# Tools\\n\\nThese tools can be called. Each line describes one:\\n<tools>\\n' -}}
{%- for tool in tools -%}{{- (tool | tojson) + '\\n' -}}{%- endfor -%}
{{- '</tools>\\n\\nTo call a tool, write a JSON object with its name and arguments inside tags:\\n<tool_call>\\n' -}}
{{- '{"name": "name of the tool", "arguments": {}}\\n</tool_call>' -}}
{%- endif -%}
{{- '<|im_end|>\\n' -}}
{%- for message in rest -%}
{%- if message['role'] == 'tool' -%}
{%- if loop.first or rest[loop.index0 - 1]['role'] != 'tool' -%}{{- '<|im_start|>user' -}}{%- endif -%}
{{- '\\n<tool_response>\\n' + message['content'] + '\\n</tool_response>' -}}
{%- if loop.last or rest[loop.index0 + 1]['role'] != 'tool' -%}{{- '<|im_end|>\\n' -}}{%- endif -%}
{%- else -%}
{{- '<|im_start|>' + message['role'] + '\\n' + message['content'] -}}
{%- for call in message['tool_calls'] or [] -%}
{%- if message['content'] or not loop.first -%}{{- '\\n' -}}{%- endif -%}
{{- '<tool_call>\\n{"name": ' + (call['function']['name'] | tojson) -}}
{{- ', "arguments": ' + (call['function']['arguments'] | tojson) + '}\\n</tool_call>' -}}
{%- endfor -%}
{{- '<|im_end|>\\n' -}}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}`;

export interface WireMessage {
  role: string;
  content?: unknown;
  tool_calls?: { function: { name: string; arguments: unknown } }[];
}

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : '')).join('')
      : '';

/** Arguments come as text; a template wants the object. What is no JSON stays text. */
const asObject = (given: unknown): unknown => {
  if (typeof given !== 'string') return given ?? {};
  try {
    return JSON.parse(given) as Json;
  } catch {
    return given;
  }
};

const template = new Template(CHATML_TOOLS);
export const TEMPLATE = CHATML_TOOLS;

export const promptOf = (messages: readonly WireMessage[], tools: readonly unknown[], toAnswer = true): string =>
  template.render({
    messages: messages.map((message) => ({
      role: message.role,
      content: textOf(message.content),
      ...(message.tool_calls
        ? {
            tool_calls: message.tool_calls.map(({ function: { name, arguments: args } }) => ({
              function: { name, arguments: asObject(args) },
            })),
          }
        : {}),
    })),
    tools: tools.length > 0 ? [...tools] : false,
    add_generation_prompt: toAnswer,
  });

export interface ReadReply {
  content: string;
  calls: { name: string; arguments: string }[];
}

/** Tool calls written in the template's own form, taken out of the text; one that is broken stays in it. */
export const readReply = (text: string): ReadReply => {
  const calls: ReadReply['calls'] = [];
  const content = text.replace(/<tool_call>\s*([\s\S]*?)\s*<\/tool_call>/g, (whole, body: string) => {
    try {
      const { name, arguments: args } = JSON.parse(body) as { name?: unknown; arguments?: unknown };
      if (typeof name !== 'string') return whole;
      calls.push({ name, arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}) });
      return '';
    } catch {
      return whole;
    }
  });
  return { content: content.trim(), calls };
};
