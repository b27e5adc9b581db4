/** Tools as each revision shows them: the listing and the result of a call, as JSON text. */
import type { CallOutcome, SessionTool, ToolHost } from '../tool-host.js';
import { isObject } from './messages.js';
import type { Revision } from './revisions.js';

const isObjectSchema = (schema: object): boolean => (schema as { type?: unknown }).type === 'object';

const shown = (tool: SessionTool, revision: Revision): object => ({
  name: tool.name,
  description: tool.description,
  inputSchema: tool.inputSchema,
  ...(revision.structured && (revision.anyShape || isObjectSchema(tool.outputSchema))
    ? { outputSchema: tool.outputSchema }
    : {}),
  ...(revision.annotations
    ? {
        annotations: {
          readOnlyHint: tool.readOnly,
          destructiveHint: tool.destructive,
          idempotentHint: tool.readOnly,
        },
      }
    : {}),
});

interface Rendered {
  tool: SessionTool;
  text: string;
}

/** By the input schema, which sessions of one world share, so that a listing costs memory once a world and not once a session. */
const rendered = new WeakMap<object, Map<string, Rendered>>();

const isSame = (a: SessionTool, b: SessionTool): boolean =>
  a === b ||
  (a.description === b.description &&
    a.outputSchema === b.outputSchema &&
    a.readOnly === b.readOnly &&
    a.destructive === b.destructive);

const toolJson = (tool: SessionTool, revision: Revision): string => {
  let texts = rendered.get(tool.inputSchema);
  if (texts === undefined) {
    texts = new Map();
    rendered.set(tool.inputSchema, texts);
  }
  const key = `${revision.version} ${tool.name}`;
  const known = texts.get(key);
  if (known !== undefined && isSame(known.tool, tool)) return known.text;
  const text = JSON.stringify(shown(tool, revision));
  texts.set(key, { tool, text });
  return text;
};

/** The JSON array of a host's tools in one revision, and of what is listed beside them as it stands. */
export const toolsJson = (host: ToolHost, revision: Revision, beside?: readonly object[]): string => {
  const own = host
    .tools()
    .map((tool) => toolJson(tool, revision))
    .join(',');
  if (beside === undefined || beside.length === 0) return `[${own}]`;
  const others = beside.map((tool) => JSON.stringify(tool)).join(',');
  return own === '' ? `[${others}]` : `[${own},${others}]`;
};

/** The members of a call's result, without the braces. The text block holds the same JSON, for clients that read only text. */
export const callJson = (outcome: CallOutcome, revision: Revision): string => {
  const json = JSON.stringify(outcome.result);
  const structured = revision.structured && (revision.anyShape || isObject(outcome.result));
  return `"content":[{"type":"text","text":${JSON.stringify(json)}}]${structured ? `,"structuredContent":${json}` : ''}${
    outcome.ok ? '' : ',"isError":true'
  }`;
};
