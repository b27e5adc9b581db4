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

const listings = new WeakMap<SessionTool[], Map<string, string>>();

/** The JSON array of a host's tools in one revision; rendered once for each array of tools. */
export const toolsJson = (host: ToolHost, revision: Revision): string => {
  const tools = host.tools();
  let byVersion = listings.get(tools);
  if (byVersion === undefined) {
    byVersion = new Map();
    listings.set(tools, byVersion);
  }
  let text = byVersion.get(revision.version);
  if (text === undefined) {
    text = JSON.stringify(tools.map((tool) => shown(tool, revision)));
    byVersion.set(revision.version, text);
  }
  return text;
};

/** The members of a call's result, without the braces. The text block holds the same JSON, for clients that read only text. */
export const callJson = (outcome: CallOutcome, revision: Revision): string => {
  const json = JSON.stringify(outcome.result);
  const structured = revision.structured && (revision.anyShape || isObject(outcome.result));
  return `"content":[{"type":"text","text":${JSON.stringify(json)}}]${structured ? `,"structuredContent":${json}` : ''}${
    outcome.ok ? '' : ',"isError":true'
  }`;
};
