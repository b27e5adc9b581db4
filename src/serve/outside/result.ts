/** A call's result as JSON: the structured content, or else the text, with what is no text described in a line each. */
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Json } from '../../kit/hash.js';
import { hazardOf } from '../mcp/hazards.js';
import { agentFault, BAD_ANSWER, type OutsideOutcome } from './faults.js';

type Block = CallToolResult['content'][number];

const bytesOf = (base64: string): number => Math.floor((base64.length * 3) / 4);

/** Binary content would only fill the context of who reads it. */
const shown = (block: Block): string => {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${bytesOf(block.data)} bytes]`;
    case 'resource_link':
      return `[resource ${block.uri}]`;
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return resource.text;
      return `[resource ${resource.uri}, ${resource.mimeType ?? 'unknown type'}, ${bytesOf(resource.blob)} bytes]`;
    }
  }
};

/** `isError` is what the tool itself has against the call, and so the agent's to mend. */
export const outcomeOfResult = (result: CallToolResult): OutsideOutcome => {
  const structured = result.structuredContent as Json | undefined;
  const text = (): string => (result.content ?? []).map(shown).join('\n');
  if (result.isError === true) {
    const message = structured === undefined ? text() : JSON.stringify(structured);
    return agentFault('tool_error', 400, message);
  }
  const json: Json = structured === undefined ? text() : structured;
  return hazardOf(json) === undefined ? { ok: true, result: json } : BAD_ANSWER;
};
