/** Finds the columns an entry speaks of under the names real tables use. */
import type { Column, ColumnType, Table } from '../../artifacts/table.js';
import { lexicon } from './load.js';

const NUMBERS: readonly ColumnType[] = ['int', 'number', 'money'];
const TIMES: readonly ColumnType[] = ['date', 'datetime'];

export const isNumber = (col: Column): boolean => NUMBERS.includes(col.type);
export const isTime = (col: Column): boolean => TIMES.includes(col.type);

/** The column is written by the service itself and never by a verb. */
export const isAutomatic = (table: Table, name: string): boolean =>
  table.key.col === name || table.cols[name]?.auto !== undefined;

/**
 * Column of `table` that plays `role`: the name itself, else the first of the role's names, with x_at = x_on = x_date. A yes-or-no
 * column gives way to another that plays the same role (`refunded` to `amount_refunded`).
 */
export const columnOf = (table: Table, role: string): string | undefined => {
  const names = [role, ...(lexicon().roles[role] ?? [])];
  const found = names
    .map((name) => (table.cols[name] ? name : timeColumn(table, name)))
    .filter((name) => name !== undefined);
  return found.find((name) => table.cols[name]?.type !== 'bool') ?? found[0];
};

/** What a role reads as where it has no column of its own (`captured` -> total); never for writing. */
export const readableOf = (table: Table, role: string): string | undefined => {
  const own = columnOf(table, role);
  if (own !== undefined) return own;
  const other = lexicon().read_as[role];
  return other === undefined ? undefined : columnOf(table, other);
};

const timeForms = (name: string): string[] => {
  const stem = /^(.+)_(at|on|date|time)$/.exec(name)?.[1];
  return stem === undefined ? [] : [`${stem}_at`, `${stem}_on`, `${stem}_date`, `date_${stem}`, `${stem}_time`];
};

/** Date or datetime column of that name in any of the forms x_at, x_on, x_date, date_x. */
export const timeColumn = (table: Table, name: string): string | undefined =>
  [name, ...timeForms(name)].find((form) => table.cols[form] !== undefined && isTime(table.cols[form] as Column));

const OPPOSITES: Record<string, string> = {
  enabled: 'disabled',
  active: 'inactive',
  open: 'closed',
  read: 'unread',
  locked: 'unlocked',
  public: 'private',
  visible: 'hidden',
  available: 'unavailable',
  resolved: 'unresolved',
  published: 'unpublished',
};
const OPPOSITE: Record<string, string> = {
  ...OPPOSITES,
  ...Object.fromEntries(Object.entries(OPPOSITES).map(([one, other]) => [other, one])),
};

/** Boolean columns that say `flag` (x, is_x), each with whether it says the opposite. */
export const flagColumns = (table: Table, flag: string): { col: string; negated: boolean }[] => {
  const found: { col: string; negated: boolean }[] = [];
  const opposite = OPPOSITE[flag];
  for (const [word, negated] of [[flag, false], ...(opposite ? [[opposite, true]] : [])] as [string, boolean][])
    for (const col of [word, `is_${word}`]) if (table.cols[col]?.type === 'bool') found.push({ col, negated });
  return found;
};

/** Foreign key of `child` to table `parent`: the one named after it first. */
export const foreignKey = (child: Table, parent: string): string | undefined => {
  let first: string | undefined;
  for (const name of Object.keys(child.cols)) if (child.cols[name]?.fk === parent) first ??= name;
  if (first === undefined) return undefined;
  return [`${parent}_id`, 'parent_id'].find((name) => child.cols[name]?.fk === parent) ?? first;
};

/** The column of a table's own row that points at `parent` rows (`row.parent`): its first foreign key. */
export const parentColumn = (table: Table): string | undefined =>
  ['parent_id', ...Object.keys(table.cols)].find((name) => table.cols[name]?.fk !== undefined);
