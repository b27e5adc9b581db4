/** The condition of a side row as the conditions of a find; undefined when any part of it cannot be said. */
import type { Condition } from '../../artifacts/step.js';
import type { Column } from '../../artifacts/table.js';
import { columnOf, foreignKey, parentColumn, readableOf } from './columns.js';
import { callerFor } from './expression.js';
import { type Named, quoted, type Scope } from './scope.js';
import { enumValue } from './status.js';

export interface SideWhere {
  where: Condition[];
  /** CEL over the arguments that must hold for the side row to be touched at all. */
  onlyIf?: string;
}

const OPS: Record<string, Condition['op']> = {
  '==': 'eq',
  '!=': 'ne',
  '>=': 'gte',
  '<=': 'lte',
  '>': 'gt',
  '<': 'lt',
  in: 'in',
};

/** Column of the side table that `it.<name>` means. */
const sideColumn = (it: Named, name: string, scope: Scope): string | undefined => {
  if (name === 'id') return it.table.key.col;
  if (name === 'parent') return foreignKey(it.table, scope.tableName);
  return columnOf(it.table, name);
};

const rowValue = (name: string, col: Column, isKey: boolean, it: Named, scope: Scope): string | undefined => {
  const { table } = scope;
  const from = name === 'id' ? table.key.col : name === 'parent' ? parentColumn(table) : readableOf(table, name);
  const source = from === undefined ? undefined : table.cols[from];
  if (source === undefined || source.type !== col.type) return undefined;
  const target = isKey ? it.tableName : col.fk;
  const said = name === 'id' ? scope.tableName : source.fk;
  return target === said || (isKey && said === undefined) ? `$row.${from}` : undefined;
};

const argValue = (name: string, col: Column, isKey: boolean, it: Named, scope: Scope): string | undefined => {
  const offered = scope.args.get(name);
  if (offered === undefined) return undefined;
  const { arg } = offered;
  if (!scope.isDocument && !scope.settled.has(offered.name) && arg.type !== 'list') {
    arg.type = col.type;
    const ref = isKey ? it.tableName : col.fk;
    if (ref) arg.ref = ref;
  }
  if ((arg.type === 'list' ? arg.items : arg.type) !== col.type) return undefined;
  if (arg.ref !== undefined && arg.ref !== (isKey ? it.tableName : col.fk)) return undefined;
  scope.used.add(offered.name);
  scope.settled.add(offered.name);
  return `$args.${offered.name}`;
};

const comparison = (text: string, it: Named, scope: Scope): Condition | undefined => {
  const [, name = '', op = '', right = ''] = /^it\.(\w+) (==|!=|>=|<=|>|<|in) (.+)$/.exec(text) ?? [];
  const colName = name === '' ? undefined : sideColumn(it, name, scope);
  const col = colName === undefined ? undefined : it.table.cols[colName];
  if (col === undefined || colName === undefined) return undefined;
  if (right === 'null') {
    if (col.required) return undefined;
    return { col: colName, op: op === '==' ? 'is_null' : 'not_null' };
  }
  const isKey = colName === it.table.key.col;
  const [, owner = '', path = ''] = /^(row|args|new|me)\.(\w+)$/.exec(right) ?? [];
  let value: string | undefined;
  if (owner === 'row') value = rowValue(path, col, isKey, it, scope);
  else if (owner === 'args') value = argValue(path, col, isKey, it, scope);
  else if (owner === 'me') value = col.fk || col.type !== 'text' ? undefined : `$${callerFor(colName)}`;
  else if (owner === 'new')
    value = scope.inserted === it.tableName && path === 'id' ? `$new.${it.table.key.col}` : undefined;
  else if (/^'.*'$/.test(right)) {
    const said = right.slice(1, -1);
    const held = col.enum ? enumValue(col.enum, [said]) : said;
    value = held === undefined ? undefined : quoted(held);
  }
  return value === undefined ? undefined : { col: colName, op: OPS[op] as Condition['op'], value };
};

/** Splits at `&&` outside parentheses. */
const conjuncts = (text: string): string[] => text.split(/ && (?![^(]*\))/);

/** Conditions for the rows `it` of a side table that `text` means. */
export const sideWhere = (text: string, it: Named, scope: Scope): SideWhere | undefined => {
  const where: Condition[] = [];
  let onlyIf: string | undefined;
  for (const part of conjuncts(text)) {
    const given = /^has\(args\.(\w+)\)$/.exec(part)?.[1];
    if (given !== undefined) {
      const offered = scope.args.get(given);
      if (offered === undefined) return undefined;
      if (!offered.arg.required) onlyIf = `has(args.${offered.name})`;
      continue;
    }
    const choice = /^\(!has\(args\.(\w+)\) \|\| (.+)\)$/.exec(part);
    if (choice && scope.args.get(choice[1] as string) === undefined) continue;
    const condition = comparison(choice ? (choice[2] as string) : part, it, scope);
    if (condition === undefined) return undefined;
    const name = typeof condition.value === 'string' ? /^\$args\.(\w+)$/.exec(condition.value)?.[1] : undefined;
    const isOptional =
      name !== undefined && [...scope.args.values()].some((one) => one.name === name && !one.arg.required);
    if (isOptional && !choice) onlyIf ??= `has(args.${name})`;
    where.push(isOptional && choice ? { ...condition, optional: true } : condition);
  }
  // Without a tie to the row or an argument it would touch rows that are none of its business.
  const isTied = where.some(
    (one) => typeof one.value === 'string' && /^\$(row|args)\./.test(one.value) && one.optional !== true,
  );
  return isTied ? { where, ...(onlyIf ? { onlyIf } : {}) } : undefined;
};
