/** Tools as each revision shows them: the listing and the result of a call, as JSON text. */
import type { CallOutcome, SessionTool, ToolHost } from '../tool-host.js';
import { isObject } from './messages.js';
import { noticeBlocks } from './notices.js';
import { CLASSIC_REVISIONS, MODERN_VERSIONS, modernRevision, type Revision } from './revisions.js';

/** Revisions that show tools alike share the bytes. */
const formOf = ({ structured, anyShape, annotations }: Revision): string =>
  `${Number(structured)}${Number(anyShape)}${Number(annotations)}`;

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
const listings = new WeakMap<readonly SessionTool[], Map<string, Uint8Array>>();

/** The members of the array, as bytes: they are written out as they are. */
const listingOf = (tools: readonly SessionTool[], revision: Revision): Uint8Array => {
  const known = listings.get(tools) ?? new Map<string, Uint8Array>();
  listings.set(tools, known);
  const form = formOf(revision);
  const bytes =
    known.get(form) ?? Buffer.from(tools.map((tool) => JSON.stringify(shown(tool, revision))).join(','), 'utf8');
  known.set(form, bytes);
  return bytes;
};

/** Renders a listing ahead, in the newest revision of each era. */
export const warmListing = (tools: readonly SessionTool[]): void => {
  for (const revision of [CLASSIC_REVISIONS[0], modernRevision(MODERN_VERSIONS[0] as string)])
    if (revision) listingOf(tools, revision);
};

/** Pieces of the JSON array of a host's tools in one revision, and of what is listed beside them as it stands. */
export const toolsPieces = (
  host: ToolHost,
  revision: Revision,
  beside: readonly object[] = [],
): (string | Uint8Array)[] => {
  const own = (host.groups?.() ?? [host.tools()]).map((tools) => listingOf(tools, revision));
  const all = [...own.filter(({ byteLength }) => byteLength > 0), ...beside.map((tool) => JSON.stringify(tool))];
  return ['[', ...all.flatMap((piece, i) => (i === 0 ? [piece] : [',', piece])), ']'];
};

/** The members of a call's result, without the braces. The text block holds the same JSON, for clients that read only text. */
export const callJson = (outcome: CallOutcome, revision: Revision): string => {
  const json = JSON.stringify(outcome.result);
  const structured = revision.structured && (revision.anyShape || isObject(outcome.result));
  const told = outcome.notices ? `,${noticeBlocks(outcome.notices).join(',')}` : '';
  return `"content":[{"type":"text","text":${JSON.stringify(json)}}${told}]${structured ? `,"structuredContent":${json}` : ''}${
    outcome.ok ? '' : ',"isError":true'
  }`;
};
