/** Tools as each revision shows them: the listing and the result of a call, as JSON text. */
import type { CallOutcome, SessionTool, ToolHost } from '../tool-host.js';
import { isObject } from './messages.js';
import { CLASSIC_REVISIONS, MODERN_VERSIONS, modernRevision, type Revision } from './revisions.js';

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

/** By the array that sessions of one world share: thousands of agents that start at once list the same tools. */
const listings = new WeakMap<readonly SessionTool[], Map<string, string>>();

const listingOf = (tools: readonly SessionTool[], revision: Revision): string => {
  const texts = listings.get(tools) ?? new Map<string, string>();
  listings.set(tools, texts);
  const text = texts.get(revision.version) ?? tools.map((tool) => JSON.stringify(shown(tool, revision))).join(',');
  texts.set(revision.version, text);
  return text;
};

/** Renders a listing ahead, in the newest revision of each era. */
export const warmListing = (tools: readonly SessionTool[]): void => {
  for (const revision of [CLASSIC_REVISIONS[0], modernRevision(MODERN_VERSIONS[0] as string)])
    if (revision) listingOf(tools, revision);
};

/** The JSON array of a host's tools in one revision, and of what is listed beside them as it stands. */
export const toolsJson = (host: ToolHost, revision: Revision, beside?: readonly object[]): string => {
  const own = (host.groups?.() ?? [host.tools()])
    .map((tools) => listingOf(tools, revision))
    .filter((text) => text !== '')
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
