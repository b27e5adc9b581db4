/** What a list or search is asked in certification: nothing, each filter, two together, words, and two orders. */
import type { Table } from '../artifacts/table.js';
import type { Arg, ArgRole, Tool } from '../artifacts/tool.js';
import { startOfDay } from '../kit/calendar.js';
import type { Row, SqlValue } from '../world/state/types.js';
import { sortable } from '../world/surface/args.js';
import { type CallArgs, writeArgs } from './arguments.js';
import { type Condition, type Query, searchedColumns } from './query.js';
import type { ServiceSubject } from './validator.js';

/** Rows that values are drawn from. */
const DONORS = 12;
/** A wildcard of SQL is an ordinary character to a caller. */
const WILDCARDS = '%_';

export const argOf = (tool: Tool, ...roles: ArgRole[]): [string, Arg] | undefined =>
  Object.entries(tool.args).find(([, arg]) => roles.includes(arg.role));

const allows = (arg: Arg, value: SqlValue): boolean => {
  if (typeof value === 'number') return value >= (arg.min ?? value) && value <= (arg.max ?? value);
  if (value === null || value === '') return false;
  const { minLength = 0, maxLength = value.length } = arg;
  return value.length >= minLength && value.length <= maxLength && (arg.enum?.includes(value) ?? true);
};

/** A value of the column as the filter would be given it: the start of a text, the day of a moment. */
const asked = (arg: Arg, value: SqlValue): SqlValue => {
  if (value === null) return null;
  if (arg.op === 'contains' || arg.op === 'prefix') return String(value).slice(0, 6).trim();
  return arg.type === 'date' ? startOfDay(Number(value)) : value;
};

/** For each filter a value of a row that is there, so that most answers are not empty. */
const conditionsOf = ({ random }: ServiceSubject, tool: Tool, rows: readonly Row[]): Condition[] =>
  Object.entries(tool.args).flatMap(([name, arg]): Condition[] => {
    if (arg.role !== 'filter' || arg.type === 'json') return [];
    const values = random
      .sample(rows, DONORS)
      .map((row) => asked(arg, row[arg.col ?? name] ?? null))
      .filter((value) => allows(arg, value));
    const [first] = values;
    if (first === undefined) return [];
    return [{ name, arg, value: arg.type === 'list' ? [...new Set(values)].slice(0, 2) : first }];
  });

type Text = NonNullable<Query['text']>;

const textsOf = ({ spec, random }: ServiceSubject, tool: Tool, rows: readonly Row[]): Text[] => {
  const query = argOf(tool, 'query');
  if (!query) return [];
  const [name, arg] = query;
  const cols = searchedColumns(spec.tables[tool.table] as Table, tool);
  const cells = random.sample(rows, 3).flatMap((row) => cols.map((col) => String(row[col] ?? '').trim()));
  const words = cells
    .filter((cell) => cell !== '')
    .map((cell) =>
      cell
        .split(/\s+/)
        .slice(0, 2)
        .join(' ')
        .slice(0, arg.maxLength ?? 200),
    );
  return [...random.sample(words, 2), WILDCARDS]
    .filter((text) => text.length >= (arg.minLength ?? 0))
    .map((text) => ({ name, words: text }));
};

/** The questions, each with every argument that the tool requires; none when the data has no value for one. */
export const questionsFor = (subject: ServiceSubject, tool: Tool, rows: readonly Row[]): Query[] => {
  const all = conditionsOf(subject, tool, rows);
  const needed = all.filter(({ arg }) => arg.required);
  const free = all.filter(({ arg }) => !arg.required);
  const texts = textsOf(subject, tool, rows);
  const [first] = texts;
  const base: Query = { conditions: needed, ...(argOf(tool, 'query')?.[1].required && first && { text: first }) };
  const narrowed = (more: readonly Condition[]): Query => ({ ...base, conditions: [...needed, ...more] });
  const sort = argOf(tool, 'sort');
  const orders = sort ? subject.random.sample(sortable(subject.spec.tables[tool.table] as Table, sort[1]), 2) : [];
  const queries = [
    base,
    ...free.map((one) => narrowed([one])),
    ...(free.length > 1 ? [narrowed(subject.random.sample(free, 2))] : []),
    ...texts.map((text) => ({ ...base, text })),
    ...orders.map((col, i) => ({ ...base, sort: i === 0 ? col : `-${col}` })),
  ];
  const given = ({ conditions, text }: Query, name: string): boolean =>
    text?.name === name || conditions.some((condition) => condition.name === name);
  return queries.filter((query) =>
    Object.entries(tool.args).every(([name, arg]) => !arg.required || given(query, name)),
  );
};

/** The question as a call's arguments; `steering` holds the page and its size. */
export const askedArgs = (
  subject: ServiceSubject,
  tool: Tool,
  { conditions, text, sort }: Query,
  steering: Record<string, SqlValue>,
): CallArgs => {
  const order = argOf(tool, 'sort');
  return writeArgs(subject.spec, tool, {
    ...Object.fromEntries(conditions.map(({ name, value }) => [name, value])),
    ...(text && { [text.name]: text.words }),
    ...(sort && order && { [order[0]]: sort }),
    ...steering,
  });
};

/** The question in words, for evidence. */
export const inWords = ({ conditions, text, sort }: Query): string => {
  const parts = conditions.map(({ name, value }) => `${name}=${String(value).slice(0, 30)}`);
  if (text) parts.push(`the words '${text.words}'`);
  if (sort) parts.push(`the order ${sort}`);
  return parts.length > 0 ? `with ${parts.join(', ')}` : 'without filters';
};
