/** The SQLite schema of a service: STRICT tables with everything a column promises as a constraint. */
import type { ServiceSpec } from '../artifacts/service.js';
import type { Column, ColumnType, Literal, Table } from '../artifacts/table.js';
import { sha256 } from '../kit/hash.js';

export const SQL_TYPE: Record<ColumnType, 'TEXT' | 'INTEGER' | 'REAL'> = {
  text: 'TEXT',
  int: 'INTEGER',
  number: 'REAL',
  bool: 'INTEGER',
  date: 'INTEGER',
  datetime: 'INTEGER',
  money: 'INTEGER',
  json: 'TEXT',
};

/** Ids and running numbers given out so far; internal, never in contracts or diffs. */
export const COUNTER_TABLE = '_treadle_counter';

/** An identifier; columns and tables are lower_snake, but may be SQL's own words (`order`, `group`). */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;
const literal = (value: Exclude<Literal, null>): string =>
  typeof value === 'string' ? text(value) : String(Number(value));

const columnChecks = (name: string, col: Column): string[] => {
  const id = quoted(name);
  const checks: string[] = [];
  const numeric = SQL_TYPE[col.type] !== 'TEXT';
  if (col.type === 'bool') checks.push(`${id} IN (0, 1)`);
  if (col.enum && col.type === 'text') checks.push(`${id} IN (${col.enum.map(text).join(', ')})`);
  if (numeric && col.min !== undefined) checks.push(`${id} >= ${col.min}`);
  if (numeric && col.max !== undefined) checks.push(`${id} <= ${col.max}`);
  if (col.type === 'text' && col.maxLength !== undefined) checks.push(`length(${id}) <= ${col.maxLength}`);
  return checks;
};

const columnSql = (spec: ServiceSpec, table: Table, name: string, col: Column): string => {
  const parts = [quoted(name), SQL_TYPE[col.type]];
  const isKey = table.key.col === name;
  if (isKey) parts.push('PRIMARY KEY');
  if (isKey || col.required) parts.push('NOT NULL');
  if (col.unique && !isKey) parts.push('UNIQUE');
  if (col.default !== undefined && col.default !== null) parts.push(`DEFAULT ${literal(col.default)}`);
  for (const check of columnChecks(name, col)) parts.push(`CHECK (${check})`);
  const parent = col.fk === undefined ? undefined : spec.tables[col.fk];
  if (col.fk !== undefined && parent) {
    parts.push(`REFERENCES ${quoted(col.fk)} (${quoted(parent.key.col)})`);
    if (col.onDelete) parts.push(col.onDelete === 'cascade' ? 'ON DELETE CASCADE' : 'ON DELETE SET NULL');
  }
  return parts.join(' ');
};

const tableSql = (spec: ServiceSpec, name: string, table: Table): string => {
  const lines = Object.entries(table.cols).map(([col, column]) => columnSql(spec, table, col, column));
  for (const cols of table.unique ?? []) lines.push(`UNIQUE (${cols.map(quoted).join(', ')})`);
  for (const check of table.check ?? []) lines.push(`CHECK (${check})`);
  return `CREATE TABLE ${quoted(name)} (\n  ${lines.join(',\n  ')}\n) STRICT`;
};

/** Its dotted name cannot meet that of a table, with which it shares a namespace. */
const indexSql = (table: string, col: string): string =>
  `CREATE INDEX ${quoted(`${table}.${col}`)} ON ${quoted(table)} (${quoted(col)})`;

/** CREATE statements of a service in the order of its spec: tables, indexes on foreign keys, the counter table. */
export const ddlOf = (spec: ServiceSpec): string[] => {
  const tables = Object.entries(spec.tables);
  return [
    ...tables.map(([name, table]) => tableSql(spec, name, table)),
    ...tables.flatMap(([name, table]) =>
      Object.entries(table.cols)
        .filter(([col, { fk }]) => fk !== undefined && col !== table.key.col)
        .map(([col]) => indexSql(name, col)),
    ),
    `CREATE TABLE ${quoted(COUNTER_TABLE)} (\n  "name" TEXT PRIMARY KEY NOT NULL,\n  "n" INTEGER NOT NULL\n) STRICT`,
  ];
};

/** Hash of the DDL: services with equal keys share a connection. */
export const ddlKeyOf = (spec: ServiceSpec): string => sha256(ddlOf(spec).join(';\n'));
