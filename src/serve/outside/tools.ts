/** The tools of a server: listed once, checked, named and shown as ours are. */
import type { Client, Tool } from '@modelcontextprotocol/client';
import { TreadleError } from '../../errors.js';
import { addressOf, deepFreeze } from '../../kit/hash.js';
import { hazardOf } from '../mcp/hazards.js';
import type { SessionTool } from '../tool-host.js';
import { fitNames } from './names.js';
import type { OutsideSpec } from './spec.js';

const MOST_TOOLS = 512;
const MOST_LISTED = 10_000;
const MOST_PAGES = 256;

export interface OutsideTool {
  shown: SessionTool;
  /** As the server lists it, without the output schema, which is not ours to enforce. */
  definition: Tool;
}

const bad = (spec: OutsideSpec, message: string, next: string, value?: unknown): TreadleError =>
  new TreadleError({
    code: 'server_bad_answer',
    message: `${spec.id}: ${message}`,
    value,
    next,
    fault: 'infrastructure',
  });

/** Follows the pages. Throws `server_bad_answer` for a listing without end, and what the client throws. */
export const listTools = async (client: Client, spec: OutsideSpec, signal: AbortSignal): Promise<Tool[]> => {
  if (!client.getServerCapabilities()?.tools) return [];
  const tools: Tool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const options = { signal, timeout: spec.startSeconds * 1_000 };
    const listed = await client.request({ method: 'tools/list', params }, options);
    tools.push(...listed.tools);
    if (listed.nextCursor === undefined) return tools;
    if (tools.length > MOST_LISTED || listed.nextCursor === cursor) break;
    cursor = listed.nextCursor;
  }
  throw bad(spec, `its list of tools has no end (${tools.length} so far)`, 'Tell its author');
};

const offered = (listed: readonly Tool[], spec: OutsideSpec): Tool[] => {
  // A task tool cannot be called plainly.
  const callable = listed.filter((tool) => tool.execution?.taskSupport !== 'required');
  const { tools: wanted } = spec;
  const chosen = wanted ? callable.filter(({ name }) => wanted.includes(name)) : callable;
  const missing = wanted?.find((name) => !chosen.some((tool) => tool.name === name));
  if (missing !== undefined) throw bad(spec, 'it has no such tool', 'Correct `tools` of its description', missing);
  if (chosen.length > MOST_TOOLS)
    throw new TreadleError({
      code: 'too_many_tools',
      message: `${spec.id} has ${chosen.length} tools, and a session offers at most ${MOST_TOOLS} of one server`,
      value: chosen.length,
      next: 'Name those to offer in `tools` of its description',
    });
  return chosen;
};

/** One object for the same tool in every session: protocol doors keep what they render by it. */
const known = new Map<string, SessionTool>();
const MOST_KNOWN = 8_192;

const shared = (tool: SessionTool): SessionTool => {
  const key = `${tool.service}/${tool.name}/${tool.version}`;
  const first = known.get(key);
  if (first) return first;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, deepFreeze(tool));
  return tool;
};

/**
 * At most 512 tools, in the server's order. `hide` takes the folder's path out of descriptions. Throws `too_many_tools` and
 * `server_bad_answer`.
 */
export const showTools = (
  listed: readonly Tool[],
  spec: OutsideSpec,
  hide: (text: string) => string,
): OutsideTool[] => {
  const tools = offered(listed, spec);
  const names = fitNames(
    tools.map(({ name }) => name),
    spec.id,
    spec.prefix,
  );
  return tools.map((tool, i) => {
    const { name, title, inputSchema, outputSchema, annotations } = tool;
    const hazard = hazardOf({ inputSchema, outputSchema: outputSchema ?? null });
    if (hazard !== undefined) throw bad(spec, `its tool cannot be shown: ${hazard}`, 'Tell its author', name);
    const description = hide(tool.description ?? title ?? annotations?.title ?? '');
    const readOnly = annotations?.readOnlyHint === true;
    const shown: SessionTool = {
      service: spec.id,
      name: names[i]!,
      description,
      inputSchema,
      outputSchema: outputSchema ?? {},
      readOnly,
      // Destructive unless it says otherwise, as the protocol has it.
      destructive: !readOnly && annotations?.destructiveHint !== false,
      version: addressOf({ name, description, inputSchema, outputSchema, annotations }),
    };
    const { outputSchema: _, ...definition } = tool;
    return { shown: shared(shown), definition };
  });
};
