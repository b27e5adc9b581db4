/** Turns the right side of an entry's line into a step value that fits its column, or nothing when it cannot. */

import type { Value } from '../../artifacts/step.js';
import type { Column, ColumnType, Table } from '../../artifacts/table.js';
import type { Arg } from '../../artifacts/tool.js';
import { columnOf, isNumber, isTime, readableOf } from './columns.js';
import { CLASS, callerFor, keep, translate } from './expression.js';
import type { Line } from './load.js';
import { type Named, quoted, type Scope } from './scope.js';
import { enumValue } from './status.js';

/** The clock as a column of this type stores it; undefined where it cannot. */
export const nowFor = (col: Column): Value | undefined =>
  col.type === 'datetime' ? '$now' : col.type === 'date' ? 'day_of(now)' : undefined;

const ALIKE: Record<ColumnType, readonly ColumnType[]> = {
  text: ['text'],
  int: ['int'],
  money: ['money', 'int'],
  number: ['number', 'int', 'money'],
  bool: ['bool'],
  date: ['date'],
  datetime: ['datetime', 'date'],
  json: ['json', 'text'],
};

const NUMERIC: readonly string[] = ['int', 'number', 'money'];
const TIMED: readonly string[] = ['date', 'datetime'];

/** An argument of the entry can stand for this column: people and things by reference, times for times, numbers for numbers. */
const couldHold = (arg: Arg, name: string, col: Column): boolean => {
  const isId = /_(id|by)$/.test(name) || arg.ref !== undefined;
  if (arg.type === 'list') return false;
  if (col.fk) return isId;
  if (NUMERIC.includes(arg.type)) return isNumber(col);
  if (TIMED.includes(arg.type)) return isTime(col);
  return arg.type === col.type;
};

/** Gives an argument the type, enum and reference of the column it is written to; false when the two cannot agree. */
const adapt = (arg: Arg, name: string, col: Column, isDocument: boolean): boolean => {
  if (isDocument)
    return ALIKE[col.type].includes(arg.type as ColumnType) && (!col.fk || arg.ref === undefined || arg.ref === col.fk);
  if (!couldHold(arg, name, col)) return false;
  arg.type = col.type;
  if (col.fk) arg.ref = col.fk;
  if (col.enum) arg.enum = [...col.enum];
  for (const key of ['min', 'max', 'maxLength', 'pattern', 'format'] as const)
    if (col[key] !== undefined) Object.assign(arg, { [key]: col[key] });
  return true;
};

const fromArgument = (
  name: string,
  col: Column,
  colName: string,
  scope: Scope,
  sameTable: boolean,
): Value | undefined => {
  const offered = scope.args.get(name);
  if (offered === undefined) return undefined;
  const { arg } = offered;
  if (scope.settled.has(offered.name) && !scope.isDocument) {
    // Already typed after another column: it must fit this one as it is.
    if (!ALIKE[col.type].includes(arg.type as ColumnType) || arg.ref !== col.fk) return undefined;
    if (col.enum && !arg.enum?.every((value) => col.enum?.includes(value))) return undefined;
  } else if (!adapt(arg, name, col, scope.isDocument)) return undefined;
  scope.settled.add(offered.name);
  if (sameTable && arg.col === undefined) arg.col = colName;
  scope.used.add(offered.name);
  return `$args.${offered.name}`;
};

const fromRow = (name: string, col: Column, scope: Scope): Value | undefined => {
  const from = name === 'id' ? scope.table.key.col : readableOf(scope.table, name);
  const source = from === undefined ? undefined : scope.table.cols[from];
  if (source === undefined || !ALIKE[col.type].includes(source.type)) return undefined;
  if (source.fk !== col.fk && col.fk && !(name === 'id' && col.fk === scope.tableName)) return undefined;
  if (col.enum && !(source.enum ?? []).every((value) => col.enum?.includes(value))) return undefined;
  if (col.enum && !source.enum) return undefined;
  if (col.required && source.required !== true && from !== scope.table.key.col) return undefined;
  return `$row.${from}`;
};

const fromList = (list: readonly string[], col: Column): Value | undefined => {
  if (col.type !== 'text' || col.fk) return undefined;
  const value = col.enum ? enumValue(col.enum, list) : list[0];
  return value === undefined ? undefined : quoted(value);
};

const fromExpression = (text: string, col: Column, scope: Scope, it: Named | undefined): Value | undefined => {
  const made = translate(text, scope, it, isTime(col) ? 'now' : '0');
  if (made === undefined || col.fk || col.enum) return undefined;
  if (made.of !== CLASS[col.type] || col.type === 'json') return undefined;
  if (isTime(col) && !/\bnow\b/.test(text) && !made.types.some((type) => type === 'date' || type === 'datetime'))
    return undefined;
  if (isTime(col) && /\b(amount|left)\b|\b(args|row|it)\.\w+ [*/]/.test(made.cel)) return undefined;
  if (isTime(col) && made.types.some((type) => type === 'money' || type === 'number')) return undefined;
  if (col.type === 'money' && made.types.some((type) => type === 'date' || type === 'datetime')) return undefined;
  if (made.isDouble && col.type !== 'number') return undefined;
  // An argument that may be absent cannot stand in an expression outside a has().
  if (made.needs.some((name) => !made.cel.includes(`has(args.${name})`))) return undefined;
  const cel = keep(made, scope);
  return col.type === 'date' && !/^\(?row\.\w+$/.test(cel) ? `day_of(${cel})` : cel;
};

/**
 * Step value of `line` for column `colName` of `target`: the acted table, or a side table, whose row being updated is `it`.
 * Undefined when a column, an argument or the type does not allow it. Arguments it uses are noted in the scope.
 */
export const valueFor = (line: Line, colName: string, target: Table, scope: Scope, it?: Named): Value | undefined => {
  const col = target.cols[colName] as Column;
  if (typeof line === 'boolean') return col.type === 'bool' ? line : undefined;
  if (typeof line === 'number') return isNumber(col) ? line : undefined;
  if (Array.isArray(line)) return fromList(line, col);
  if (line === '$now') return nowFor(col);
  if (line === '$me') return col.type === 'text' && !col.fk && !col.enum ? `$${callerFor(colName)}` : undefined;
  const path = /^\$(args|row)\.(\w+)$/.exec(line);
  if (path?.[1] === 'args') return fromArgument(path[2] as string, col, colName, scope, target === scope.table);
  if (path?.[1] === 'row') return fromRow(path[2] as string, col, scope);
  if (line.startsWith('$')) return undefined;
  return fromExpression(line, col, scope, it);
};

/** Column of `target` that a line's left side names, when a verb may write it. */
export const writable = (target: Table, role: string): string | undefined => {
  const col = columnOf(target, role);
  if (col === undefined || col === target.key.col) return undefined;
  return target.cols[col]?.auto === undefined ? col : undefined;
};
