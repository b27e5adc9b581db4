/**
 * What becomes of rows when the row they refer to is deleted. An API whose deletion documents no conflict deletes whatever refers to the
 * row: what cannot be without it goes with it, the rest forgets it. Where a document says 409, a row that others need stays, as in SQL;
 * a part of it is no other.
 */
import type { Table } from '../../artifacts/table.js';
import type { Tool, Write } from '../../artifacts/tool.js';
import type { FaceDraft } from './draft.js';

const CONFLICT = 409;

type Tables = Readonly<Record<string, Table>>;

const deletes = ({ writes, table }: Tool): boolean => writes.some((write) => write.delete && write.table === table);

/** Changes the tables in place. */
export const withDeletions = (tables: Tables, drafts: readonly FaceDraft[]): void => {
  const deleting = drafts.filter(({ tool }) => deletes(tool));
  if (deleting.length === 0) return;
  const guarded = new Set(
    deleting.filter(({ sighting }) => sighting.op.failures.includes(CONFLICT)).map(({ tool }) => tool.table),
  );
  for (const table of Object.values(tables))
    for (const [name, column] of Object.entries(table.cols)) {
      const isPart = name === table.key.col;
      if (column.fk === undefined || (guarded.has(column.fk) && !isPart)) continue;
      // Rows that go with another take theirs along, though nobody may delete them alone.
      column.onDelete = column.required || isPart ? 'cascade' : 'null';
    }
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

interface Reference {
  table: string;
  col: string;
  onDelete: NonNullable<Table['cols'][string]['onDelete']>;
}

const known = new WeakMap<Tables, Map<string, Reference[]>>();

/** References that a deletion follows, by the table they lead to; found once for all tools. */
const referencesTo = (tables: Tables): Map<string, Reference[]> => {
  const kept = known.get(tables);
  if (kept) return kept;
  const out = new Map<string, Reference[]>();
  for (const [table, { cols }] of Object.entries(tables))
    for (const [col, { fk, onDelete }] of Object.entries(cols))
      if (fk !== undefined && onDelete !== undefined) out.set(fk, [...(out.get(fk) ?? []), { table, col, onDelete }]);
  known.set(tables, out);
  return out;
};

/** The tool with the tables among its writes that a deletion reaches through references. */
export const withReached = (tool: Tool, tables: Tables): Tool => {
  if (!deletes(tool)) return tool;
  const writes = [...tool.writes];
  const gone = new Set([tool.table]);
  for (const parent of gone)
    for (const { table, col, onDelete } of referencesTo(tables).get(parent) ?? []) {
      writes.push(onDelete === 'cascade' ? { table, delete: true } : { table, cols: [col] });
      if (onDelete === 'cascade') gone.add(table);
    }
  return { ...tool, writes: merged(writes) };
};
