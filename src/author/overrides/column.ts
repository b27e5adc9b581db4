/** A column corrected, and with it the arguments that write it or look for it. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Column, Table } from '../../artifacts/table.js';
import type { Arg } from '../../artifacts/tool.js';
import type { ColumnChange } from './read.js';

const without = <T extends object, K extends keyof T>(value: T, ...keys: K[]): Omit<T, K> => {
  const out = { ...value };
  for (const key of keys) delete out[key];
  return out;
};

const columnOf = (column: Column, { type, enum: values, fk, default: start, ...plain }: ColumnChange): Column => {
  let out: Column = { ...column, ...plain };
  if (type !== undefined && type !== out.type) {
    // What bounded the old type says nothing of the new one.
    out = { ...without(out, 'min', 'max', 'maxLength', 'pattern', 'format', 'enum', 'default', 'auto', 'seed'), type };
  }
  if (values === null) out = without(out, 'enum') as Column;
  else if (values !== undefined) {
    out = { ...out, enum: values };
    if (out.default !== undefined && !values.includes(String(out.default))) out = without(out, 'default') as Column;
  }
  if (fk === null) out = without(out, 'fk') as Column;
  else if (fk !== undefined) out = { ...without(out, 'enum', 'pattern', 'format'), fk };
  if (start === null) out = without(out, 'default') as Column;
  else if (start !== undefined) out = { ...out, default: start };
  return Object.fromEntries(Object.entries(out).filter(([, value]) => value !== undefined)) as Column;
};

const argOf = (arg: Arg, column: Column, change: ColumnChange): Arg => {
  let out: Arg = { ...arg };
  const isList = arg.type === 'list';
  if (change.type !== undefined) {
    out = without(out, 'min', 'max', 'minLength', 'maxLength', 'pattern', 'format', 'enum', 'default') as Arg;
    if (isList) out.items = column.type;
    else out.type = column.type;
  }
  if (change.enum !== undefined) {
    out = without(out, 'enum') as Arg;
    if (column.enum && out.op !== 'contains' && out.op !== 'prefix') out.enum = column.enum;
    if (out.default !== undefined && column.enum && !column.enum.includes(String(out.default)))
      out = without(out, 'default') as Arg;
  }
  if (change.fk !== undefined && (out.role === 'set' || out.role === 'filter' || out.role === 'input'))
    out =
      column.fk === undefined
        ? (without(out, 'ref') as Arg)
        : { ...without(out, 'enum', 'pattern', 'format'), ref: column.fk };
  return out;
};

/** A table whose machine or default no longer agrees with its columns. */
const settled = (table: Table, col: string): Table => {
  const { machine } = table;
  const values = table.cols[col]?.enum;
  if (machine?.col !== col || !values) return machine?.col === col ? without(table, 'machine') : table;
  const moves = machine.moves
    .map((move) => ({ ...move, from: move.from.filter((state) => values.includes(state)) }))
    .filter(({ from, to }) => from.length > 0 && values.includes(to));
  const initial = values.includes(machine.initial) ? machine.initial : (values[0] as string);
  return { ...table, machine: { ...machine, initial, moves } };
};

/** The key's own type and a reference of another type than the key's are the caller's to refuse. */
export const changeColumn = (spec: ServiceSpec, name: string, col: string, change: ColumnChange): ServiceSpec => {
  const table = spec.tables[name] as Table;
  const target = change.fk ? spec.tables[change.fk] : undefined;
  const keyType = target?.cols[target.key.col]?.type;
  const old = table.cols[col] as Column;
  const typed = keyType !== undefined && keyType !== old.type ? { ...change, type: keyType } : change;
  const column = columnOf(old, typed);
  const tools = Object.entries(spec.tools).map(([tool, value]) => {
    if (value.table !== name) return [tool, value];
    let invalid = false;
    const args = Object.entries(value.args).map(([arg, given]) => {
      if (given.col !== col) return [arg, given];
      const next = argOf(given, column, typed);
      if (next.ref !== undefined && next.role !== 'filter') invalid = true;
      const asked =
        change.required === true && value.op === 'create' && next.role === 'set' && column.default === undefined;
      return [arg, asked ? { ...next, required: true } : next];
    });
    const errors = invalid
      ? { errors: { ...value.errors, invalid_reference: value.errors?.invalid_reference ?? 422 } }
      : {};
    return [tool, { ...value, ...errors, args: Object.fromEntries(args) }];
  });
  return {
    ...spec,
    tables: { ...spec.tables, [name]: settled({ ...table, cols: { ...table.cols, [col]: column } }, col) },
    tools: Object.fromEntries(tools),
  };
};
