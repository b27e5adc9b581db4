/** Side rows: what a verb inserts, updates or deletes in other tables of the service, where those tables exist. */
import type { Step, Value } from '../../artifacts/step.js';
import type { Column, Table } from '../../artifacts/table.js';
import type { Write } from '../../artifacts/tool.js';
import { foreignKey } from './columns.js';
import { translate } from './expression.js';
import type { Line, SideRow } from './load.js';
import type { Named, Scope } from './scope.js';
import { sideWhere } from './side-where.js';
import { statusColumns } from './status.js';
import { nowFor, valueFor, writable } from './value.js';

export interface Side {
  steps: Step[];
  reads: string[];
  writes: Write[];
}

/** Tables of the service that a side row goes to: the first named that exists, or every child table. */
const targets = (names: readonly string[], scope: Scope): Named[] => {
  for (const name of names) {
    if (name === 'same table') return [{ table: scope.table, tableName: scope.tableName }];
    if (name === 'child rows')
      return Object.entries(scope.tables)
        .filter(([child, table]) => child !== scope.tableName && foreignKey(table, scope.tableName) !== undefined)
        .map(([tableName, table]) => ({ table, tableName }));
    const table = scope.tables[name];
    if (table && name !== scope.tableName) return [{ table, tableName: name }];
  }
  return [];
};

const isFilled = (table: Table, name: string, col: Column): boolean =>
  col.required !== true ||
  col.default !== undefined ||
  col.auto !== undefined ||
  (name === table.key.col && table.key.gen !== undefined);

/** A required column that the entry says nothing of: the row's own of that name, the clock, or false. */
const filling = (name: string, col: Column, it: Named, scope: Scope): Value | undefined => {
  const own = scope.table.cols[name];
  const isCopy = own?.required === true && own.type === col.type && own.fk === col.fk && !col.unique;
  if (isCopy && (it.tableName === scope.tableName || !own.enum) && name !== scope.table.key.col) return `$row.${name}`;
  if (/_(at|on|date)$/.test(name) && nowFor(col) !== undefined) return nowFor(col);
  return col.type === 'bool' ? false : undefined;
};

/** A copy takes over what is not the row's own: no key, number, state or time of what happened to it. */
const copyOver = (set: Record<string, Value>, it: Named, scope: Scope): void => {
  const states = statusColumns(it.table);
  for (const [name, col] of Object.entries(it.table.cols)) {
    const isOwn = name === it.table.key.col || col.auto || col.unique || states.includes(name);
    if (isOwn || /(_at|_by|_count)$/.test(name)) continue;
    if (it.tableName === scope.tableName && !Object.hasOwn(set, name)) set[name] = `$row.${name}`;
  }
};

const isOptionalArg = (value: Value | undefined, scope: Scope): boolean => {
  const name = typeof value === 'string' ? /^\$args\.(\w+)$/.exec(value)?.[1] : undefined;
  return name !== undefined && [...scope.args.values()].some((one) => one.name === name && !one.arg.required);
};

/** Values of a row to insert; undefined when a required column stays empty. */
const insertSet = (lines: Record<string, Line>, it: Named, scope: Scope): Record<string, Value> | undefined => {
  const set: Record<string, Value> = {};
  for (const [role, line] of Object.entries(lines)) {
    if (role === 'parent') {
      const col = foreignKey(it.table, scope.tableName);
      if (line !== '$row.id' || col === undefined) return undefined;
      set[col] = `$row.${scope.table.key.col}`;
      continue;
    }
    const col = writable(it.table, role);
    const value = col === undefined || Object.hasOwn(set, col) ? undefined : valueFor(line, col, it.table, scope);
    if (col !== undefined && value !== undefined) set[col] = value;
  }
  if (Object.hasOwn(lines, 'copied_from_id')) copyOver(set, it, scope);
  for (const [name, col] of Object.entries(it.table.cols)) {
    if (isFilled(it.table, name, col) || (Object.hasOwn(set, name) && !isOptionalArg(set[name], scope))) continue;
    const value = filling(name, col, it, scope);
    if (value === undefined) return undefined;
    set[name] = value;
  }
  return set;
};

/** A fee or a refund of nothing is no row: the amount taken from the row itself must be above zero. */
const worth = (
  lines: Record<string, Line>,
  set: Record<string, Value>,
  it: Named,
  scope: Scope,
): string | undefined => {
  const name = typeof lines.amount === 'string' ? /^\$row\.(\w+)$/.exec(lines.amount)?.[1] : undefined;
  if (name === undefined) return undefined;
  const col = writable(it.table, 'amount');
  if (col === undefined || set[col] === undefined) return undefined;
  return translate(`row.${name} > 0`, scope)?.cel;
};

const insertSide = (side: SideRow, scope: Scope): Side | undefined => {
  const [it] = targets(side.insert as string[], scope);
  const set = it && insertSet(side.with ?? {}, it, scope);
  if (!it || !set || Object.keys(set).length === 0) return undefined;
  const onlyIf = worth(side.with ?? {}, set, it, scope);
  const isFirst = scope.inserted === undefined && onlyIf === undefined;
  if (isFirst) scope.inserted = it.tableName;
  const insert: Step = { insert: { table: it.tableName, set, ...(isFirst ? { as: 'new' } : {}) } };
  return {
    steps: onlyIf === undefined ? [insert] : [{ if: { that: onlyIf, do: [insert] } }],
    reads: [],
    writes: [{ table: it.tableName, insert: true }],
  };
};

/** Columns that the service fills at every write. */
export const touched = (table: Table): string[] =>
  Object.keys(table.cols).filter((name) => table.cols[name]?.auto === 'touch');

const eachSide = (side: SideRow, it: Named, n: number, scope: Scope): Side | undefined => {
  const found = sideWhere(side.where ?? '', it, scope);
  if (found === undefined) return undefined;
  const where = { [it.table.key.col]: `$it.${it.table.key.col}` };
  const set: Record<string, Value> = {};
  for (const [role, line] of Object.entries(side.set ?? {})) {
    const col = writable(it.table, role);
    const value = col === undefined ? undefined : valueFor(line, col, it.table, scope, it);
    if (col !== undefined && value !== undefined) set[col] = value;
  }
  if (side.update && Object.keys(set).length === 0) return undefined;
  const write: Write = side.update
    ? { table: it.tableName, cols: [...new Set([...Object.keys(set), ...touched(it.table)])] }
    : { table: it.tableName, delete: true };
  const rows = `side_${n}`;
  const steps: Step[] = [
    { find: { table: it.tableName, where: found.where, as: rows } },
    {
      each: {
        in: `$${rows}`,
        as: 'it',
        do: [
          side.update ? { update: { table: it.tableName, where, set } } : { delete: { table: it.tableName, where } },
        ],
      },
    },
  ];
  return {
    steps: found.onlyIf ? [{ if: { that: found.onlyIf, do: steps } }] : steps,
    reads: [it.tableName],
    writes: [write],
  };
};

/** Every side row that the service's tables allow, in the entry's order. */
export const sidesOf = (rows: readonly SideRow[], scope: Scope): Side[] => {
  const sides: Side[] = [];
  for (const [n, row] of rows.entries()) {
    if (row.insert) {
      const side = insertSide(row, scope);
      if (side) sides.push(side);
      continue;
    }
    for (const [m, it] of targets(row.update ?? row.delete ?? [], scope).entries()) {
      const side = eachSide(row, it, n * 10 + m + 1, scope);
      if (side) sides.push(side);
    }
  }
  return sides;
};
