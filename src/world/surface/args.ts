/** Arguments of a tool: where each stands on the surface and how its value is read. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Column, ColumnType, Literal, Table } from '../../artifacts/table.js';
import type { Arg, Tool } from '../../artifacts/tool.js';
import { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import type { SqlValue } from '../state/types.js';
import { codecOf } from './codec.js';
import { firstPage, MAX_OFFSET, readCursor, writeCursor } from './cursor.js';
import { keptFor } from './kept.js';
import { styled, surfacePath } from './naming.js';
import { badValue, type Codec, shownValue } from './value.js';
import { currencyColumn, visibleColumns } from './values.js';

/** Most items of a list argument. */
export const MAX_ITEMS = 100;

/** One argument, ready to be described and decoded. */
export interface ArgSpec {
  name: string;
  arg: Arg;
  path: string[];
  codec: Codec;
  list: boolean;
  /** An explicit null clears the column; anywhere else null counts as absent. */
  nullable: boolean;
  min?: number | undefined;
  max?: number | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
  /** Says an amount's currency, where it is another argument. */
  currencyArg?: string | undefined;
}

/** The column an argument speaks of, where there is one. */
export const argColumn = (spec: ServiceSpec, tool: Tool, name: string): Column | undefined => {
  const arg = tool.args[name] as Arg;
  const cols = spec.tables[tool.table]?.cols ?? {};
  if (arg.col !== undefined) return Object.hasOwn(cols, arg.col) ? cols[arg.col] : undefined;
  const implied = arg.role === 'set' || arg.role === 'filter' || arg.role === 'key';
  return implied && Object.hasOwn(cols, name) ? cols[name] : undefined;
};

/** Where the argument stands on the surface. */
export const argPath = (spec: ServiceSpec, name: string, arg: Arg): string[] =>
  surfacePath(spec.surface.args, name, arg.field);

/** Columns a sort argument may name: its enum, else every visible column that has an order. */
export const sortable = (table: Table, arg: Arg): string[] =>
  arg.enum ?? visibleColumns(table).filter((name) => table.cols[name]?.type !== 'json');

/** `due_date` and `-due_date` in the surface's names, and back. */
const sortCodec = (spec: ServiceSpec, table: Table, arg: Arg): Codec => {
  const names = sortable(table, arg);
  const shown = (name: string): string => {
    const field = table.cols[name]?.field;
    return field === undefined ? styled(spec.surface.fields, name) : field;
  };
  const forward = new Map(
    names.flatMap(
      (name) =>
        [
          [name, shown(name)],
          [`-${name}`, `-${shown(name)}`],
        ] as const,
    ),
  );
  const back = new Map([...forward].map(([name, surface]) => [surface, name]));
  return {
    encode: (value) => forward.get(String(value)) ?? value,
    decode: (json) => {
      const name = typeof json === 'string' ? back.get(json) : undefined;
      if (name !== undefined) return name;
      throw badValue(`must be one of ${names.map(shown).join(', ')}, not ${shownValue(json)}`, json);
    },
    schema: { type: 'string', enum: [...forward.values()] },
    hint: 'a leading - sorts downwards',
  };
};
const cursorCodec: Codec = {
  encode: (value) => writeCursor(Number(value)),
  decode: (json) => readCursor(String(json)),
  schema: { type: 'string' },
};
/** Canonical: pages from 0. */
const pageCodec = (first: number): Codec => ({
  encode: (value) => Number(value) + first,
  decode: (json) => {
    const page = Number(json) - first;
    if (Number.isInteger(page) && page >= 0 && page <= MAX_OFFSET) return page;
    throw badValue(`must be a page number from ${first} up, not ${shownValue(json)}`, json);
  },
  schema: { type: 'integer', minimum: first },
});

const codecFor = (spec: ServiceSpec, table: Table, arg: Arg, col: Column | undefined, ownCurrency: boolean): Codec => {
  if (arg.role === 'sort') return sortCodec(spec, table, arg);
  if (arg.role === 'cursor') return cursorCodec;
  if (arg.role === 'page') return pageCodec(firstPage(spec.surface.paging));
  const type: ColumnType = arg.type === 'list' ? (arg.items ?? col?.type ?? 'text') : arg.type;
  const enumeration = type === 'text' ? (arg.enum ?? col?.enum) : undefined;
  return codecOf(spec.surface, { type, enum: enumeration, ownCurrency });
};

export type ArgShape = Pick<ArgSpec, 'arg' | 'list' | 'nullable'>;

/** What an argument is like apart from how it is shown. */
export const argShape = (spec: ServiceSpec, tool: Tool, name: string): ArgShape => {
  const arg = tool.args[name] as Arg;
  const col = argColumn(spec, tool, name);
  const nullable = arg.role === 'set' && !arg.required && col !== undefined && !col.required && tool.op !== 'create';
  return { arg, list: arg.type === 'list', nullable };
};

/** What the arguments of a tool have in common, found once for all of them. */
interface Currency {
  isOwn: boolean;
  arg: string | undefined;
}

const currencyOf = (spec: ServiceSpec, tool: Tool): Currency => {
  const column = currencyColumn(spec.tables[tool.table] as Table);
  const says = (name: string): boolean => argCol(tool, name) === column;
  return column === undefined
    ? { isOwn: false, arg: undefined }
    : { isOwn: true, arg: Object.keys(tool.args).find(says) };
};

const argSpec = (spec: ServiceSpec, tool: Tool, name: string, currency: Currency): ArgSpec => {
  const arg = tool.args[name] as Arg;
  const table = spec.tables[tool.table] as Table;
  const col = argColumn(spec, tool, name);
  const limits = arg.role === 'set' ? col : undefined;
  const paging = arg.role === 'limit' || arg.role === 'offset';
  const floor = arg.role === 'limit' ? 1 : 0;
  return {
    name,
    ...argShape(spec, tool, name),
    path: argPath(spec, name, arg),
    codec: codecFor(spec, table, arg, col, currency.isOwn),
    min: paging ? Math.max(floor, arg.min ?? floor) : arg.role === 'page' ? undefined : (arg.min ?? limits?.min),
    max: arg.max ?? (arg.role === 'limit' ? 100 : arg.role === 'offset' ? MAX_OFFSET : limits?.max),
    minLength: arg.minLength,
    maxLength: arg.maxLength ?? limits?.maxLength,
    currencyArg: currency.arg,
  };
};
const argCol = (tool: Tool, name: string): string => tool.args[name]?.col ?? name;

/** A default in canonical form. */
export const canonicalLiteral = (value: Literal): SqlValue => (typeof value === 'boolean' ? Number(value) : value);

/** All arguments of a tool by name, amounts last so that their currency is known. */
export const argSpecs = (spec: ServiceSpec, tool: Tool): ReadonlyMap<string, ArgSpec> => {
  const tools = keptFor(spec, 'args', () => new Map<Tool, ReadonlyMap<string, ArgSpec>>());
  const known = tools.get(tool);
  if (known) return known;
  const currency = currencyOf(spec, tool);
  const all = Object.keys(tool.args).map((name) => argSpec(spec, tool, name, currency));
  const money = (one: ArgSpec): number => Number(one.arg.type === 'money' && one.currencyArg !== undefined);
  const specs = new Map(all.sort((a, b) => money(a) - money(b)).map((one) => [one.name, one]));
  tools.set(tool, specs);
  return specs;
};

const one = (spec: ServiceSpec, tool: Tool, name: string): ArgSpec => {
  const found = argSpecs(spec, tool).get(name);
  if (found) return found;
  throw new TreadleError({ code: 'unknown_argument', message: `${tool.id} takes no argument ${name}`, value: name });
};

/**
 * A canonical value as the agent would write it for this argument: lists item by item, a page counted from 0, a cursor from
 * its row offset, a sort as `due_date` or `-due_date`. Throws `unknown_argument`.
 */
export const encodeArg = (
  spec: ServiceSpec,
  tool: Tool,
  name: string,
  value: SqlValue | readonly SqlValue[],
  currency?: string,
): Json => {
  const { codec } = one(spec, tool, name);
  const item = (scalar: SqlValue): Json => (scalar === null ? null : codec.encode(scalar, currency));
  return Array.isArray(value) ? value.map(item) : item(value as SqlValue);
};

/** The inverse of `encodeArg`. Throws `invalid_argument` (fault agent) for a value the argument cannot take. */
export const decodeArg = (spec: ServiceSpec, tool: Tool, name: string, json: Json): SqlValue | SqlValue[] => {
  const { codec, list } = one(spec, tool, name);
  const item = (scalar: Json): SqlValue => (scalar === null ? null : codec.decode(scalar));
  return list && Array.isArray(json) ? json.map(item) : item(json);
};
