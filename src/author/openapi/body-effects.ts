/** What a verb's request body writes besides the verb's own effect, and what it only claims to take. */
import type { Step } from '../../artifacts/step.js';
import type { Table } from '../../artifacts/table.js';
import type { Arg, Tool, Write } from '../../artifacts/tool.js';

const mentions = (tool: Tool, name: string): boolean =>
  new RegExp(`\\bargs\\.${name}\\b`).test(JSON.stringify([tool.steps, tool.returns]));

/** The update of the row acted on: the first of its table, also inside a condition. */
const mainUpdate = (steps: readonly Step[], table: string): Extract<Step, { update: unknown }> | undefined => {
  for (const step of steps) {
    if ('update' in step && step.update.table === table) return step;
    const inner = 'if' in step ? mainUpdate(step.if.do, table) : undefined;
    if (inner) return inner;
  }
  return undefined;
};

/** A body field that is a column of the row is written with it, where the caller gives it and the verb leaves it alone. */
const isPlain = (table: Table, arg: Arg, set: Record<string, unknown>): boolean => {
  const column = arg.col === undefined ? undefined : table.cols[arg.col];
  return (
    column !== undefined &&
    arg.col !== table.key.col &&
    column.type === arg.type &&
    !column.auto &&
    arg.col !== table.machine?.col &&
    !Object.hasOwn(set, arg.col as string)
  );
};

const withCols = (writes: readonly Write[], table: string, cols: readonly string[]): Write[] =>
  writes.map((write) =>
    write.table === table && write.cols ? { ...write, cols: [...new Set([...write.cols, ...cols])].sort() } : write,
  );

/**
 * The tool with its body fields put to use: those that name a column are written, those without any effect are left out, since
 * an argument that does nothing misleads.
 */
export const useBody = (tool: Tool, table: Table): Tool => {
  const steps = structuredClone(tool.steps ?? []);
  const update = mainUpdate(steps, tool.table);
  const args: Record<string, Arg> = {};
  const written: string[] = [];
  for (const [name, arg] of Object.entries(tool.args)) {
    if (arg.role !== 'input' || mentions(tool, name)) args[name] = arg;
    else if (update && isPlain(table, arg, update.update.set)) {
      update.update.set[arg.col as string] = `$args.${name}`;
      written.push(arg.col as string);
      args[name] = arg;
    }
  }
  const errors = written.some((col) => table.cols[col]?.fk) ? { ...tool.errors, invalid_reference: 422 } : tool.errors;
  return { ...tool, args, steps, writes: withCols(tool.writes, tool.table, written), ...(errors ? { errors } : {}) };
};
