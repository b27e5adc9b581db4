/**
 * What goes with a row that is deleted, where its operation documents no conflict: rows that cannot be without it go too, references
 * that may be empty are emptied. Where a document says 409, a row that others need stays, as in SQL.
 */
import type { Step } from '../../artifacts/step.js';
import type { Table } from '../../artifacts/table.js';
import type { Tool, Write } from '../../artifacts/tool.js';

const CONFLICT = 409;
/** Rows under rows under rows; what is deeper keeps its row, and says so when it is tried. */
const DEEPEST = 3;
const MOST_STEPS = 120;

type Tables = Readonly<Record<string, Table>>;
export type Dependents = ReadonlyMap<string, readonly { table: string; col: string }[]>;

/** Who refers to each table. */
export const dependentsOf = (tables: Tables): Dependents => {
  const out = new Map<string, { table: string; col: string }[]>();
  for (const [table, { cols }] of Object.entries(tables))
    for (const [col, { fk }] of Object.entries(cols)) {
      if (fk === undefined) continue;
      const known = out.get(fk) ?? [];
      known.push({ table, col });
      out.set(fk, known);
    }
  return out;
};

interface Cascade {
  tables: Tables;
  dependents: Dependents;
  reads: Set<string>;
  writes: Write[];
  left: number;
}

const isNeeded = ({ key, cols }: Table, col: string): boolean => key.col === col || cols[col]?.required === true;

const under = (cascade: Cascade, table: string, value: string, path: readonly string[]): Step[] =>
  (cascade.dependents.get(table) ?? []).flatMap(({ table: name, col }): Step[] => {
    const child = cascade.tables[name] as Table;
    if (cascade.left <= 0) return [];
    cascade.left--;
    if (!isNeeded(child, col)) {
      cascade.writes.push({ table: name, cols: [col] });
      return [{ update: { table: name, where: { [col]: value }, set: { [col]: null } } }];
    }
    if (path.includes(name)) return [];
    cascade.writes.push({ table: name, delete: true });
    const gone: Step = { delete: { table: name, where: { [col]: value } } };
    const as = `gone_${path.length}`;
    const below = path.length >= DEEPEST ? [] : under(cascade, name, `$${as}.${child.key.col}`, [...path, name]);
    if (below.length === 0) return [gone];
    cascade.reads.add(name);
    const rows = `rows_${path.length}_${MOST_STEPS - cascade.left}`;
    const where = [{ col, op: 'eq' as const, value }];
    return [{ find: { table: name, where, as: rows } }, { each: { in: `$${rows}`, as, do: below } }, gone];
  });

/** The tool with what goes along before its own row goes. `failures`: the error statuses that its operation documents. */
export const cascading = (tool: Tool, failures: readonly number[], tables: Tables, dependents: Dependents): Tool => {
  if (tool.op !== 'delete' || failures.includes(CONFLICT)) return tool;
  const steps = tool.steps ?? [];
  const at = steps.findIndex((step) => 'delete' in step && step.delete.table === tool.table);
  const step = steps[at];
  const key = tables[tool.table]?.key.col;
  if (step === undefined || !('delete' in step) || key === undefined) return tool;
  const value = step.delete.where[key];
  if (typeof value !== 'string' || Object.keys(step.delete.where).length !== 1) return tool;
  const cascade: Cascade = { tables, dependents, reads: new Set(tool.reads), writes: [], left: MOST_STEPS };
  const along = under(cascade, tool.table, value, [tool.table]);
  if (along.length === 0) return tool;
  return {
    ...tool,
    steps: [...steps.slice(0, at), ...along, ...steps.slice(at)],
    reads: [...cascade.reads],
    writes: merged([...tool.writes, ...cascade.writes]),
  };
};

/** One entry a table: what is written of it together. */
const merged = (writes: readonly Write[]): Write[] => {
  const out = new Map<string, Write>();
  for (const { table, cols = [], ...rest } of writes) {
    const known = out.get(table);
    const all = [...new Set([...(known?.cols ?? []), ...cols])];
    out.set(table, { ...known, ...rest, table, ...(all.length > 0 ? { cols: all } : {}) });
  }
  return [...out.values()];
};
