/** A row's tools name every tool that its calls name: chat templates and constrained decoders refuse calls of others. */
import { SUBMIT_ANSWER } from '../../rollout/submit.js';
import type { RowTool } from './row.js';

/** How a harness shows a tool: `treadle__name`, `mcp__treadle__name`. */
const shownAs = (called: string, tools: ReadonlyMap<string, RowTool>): RowTool | undefined => {
  const at = called.lastIndexOf('__');
  return at < 0 ? undefined : tools.get(called.slice(at + 2));
};

/** What is known of a tool that was called and not offered: its name. */
const bare = (name: string): RowTool => ({
  type: 'function',
  function: { name, description: '', parameters: { type: 'object' } },
});

const submit = (): RowTool => ({
  type: 'function',
  function: {
    name: SUBMIT_ANSWER.name,
    description: SUBMIT_ANSWER.description,
    parameters: SUBMIT_ANSWER.inputSchema as RowTool['function']['parameters'],
  },
});

/**
 * The offered tools, under a harness's names where it calls them by its own, and an entry for each other name that was called.
 * `called` keeps its order; a name that no tool can have (an empty one) gets none.
 */
export const toolsCovering = (offered: readonly RowTool[], called: readonly string[]): RowTool[] => {
  const known = new Map(offered.map((tool) => [tool.function.name, tool]));
  const others = [...new Set(called)].filter((name) => name !== '' && !known.has(name));
  const renamed = new Map<string, RowTool>();
  const added: RowTool[] = [];
  let prefix: string | undefined;
  for (const name of others) {
    const own = shownAs(name, known);
    if (own) {
      renamed.set(own.function.name, { ...own, function: { ...own.function, name } });
      prefix ??= name.slice(0, -own.function.name.length);
    } else added.push(name === SUBMIT_ANSWER.name ? submit() : bare(name));
  }
  if (prefix === undefined) return [...offered, ...added];
  // A harness that shows one of them by a name of its own shows all of them so.
  const shown = offered.map(
    (tool) =>
      renamed.get(tool.function.name) ?? {
        ...tool,
        function: { ...tool.function, name: `${prefix}${tool.function.name}` },
      },
  );
  const names = new Set(shown.map(({ function: { name } }) => name));
  const plain = [...known.values()].filter(({ function: { name } }) => called.includes(name) && !names.has(name));
  return [...shown, ...plain, ...added];
};
