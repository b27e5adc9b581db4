/** What a tool's steps read and write, derived without running them. */
import type { Step } from '../../artifacts/step.js';
import type { Table } from '../../artifacts/table.js';
import type { Write } from '../../artifacts/tool.js';

export interface Contract {
  reads: string[];
  writes: Write[];
}

interface Seen {
  reads: Set<string>;
  inserts: Set<string>;
  deletes: Set<string>;
  cols: Map<string, Set<string>>;
}

const touching = (table: Table | undefined): string[] =>
  Object.entries(table?.cols ?? {})
    .filter(([, column]) => column.auto === 'touch')
    .map(([col]) => col);

const walk = (steps: readonly Step[], tables: Record<string, Table>, seen: Seen): void => {
  for (const step of steps) {
    if ('get' in step) seen.reads.add(step.get.table);
    else if ('find' in step) seen.reads.add(step.find.table);
    else if ('insert' in step) seen.inserts.add(step.insert.table);
    else if ('update' in step) {
      const { table, set } = step.update;
      seen.reads.add(table);
      const cols = seen.cols.get(table) ?? new Set<string>();
      for (const col of [...Object.keys(set), ...touching(tables[table])]) cols.add(col);
      seen.cols.set(table, cols);
    } else if ('delete' in step) {
      seen.deletes.add(step.delete.table);
      seen.reads.add(step.delete.table);
    } else if ('each' in step) walk(step.each.do, tables, seen);
    else if ('if' in step) walk(step.if.do, tables, seen);
  }
};

/** Reads per table, writes per column; tables in alphabetical order. */
export const contractOf = (steps: readonly Step[], tables: Record<string, Table>): Contract => {
  const seen: Seen = { reads: new Set(), inserts: new Set(), deletes: new Set(), cols: new Map() };
  walk(steps, tables, seen);
  const written = [...new Set([...seen.inserts, ...seen.deletes, ...seen.cols.keys()])].sort();
  return {
    reads: [...seen.reads].sort(),
    writes: written.map((table) => {
      const cols = seen.cols.get(table);
      return {
        table,
        ...(cols ? { cols: [...cols].sort() } : {}),
        ...(seen.inserts.has(table) ? { insert: true as const } : {}),
        ...(seen.deletes.has(table) ? { delete: true as const } : {}),
      };
    }),
  };
};
