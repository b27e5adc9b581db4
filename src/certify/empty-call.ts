/** A call of a list that finds nothing: an answer without rows must fit the output schema as well. */
import type { Table } from '../artifacts/table.js';
import type { Arg, Tool } from '../artifacts/tool.js';
import type { SqlValue } from '../world/state/types.js';
import { argColumn } from '../world/surface/args.js';
import { type CallArgs, writeArgs } from './arguments.js';
import { FAR_TEXT } from './bad-calls.js';
import { argOf } from './questions.js';
import type { ServiceSubject } from './validator.js';

const FAR_ROWS = 500_000;
const FAR_NUMBER = 987_654_321;

/** A value that no row has; undefined where the argument could not say one. */
const strange = (subject: ServiceSubject, tool: Tool, name: string, arg: Arg): SqlValue | SqlValue[] | undefined => {
  const column = argColumn(subject.spec, tool, name);
  if (arg.op === 'ne' || arg.op === 'lt' || arg.op === 'lte') return undefined;
  const type = arg.type === 'list' ? (arg.items ?? column?.type) : arg.type;
  const isText =
    type === 'text' && !arg.enum && !column?.enum && (arg.maxLength ?? 99) >= FAR_TEXT.length && !arg.pattern;
  const isNumber = type === 'int' && (arg.max ?? FAR_NUMBER) >= FAR_NUMBER;
  const value = isText ? FAR_TEXT : isNumber ? FAR_NUMBER : undefined;
  return value === undefined ? undefined : arg.type === 'list' ? [value] : value;
};

/** Arguments for `base` (canonical values of what is required) that find no row; undefined when the tool cannot be asked so. */
export const emptyArgs = (
  subject: ServiceSubject,
  tool: Tool,
  base: Readonly<Record<string, SqlValue | readonly SqlValue[]>>,
): CallArgs | undefined => {
  const turn = argOf(tool, 'offset', 'page', 'cursor');
  if (turn) {
    const [name, arg] = turn;
    const far = arg.role === 'page' ? FAR_ROWS / 100 : FAR_ROWS;
    if ((arg.max ?? far) >= far) return writeArgs(subject.spec, tool, { ...base, [name]: far });
  }
  const query = argOf(tool, 'query');
  if (query) return writeArgs(subject.spec, tool, { ...base, [query[0]]: FAR_TEXT });
  for (const [name, arg] of Object.entries(tool.args)) {
    if (arg.role !== 'filter') continue;
    const value = strange(subject, tool, name, arg);
    if (value !== undefined) return writeArgs(subject.spec, tool, { ...base, [name]: value });
  }
  return undefined;
};

/** The keys of a few rows, those with the most empty cells first: what may be null is seen as null. */
export const sparseRows = (subject: ServiceSubject, table: string, most: number): readonly SqlValue[] => {
  const { key } = subject.spec.tables[table] as Table;
  const counted = subject.rows(table).map((row) => {
    let empties = 0;
    for (const col in row) if (row[col] === null) empties++;
    return { row, empties };
  });
  return counted
    .sort((a, b) => b.empties - a.empties)
    .slice(0, most)
    .map(({ row }) => row[key.col] ?? null);
};
