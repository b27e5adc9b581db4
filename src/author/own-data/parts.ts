/** Parts of rows (`/ships/{id}/cooldown`), where every row has its own: a user's rows have theirs too. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Table } from '../../artifacts/table.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import type { OwnRows } from './types.js';

type Rows = Record<string, Record<string, Row[]>>;

/** The table whose rows it keys its own by. */
export const ownerOf = ({ cols, key }: Table): string | undefined => cols[key.col]?.fk;

/** Whether new rows of the owner come with one. */
const isMadeAlong = ({ tools }: ServiceSpec, name: string, owner: string): boolean =>
  Object.values(tools).some(({ writes }) => {
    const makes = (table: string): boolean => writes.some((write) => write.insert && write.table === table);
    return makes(name) && makes(owner);
  });

/** Values that only one row may have, left out; undefined where a row cannot be without. */
const oneOnly = ({ cols, key, unique = [] }: Table): Row | undefined => {
  const names = Object.keys(cols).filter(
    (col) => col !== key.col && (cols[col]?.unique || unique.some((group) => group.includes(col))),
  );
  return names.some((col) => cols[col]?.required) ? undefined : Object.fromEntries(names.map((col) => [col, null]));
};

/** Adds what rows lack that all seeded ones had, as seeded ones have it. Changes `rows`, whose lists stay as they are. */
export const completeParts = (services: readonly ServiceSpec[], seeded: Rows, rows: Rows, own: OwnRows): void => {
  for (const spec of services)
    for (const [name, table] of Object.entries(spec.tables)) {
      const owner = ownerOf(table);
      const parts = rows[spec.id]?.[name];
      const usual = seeded[spec.id]?.[name] ?? [];
      if (owner === undefined || !parts || usual.length === 0) continue;
      if (usual.length < (seeded[spec.id]?.[owner]?.length ?? 0)) continue;
      if (own[spec.id]?.[name] && !isMadeAlong(spec, name, owner)) continue;
      const { col } = table.key;
      const there = new Set<SqlValue>(parts.map((row) => row[col] ?? null));
      const ownerKey = spec.tables[owner]?.key.col as string;
      const emptied = oneOnly(table);
      if (emptied === undefined) continue;
      const lacking = (rows[spec.id]?.[owner] ?? [])
        .map((row) => row[ownerKey] ?? null)
        .filter((key) => !there.has(key));
      const added = lacking.map((key, at): Row => ({ ...usual[at % usual.length], ...emptied, [col]: key }));
      if (added.length > 0) (rows[spec.id] as Record<string, Row[]>)[name] = [...parts, ...added];
    }
};
