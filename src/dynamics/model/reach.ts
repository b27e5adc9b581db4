/** The rows that a task's calls are about, and their siblings, under labels: a model speaks of them without knowing their ids. */
import type { Column, Table } from '../../artifacts/table.js';
import type { Json } from '../../kit/hash.js';
import { valueAt } from '../../kit/json-path.js';
import type { Session } from '../../serve/sessions/session.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row } from '../../world/state/types.js';
import { decodeArg } from '../../world/surface/args.js';
import { encodeValue, visibleColumns } from '../../world/surface/values.js';
import { argumentsOfTool, siblingsOf, tableOf } from '../author/choices/slots.js';
import { rowByKey } from '../author/rows.js';
import { openOn, type Stage } from '../author/trial.js';

export interface Reached {
  /** `R1` */
  label: string;
  service: LoadedService;
  table: string;
  spec: Table;
  row: Row;
  key: string | number;
}

/** Rows shown of one task, and of those the siblings of one row. */
const MOST_ROWS = 14;
const MOST_SIBLINGS = 4;
const MOST_TEXT = 120;

const keysIn = (session: Session, tool: string, args: Json): { table: string; key: string | number }[] => {
  const found = session.world.tools.get(tool);
  if (!found) return [];
  return argumentsOfTool(session.world, tool).flatMap((spec) => {
    const table = tableOf(session.world, tool, spec);
    const value = valueAt(args, spec.path.join('.'));
    if (table === undefined || value === undefined || value === null) return [];
    try {
      const decoded = decodeArg(found.service.spec, found.tool.tool, spec.name, value);
      return (Array.isArray(decoded) ? decoded : [decoded]).flatMap((key) =>
        typeof key === 'string' || typeof key === 'number' ? [{ table, key }] : [],
      );
    } catch {
      return [];
    }
  });
};

/** Those of the bindings and of the calls, in their order, each with siblings behind it. */
export const rowsInReach = (stage: Stage): Reached[] => {
  const { task, world } = stage;
  const session = openOn(stage);
  const found = new Map<string, Omit<Reached, 'label'>>();
  const add = (service: string, table: string, key: string | number): Row | undefined => {
    const loaded = world.services.get(service);
    const spec = loaded?.spec.tables[table];
    const row = loaded && spec ? rowByKey(session, service, table, key) : undefined;
    const id = `${service}.${table}#${key}`;
    if (!loaded || !spec || !row || found.has(id) || found.size >= MOST_ROWS) return undefined;
    found.set(id, { service: loaded, table, spec, row, key });
    return row;
  };
  const addWithSiblings = (service: string, table: string, key: string | number): void => {
    const row = add(service, table, key);
    if (!row) return;
    const slot = { path: '', arg: '', item: undefined, service, table, key, row, isSubject: false };
    for (const other of siblingsOf(session, slot).slice(0, MOST_SIBLINGS)) {
      const own = other[world.services.get(service)?.keys[table] ?? ''];
      if (typeof own === 'string' || typeof own === 'number') add(service, table, own);
    }
  };
  try {
    for (const { service, table, key } of task.bindings) addWithSiblings(service, table, key);
    for (const { service, tool, args } of task.reference.calls)
      for (const { table, key } of keysIn(session, tool, args as Json)) addWithSiblings(service, table, key);
  } finally {
    session.drop();
  }
  return [...found.values()].map((one, n) => ({ label: `R${n + 1}`, ...one }));
};

/** Columns that a model may see and change: no keys, no references, nothing that services keep for themselves. */
export const openColumns = ({ spec }: Reached): [string, Column][] =>
  visibleColumns(spec).flatMap((name) => {
    const column = spec.cols[name];
    const isOwn = /^(_|updated|version$|created_at$)/.test(name);
    return column && column.fk === undefined && name !== spec.key.col && !isOwn
      ? [[name, column] as [string, Column]]
      : [];
  });

const shown = (value: Json): string => {
  const text = JSON.stringify(value);
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}..."` : text;
};

/** One row a line: `R1 billing.invoice (invoice): title "Flyer", status "open" (one of open, paid)`. */
export const rowLines = (rows: readonly Reached[]): string =>
  rows
    .map((one) => {
      const { label, service, table, spec, row } = one;
      const cells = openColumns(one).map(([name, column]) => {
        const choices = column.enum
          ? ` (one of ${column.enum.map((choice) => JSON.stringify(encodeValue(service.spec, column, choice))).join(', ')})`
          : '';
        return `${name} ${shown(encodeValue(service.spec, column, row[name] ?? null, row))}${choices}`;
      });
      return `${label} ${service.id}.${table} (${spec.noun}): ${cells.join(', ')}`;
    })
    .join('\n');
