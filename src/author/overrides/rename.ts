/** A table under another name, wherever its service speaks of it. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Step } from '../../artifacts/step.js';
import type { Tool } from '../../artifacts/tool.js';
import { plural, spaced } from '../../kit/words.js';

const inSteps = (steps: readonly Step[], from: string, to: string): Step[] =>
  steps.map((step): Step => {
    const [kind, body] = Object.entries(step)[0] as [string, Record<string, unknown>];
    if (kind === 'each' || kind === 'if')
      return { [kind]: { ...body, do: inSteps(body.do as Step[], from, to) } } as Step;
    if (kind === 'sql') {
      const query = String(body.query).replace(new RegExp(`\\b${from}\\b`, 'g'), to);
      return { sql: { ...body, query } } as Step;
    }
    return body.table === from ? ({ [kind]: { ...body, table: to } } as Step) : step;
  });

const inTool = (tool: Tool, from: string, to: string): Tool => {
  const named = (name: string): string => (name === from ? to : name);
  const { steps, returns } = tool;
  return {
    ...tool,
    id: tool.id.startsWith(`${from}.`) ? `${to}.${tool.id.slice(from.length + 1)}` : tool.id,
    table: named(tool.table),
    args: Object.fromEntries(
      Object.entries(tool.args).map(([name, arg]) => [name, arg.ref === from ? { ...arg, ref: to } : arg]),
    ),
    ...(steps ? { steps: inSteps(steps, from, to) } : {}),
    ...(returns?.table === from ? { returns: { ...returns, table: to } } : {}),
    reads: tool.reads.map(named),
    writes: tool.writes.map((write) => ({ ...write, table: named(write.table) })),
  };
};

/** `to` is a free lower_snake name; the noun follows it. */
export const renameTable = (spec: ServiceSpec, from: string, to: string): ServiceSpec => ({
  ...spec,
  tables: Object.fromEntries(
    Object.entries(spec.tables).map(([name, table]) => {
      const cols = Object.fromEntries(
        Object.entries(table.cols).map(([col, column]) => [col, column.fk === from ? { ...column, fk: to } : column]),
      );
      if (name !== from) return [name, { ...table, cols }];
      return [to, { ...table, cols, noun: spaced(to), plural: plural(spaced(to)) }];
    }),
  ),
  tools: Object.fromEntries(Object.entries(spec.tools).map(([name, tool]) => [name, inTool(tool, from, to)])),
});
