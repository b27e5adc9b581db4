/**
 * The independent query: what a list or search should return, worked out over all rows in JavaScript from the tool's
 * declaration alone. It shares nothing with the interpreter, so that a mistake of one shows against the other.
 */
import type { ServiceSpec } from '../artifacts/service.js';
import type { Table } from '../artifacts/table.js';
import type { Arg, Tool } from '../artifacts/tool.js';
import type { Row, SqlValue } from '../world/state/types.js';

export interface Condition {
  name: string;
  arg: Arg;
  value: SqlValue | readonly SqlValue[];
}

export interface Query {
  conditions: readonly Condition[];
  /** Words to look for. */
  text?: { name: string; words: string };
  /** Column of the sort argument, `-` before it for downwards. */
  sort?: string;
}

const asciiLower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const ascii = (value: SqlValue): string => asciiLower(String(value));

/** Whether a stored value meets a condition; an empty cell meets only `ne`. */
const meets = (own: SqlValue, op: NonNullable<Arg['op']>, value: SqlValue | readonly SqlValue[]): boolean => {
  if (own === null) return op === 'ne' && value !== null;
  if (Array.isArray(value)) return value.includes(own);
  const other = value as SqlValue;
  switch (op) {
    case 'contains':
      return ascii(own).includes(ascii(other));
    case 'prefix':
      return ascii(own).startsWith(ascii(other));
    case 'in':
    case 'eq':
      return own === other;
    case 'ne':
      return own !== other;
    default: {
      const order = compareValues(own, other);
      if (op === 'lt') return order < 0;
      if (op === 'lte') return order <= 0;
      return op === 'gt' ? order > 0 : order >= 0;
    }
  }
};

const SURROGATE = /[\ud800-\udfff]/;

/** SQLite's order: empty cells first, numbers by size, texts by their UTF-8 bytes. */
export const compareValues = (a: SqlValue, b: SqlValue): number => {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  const [x, y] = [String(a), String(b)];
  if (SURROGATE.test(x) || SURROGATE.test(y)) return Buffer.compare(Buffer.from(x), Buffer.from(y));
  return x < y ? -1 : x > y ? 1 : 0;
};

/** Text columns a query looks in: those the tool names, else every visible one that holds free text. */
export const searchedColumns = (table: Table, tool: Tool): readonly string[] =>
  tool.match ??
  Object.keys(table.cols).filter((name) => {
    const col = table.cols[name];
    return col?.type === 'text' && !col.hidden && !col.enum && !col.fk && name !== table.key.col;
  });

const speaksOf = (row: Row, cols: readonly string[], words: string): boolean => {
  const cells = cols.map((col) => String(row[col] ?? '').toLowerCase());
  return words
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => cells.some((cell) => cell.includes(word.toLowerCase())));
};

/** Filters whose default narrows when the caller says nothing. */
const implied = (tool: Tool, given: readonly Condition[]): Condition[] =>
  Object.entries(tool.args).flatMap(([name, arg]) => {
    const standard = arg.default;
    if (arg.role !== 'filter' || standard === undefined || standard === null) return [];
    if (given.some((condition) => condition.name === name)) return [];
    return [{ name, arg, value: typeof standard === 'boolean' ? Number(standard) : standard }];
  });

/** The order declared: by the sort argument where it is given, else the tool's own; the key decides between equals. */
const orderOf = (tool: Tool, key: string, sort: string | undefined): { col: string; desc: boolean }[] => {
  const order = sort
    ? [{ col: sort.replace(/^-/, ''), desc: sort.startsWith('-') }]
    : (tool.order ?? []).map(({ col, desc }) => ({ col, desc: desc ?? false }));
  return order.some(({ col }) => col === key) ? order : [...order, { col: key, desc: false }];
};

/** All rows that the query is about, in the order in which they should come. */
export const ask = (spec: ServiceSpec, tool: Tool, rows: readonly Row[], query: Query): Row[] => {
  const table = spec.tables[tool.table] as Table;
  const conditions = [...query.conditions, ...implied(tool, query.conditions)];
  const searched = searchedColumns(table, tool);
  const found = rows.filter(
    (row) =>
      conditions.every(({ name, arg, value }) => meets(row[arg.col ?? name] ?? null, arg.op ?? 'eq', value)) &&
      (query.text === undefined || searched.length === 0 || speaksOf(row, searched, query.text.words)),
  );
  const order = orderOf(tool, table.key.col, query.sort);
  return found.sort((a, b) => {
    for (const { col, desc } of order) {
      const by = compareValues(a[col] ?? null, b[col] ?? null);
      if (by !== 0) return desc ? -by : by;
    }
    return 0;
  });
};
