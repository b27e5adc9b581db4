/**
 * What becomes of rows when the row they refer to is deleted. An API whose deletion documents no conflict deletes whatever refers to the
 * row: what cannot be without it goes with it, the rest forgets it.
 */
import type { Table } from '../../artifacts/table.js';
import type { FaceDraft } from './draft.js';

const CONFLICT = 409;

/** Changes the tables in place. */
export const withDeletions = (tables: Record<string, Table>, drafts: readonly FaceDraft[]): void => {
  const deleting = drafts.filter(({ tool }) => tool.writes.some((write) => write.delete && write.table === tool.table));
  if (deleting.length === 0) return;
  const guarded = new Set(
    deleting.filter(({ sighting }) => sighting.op.failures.includes(CONFLICT)).map(({ tool }) => tool.table),
  );
  for (const table of Object.values(tables))
    for (const [name, column] of Object.entries(table.cols)) {
      if (column.fk === undefined || guarded.has(column.fk)) continue;
      // Rows that go with another take theirs along, though nobody may delete them alone.
      column.onDelete = column.required || name === table.key.col ? 'cascade' : 'null';
    }
};
