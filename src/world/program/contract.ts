/** The contract that a tool's statements really have, from SQLite's authorizer. */
import type { Tool, Write } from '../../artifacts/tool.js';
import { TreadleError } from '../../errors.js';
import type { Connection } from '../state/connection.js';
import { readyTool } from './lazy-tool.js';
import type { Program } from './types.js';

interface Seen {
  cols: Set<string>;
  insert: boolean;
  delete: boolean;
}

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

const declaredContract = ({ reads, writes }: Tool): { reads: string[]; writes: Write[] } => ({
  reads: sorted(reads),
  writes: sorted(writes.map(({ table }) => table)).map((table) => {
    const all = writes.filter((write) => write.table === table);
    const cols = sorted(all.flatMap((write) => write.cols ?? []));
    return {
      table,
      ...(cols.length > 0 && { cols }),
      ...(all.some(({ insert }) => insert) && { insert: true as const }),
      ...(all.some((write) => write.delete) && { delete: true as const }),
    };
  }),
});

/**
 * Tables read and columns written by any statement the tool may run, cascades included; internal tables and the reads that
 * only check foreign keys are left out; a changed or deleted row counts as read. Of a code tool: as declared. Sorted. Throws
 * `unknown_tool`.
 */
export const derivedContract = (
  program: Program,
  toolName: string,
  conn: Connection,
): { reads: string[]; writes: Write[] } => {
  const found = program.tools.get(toolName);
  if (!found)
    throw new TreadleError({
      code: 'unknown_tool',
      message: `${program.spec.id} has no tool ${toolName}`,
      value: toolName,
    });
  const tool = readyTool(found);
  // Code cannot be read ahead: it is held to its declaration at every question instead.
  if (tool.code) return declaredContract(tool.tool);
  const own = (table: string): boolean => Object.hasOwn(program.spec.tables, table);
  const reads = new Set<string>();
  const writes = new Map<string, Seen>();
  for (const plan of tool.plans) {
    const access = conn.access(plan.sql);
    const inserts = access.writes.some(({ table, op }) => op === 'insert' && table === plan.writes);
    for (const { table } of access.reads)
      if (own(table) && (plan.writes === undefined || (table === plan.writes && !inserts))) reads.add(table);
    for (const { table, op, columns } of access.writes) {
      if (!own(table)) continue;
      const seen = writes.get(table) ?? { cols: new Set(), insert: false, delete: false };
      writes.set(table, seen);
      if (op === 'insert') seen.insert = true;
      else if (op === 'delete') seen.delete = true;
      else for (const col of columns) seen.cols.add(col);
    }
  }
  return {
    reads: [...reads].sort(),
    writes: [...writes]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([table, seen]) => ({
        table,
        ...(seen.cols.size > 0 && { cols: [...seen.cols].sort() }),
        ...(seen.insert && { insert: true as const }),
        ...(seen.delete && { delete: true as const }),
      })),
  };
};
