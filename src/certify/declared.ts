/** What a tool's listed schemas should say, from its declaration: arguments and their types, columns and theirs. */
import type { ServiceSpec } from '../artifacts/service.js';
import type { Surface } from '../artifacts/surface.js';
import type { ColumnType, Table } from '../artifacts/table.js';
import type { Arg, Tool } from '../artifacts/tool.js';
import type { Json } from '../kit/hash.js';
import { argPath } from '../world/surface/args.js';
import { surfacePath } from '../world/surface/naming.js';
import { answerKind } from '../world/surface/output-schema.js';

type Schema = { readonly [key: string]: Json };

const PLAIN: Partial<Record<ColumnType, string>> = {
  text: 'string',
  int: 'integer',
  number: 'number',
  bool: 'boolean',
};
const MONEY: Record<Surface['money'], string> = {
  minor: 'integer',
  decimal: 'number',
  number: 'number',
  text: 'string',
  text_currency: 'string',
  currency_text: 'string',
  object: 'object',
};
const COUNTED = new Set<string>(['unix', 'unix_ms']);

/** JSON type of a stored type on a surface; undefined where any will do. */
const jsonType = (surface: Surface, type: ColumnType): string | undefined => {
  if (type === 'money') return MONEY[surface.money];
  if (type === 'date' || type === 'datetime') return COUNTED.has(surface[type]) ? 'integer' : 'string';
  return PLAIN[type];
};

const argType = (surface: Surface, arg: Arg): string | undefined => {
  if (arg.role === 'sort' || arg.role === 'cursor') return 'string';
  if (arg.role === 'page') return 'integer';
  return arg.type === 'list' ? 'array' : jsonType(surface, arg.type);
};

const isOf = (schema: Schema, type: string | undefined): boolean =>
  type === undefined || schema.type === type || (Array.isArray(schema.type) && schema.type.includes(type));

const properties = (schema: Schema): { [key: string]: Schema } =>
  (typeof schema.properties === 'object' && schema.properties !== null ? schema.properties : {}) as {
    [key: string]: Schema;
  };
const at = (schema: Schema, path: readonly string[]): Schema | undefined =>
  path.reduce<Schema | undefined>((inside, key) => {
    const held = inside && properties(inside);
    return held && Object.hasOwn(held, key) ? held[key] : undefined;
  }, schema);

/** Properties that no argument declares. */
const strays = (schema: Schema, declared: ReadonlySet<string>, above = ''): string[] =>
  Object.entries(properties(schema)).flatMap(([key, inner]) => {
    const path = above + key;
    if (declared.has(path)) return [];
    const isBranch = [...declared].some((known) => known.startsWith(`${path}.`));
    return isBranch ? strays(inner, declared, `${path}.`) : [path];
  });

const argFault = (spec: ServiceSpec, schema: Schema, name: string, arg: Arg): string | undefined => {
  const path = argPath(spec, name, arg);
  const shown = at(schema, path);
  if (!shown) return `does not list its argument ${path.join('.')}`;
  const type = argType(spec.surface, arg);
  if (!isOf(shown, type)) return `lists ${path.join('.')} as ${String(shown.type)}, it takes ${type}`;
  const above = at(schema, path.slice(0, -1));
  const isListed = Array.isArray(above?.required) && above.required.includes(path.at(-1) as string);
  const isRequired = arg.required === true && arg.default === undefined;
  return isListed === isRequired ? undefined : `lists ${path.join('.')} as ${isListed ? '' : 'not '}required`;
};

/** Where the input schema differs from the declared arguments. */
export const inputFaults = (spec: ServiceSpec, tool: Tool, schema: Schema): string[] => {
  const args = Object.entries(tool.args);
  const declared = new Set(args.map(([name, arg]) => argPath(spec, name, arg).join('.')));
  return [
    ...args.map(([name, arg]) => argFault(spec, schema, name, arg)).filter((fault) => fault !== undefined),
    ...strays(schema, declared).map((path) => `lists an argument ${path} that it does not declare`),
  ];
};

const inside = (schema: Schema): Schema[] => [
  ...Object.values(properties(schema)),
  ...(typeof schema.items === 'object' && schema.items !== null ? [schema.items as Schema] : []),
];
const find = (schema: Schema, fits: (schema: Schema) => boolean): Schema | undefined => {
  if (fits(schema)) return schema;
  for (const inner of inside(schema)) {
    const found = find(inner, fits);
    if (found) return found;
  }
  return undefined;
};

/** Where the output schema differs from the columns that the tool returns; hidden ones must not be in it. */
export const outputFaults = (spec: ServiceSpec, tool: Tool, schema: Schema): string[] => {
  const kind = answerKind(tool);
  if (kind !== 'row' && kind !== 'rows') return [];
  const table = spec.tables[tool.returns?.table ?? tool.table] as Table;
  const placeOf = (name: string): string[] => surfacePath(spec.surface.fields, name, table.cols[name]?.field);
  const names = tool.returns?.cols ?? Object.keys(table.cols);
  const shown = names.filter((name) => table.cols[name] && !table.cols[name].hidden && name !== table.key.col);
  const row = find(schema, (inner) => shown.every((name) => at(inner, placeOf(name)) !== undefined));
  if (!row) return ['does not list the columns it returns'];
  const mistyped = shown.filter((name) => {
    const type = jsonType(spec.surface, table.cols[name]?.type as ColumnType);
    return !isOf(at(row, placeOf(name)) as Schema, type);
  });
  const leaked = Object.keys(table.cols).filter((name) => table.cols[name]?.hidden && at(row, placeOf(name)));
  return [
    ...mistyped.map((name) => `lists ${name} as another type than it returns`),
    ...leaked.map((name) => `lists the hidden column ${name}`),
  ];
};

/** Tables and columns that the tool names and the service lacks. */
export const nameFaults = (spec: ServiceSpec, tool: Tool): string[] => {
  const has = (table: string, col?: string): boolean =>
    Object.hasOwn(spec.tables, table) && (col === undefined || Object.hasOwn(spec.tables[table]?.cols ?? {}, col));
  const returned = tool.returns?.table ?? tool.table;
  const named: [string, string?][] = [
    [tool.table],
    [returned],
    ...tool.reads.map((table): [string] => [table]),
    ...tool.writes.flatMap(({ table, cols }): [string, string?][] => [
      [table],
      ...(cols ?? []).map((col): [string, string] => [table, col]),
    ]),
    ...(tool.match ?? []).map((col): [string, string] => [tool.table, col]),
    ...(tool.order ?? []).map(({ col }): [string, string] => [tool.table, col]),
    ...(tool.returns?.cols ?? []).map((col): [string, string] => [returned, col]),
    ...Object.values(tool.args).flatMap(({ ref, col, role }): [string, string?][] => [
      ...(ref === undefined ? [] : [[ref] as [string]]),
      ...(col === undefined || role === 'input' ? [] : [[tool.table, col] as [string, string]]),
    ]),
  ];
  return [...new Set(named.filter(([table, col]) => !has(table, col)).map((parts) => parts.join('.')))].map(
    (place) => `names ${place}, which does not exist`,
  );
};
