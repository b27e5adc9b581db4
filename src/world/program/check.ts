/** What must hold of a service before its steps are compiled: names exist, names are unique, types fit. */
import { RESERVED_TOOL_NAMES, type ServiceSpec, TOOL_NAME } from '../../artifacts/service.js';
import type { Column, Table } from '../../artifacts/table.js';
import type { Tool } from '../../artifacts/tool.js';
import { TreadleError } from '../../errors.js';
import { surfacePath } from '../surface/naming.js';

const MAX_DEPTH = 3;

type Raise = (code: string, at: string, message: string, next?: string) => never;

const raiser =
  (spec: ServiceSpec): Raise =>
  (code, at, message, next) => {
    throw new TreadleError({
      code,
      message: `${spec.id}: ${at}: ${message}`,
      value: at,
      fault: 'world',
      ...(next && { next }),
    });
  };

/** Two values at one place, or one inside the other. */
const checkPaths = (raise: Raise, at: string, paths: readonly string[][]): void => {
  const taken = new Set<string>();
  const sorted = [...paths].sort((a, b) => a.length - b.length);
  for (const path of sorted) {
    const text = path.join('.');
    if (path.some((part) => part === '' || part === '__proto__')) raise('bad_field', at, `'${text}' is no field path`);
    const above = path.slice(1).map((_, i) => path.slice(0, i + 1).join('.'));
    if (taken.has(text) || above.some((prefix) => taken.has(prefix)))
      raise('bad_field', at, `two values stand at ${text}`, 'Give one of them another field.');
    taken.add(text);
  }
};

const AUTO_TYPES: Record<NonNullable<Column['auto']>, readonly Column['type'][]> = {
  now: ['date', 'datetime', 'int'],
  touch: ['date', 'datetime', 'int'],
  me: ['text'],
  number: ['text', 'int'],
};

const checkColumn = (raise: Raise, spec: ServiceSpec, at: string, col: Column): void => {
  if (col.enum && col.type !== 'text') raise('bad_column', at, 'only a text column can have an enum');
  if (col.enum && new Set(col.enum).size < col.enum.length) raise('bad_column', at, 'the enum repeats a value');
  if (col.enum && typeof col.default === 'string' && !col.enum.includes(col.default))
    raise('bad_column', at, `the default ${col.default} is not in the enum`);
  if (col.auto && !AUTO_TYPES[col.auto].includes(col.type))
    raise('bad_column', at, `a ${col.type} cannot be auto ${col.auto}`);
  if (col.fk === undefined) return;
  const parent = Object.hasOwn(spec.tables, col.fk) ? spec.tables[col.fk] : undefined;
  if (!parent) raise('unknown_table', at, `fk names ${col.fk}, which is no table`);
  const keyType = parent?.cols[parent.key.col]?.type;
  if (keyType !== undefined && (keyType === 'int') !== (col.type === 'int'))
    raise('bad_column', at, `is ${col.type}, but the key of ${col.fk} is ${keyType}`);
};

const checkTable = (raise: Raise, spec: ServiceSpec, name: string, table: Table): void => {
  const has = (col: string): boolean => Object.hasOwn(table.cols, col);
  const need = (col: string, what: string): void => {
    if (!has(col)) raise('unknown_column', name, `${what} names ${col}, which is no column`);
  };
  if (/^sqlite_/.test(name)) raise('bad_table', name, 'a table cannot be called sqlite_');
  need(table.key.col, 'key');
  if (table.label !== undefined) need(table.label, 'label');
  for (const cols of table.unique ?? []) for (const col of cols) need(col, 'unique');
  const key = table.cols[table.key.col];
  const { gen } = table.key;
  if (gen && (gen.style === 'integer') !== (key?.type === 'int'))
    raise(
      'bad_column',
      `${name}.${table.key.col}`,
      `ids of style ${gen.style} need a key of type ${gen.style === 'integer' ? 'int' : 'text'}`,
    );
  if (key && key.type !== 'int' && key.type !== 'text')
    raise('bad_column', `${name}.${table.key.col}`, 'a key is text or int');
  for (const [col, column] of Object.entries(table.cols)) checkColumn(raise, spec, `${name}.${col}`, column);
  if (table.machine) {
    need(table.machine.col, 'machine');
    const states = table.cols[table.machine.col]?.enum ?? [];
    const used = [table.machine.initial, ...table.machine.moves.flatMap(({ from, to }) => [...from, to])];
    const stray = used.find((state) => !states.includes(state));
    if (stray !== undefined)
      raise('bad_column', `${name}.${table.machine.col}`, `the machine has a state ${stray} that the enum lacks`);
  }
  const shown = Object.entries(table.cols).filter(([, { hidden }]) => !hidden);
  checkPaths(
    raise,
    name,
    shown.map(([col, { field }]) => surfacePath(spec.surface.fields, col, field)),
  );
};

const checkArgs = (raise: Raise, spec: ServiceSpec, name: string, tool: Tool): void => {
  const cols = spec.tables[tool.table]?.cols ?? {};
  for (const [arg, { col, ref, role, type, enum: values, items, field }] of Object.entries(tool.args)) {
    const at = `${name}.args.${arg}`;
    const speaksOf = col ?? (role === 'key' || role === 'set' || role === 'filter' ? arg : undefined);
    if (speaksOf !== undefined && !Object.hasOwn(cols, speaksOf))
      raise(
        'unknown_column',
        at,
        `table ${tool.table} has no column ${speaksOf}`,
        `Columns: ${Object.keys(cols).join(', ')}.`,
      );
    if (ref !== undefined && !Object.hasOwn(spec.tables, ref))
      raise('unknown_table', at, `ref names ${ref}, which is no table`);
    if (values && role !== 'sort' && (type === 'list' ? (items ?? 'text') : type) !== 'text')
      raise('bad_argument', at, 'only a text can have an enum');
    if ((field?.split('.').length ?? 1) > MAX_DEPTH) raise('bad_field', at, `${field} is deeper than ${MAX_DEPTH}`);
  }
  checkPaths(
    raise,
    name,
    Object.entries(tool.args).map(([arg, { field }]) => surfacePath(spec.surface.args, arg, field)),
  );
};

const checkContract = (raise: Raise, spec: ServiceSpec, name: string, tool: Tool): void => {
  for (const table of [tool.table, ...tool.reads, ...tool.writes.map((write) => write.table)])
    if (!Object.hasOwn(spec.tables, table))
      raise('unknown_table', name, `there is no table ${table}`, `Tables: ${Object.keys(spec.tables).join(', ')}.`);
  for (const { table, cols } of tool.writes)
    for (const col of cols ?? [])
      if (!Object.hasOwn(spec.tables[table]?.cols ?? {}, col))
        raise('unknown_column', name, `table ${table} has no column ${col}`);
};

const checkTools = (raise: Raise, spec: ServiceSpec): void => {
  const names = new Set<string>();
  const ids = new Set<string>();
  const reserved: readonly string[] = RESERVED_TOOL_NAMES;
  for (const [name, tool] of Object.entries(spec.tools)) {
    const low = name.toLowerCase();
    if (!TOOL_NAME.test(name))
      raise('bad_tool_name', name, 'a tool name has letters, digits and _, at most 64, and begins with a letter');
    if (reserved.includes(low)) raise('bad_tool_name', name, 'the gym protocols use this name for themselves');
    if (names.has(low)) raise('bad_tool_name', name, 'another tool has this name, apart from its case');
    if (ids.has(tool.id)) raise('bad_tool_name', name, `another tool has the id ${tool.id}`);
    names.add(low);
    ids.add(tool.id);
    if ((tool.op === 'code') !== (tool.code !== undefined))
      raise('bad_steps', name, 'op code and a source go together', 'Give both or neither.');
    if (tool.code && tool.steps) raise('bad_steps', name, 'a code tool has no steps', 'Take one of the two out.');
    if (tool.op === 'action' && !tool.steps) raise('bad_steps', name, 'an action needs steps');
    checkContract(raise, spec, name, tool);
    checkArgs(raise, spec, name, tool);
  }
};

/** Throws the first thing that is wrong with tables, tool names, arguments or contracts. */
export const checkService = (spec: ServiceSpec): void => {
  const raise = raiser(spec);
  for (const [name, table] of Object.entries(spec.tables)) checkTable(raise, spec, name, table);
  checkTools(raise, spec);
};
