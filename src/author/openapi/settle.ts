/** Settles each table once its tools are known: required columns, automatic ones, the label, and no circle of required parents. */
import type { Column, IdStyle, Table } from '../../artifacts/table.js';
import type { Tool } from '../../artifacts/tool.js';
import type { ColumnFact } from './columns.js';
import type { Entity } from './entities.js';
import { idStyle, SINGLE_KEY } from './keys.js';
import { freshValue, statusColumn } from './machine.js';

const CREATED =
  /^(created|created_at|created_on|create_time|creation_time|creation_date|date_created|created_date|created_time|inserted_at|date_added|added_at|create_date|created_utc|created_date_time)$/;
const UPDATED =
  /^(updated|updated_at|updated_on|update_time|modified|modified_at|modified_on|last_modified|last_modified_at|date_updated|date_modified|updated_date|modified_date|last_updated|last_updated_at|modification_time|updated_date_utc|last_modified_date_time)$/;
/** Running numbers people quote: `INV-1042`. */
const NUMBER =
  /^(number|iid|(invoice|order|ticket|case|quote|receipt|document|sequence|credit_note|purchase_order|reference)_(number|no))$/;
const NUMBERED = /^([A-Za-z]{0,6}[-#]?)\d{1,8}$/;
const LABELS = [
  'name',
  'display_name',
  'title',
  'full_name',
  'friendly_name',
  'subject',
  'label',
  'summary',
  'number',
  'code',
  'email',
  'username',
  'login',
  'slug',
  'sku',
  'first_name',
  'description',
  'reference',
];

const labelOf = (table: Table): string | undefined => {
  const visible = (name: string): boolean =>
    name !== (table.key.gen ? table.key.col : '') &&
    table.cols[name]?.type === 'text' &&
    !/^(?!attributes\.|fields\.|properties\.).*\./.test(table.cols[name]?.field ?? '') &&
    table.cols[name]?.hidden !== true &&
    table.cols[name]?.fk === undefined &&
    !table.cols[name]?.enum;
  const names = Object.keys(table.cols);
  for (const label of LABELS) if (names.includes(label) && visible(label)) return label;
  return names.find((name) => /(^|_)(name|title|subject)$/.test(name) && visible(name));
};

const automatic = (name: string, { column, field: { example } }: ColumnFact, writable: ReadonlySet<string>): Column => {
  if (writable.has(name) || column.fk) return column;
  const number = NUMBERED.exec(String(example ?? ''));
  if (column.type === 'text' && number && NUMBER.test(name))
    return { ...column, auto: 'number', prefix: number[1] as string };
  if (column.type === 'int' && NUMBER.test(name)) return { ...column, auto: 'number' };
  if (column.type !== 'datetime') return column;
  if (CREATED.test(name)) return { ...column, auto: 'now' };
  return UPDATED.test(name) ? { ...column, auto: 'touch' } : column;
};

/** A value a new row may start with, where the document requires the column but no caller gives it. */
export const startingValue = (name: string, column: Column): Column['default'] => {
  if (column.default !== undefined) return column.default;
  if (column.enum) return column.enum.length === 1 ? column.enum[0] : freshValue(column.enum);
  if (column.type === 'bool') return /(^|_)(enabled|active)$/.test(name);
  if (column.type === 'int' || column.type === 'number')
    return (column.min ?? 0) <= 0 && (column.max ?? 0) >= 0 ? 0 : column.min;
  return undefined;
};

/** Ids are written by the service unless its create operation requires the caller to name the row. */
const keyOf = (entity: Entity, create: Tool | undefined, fallback: IdStyle): Table['key'] => {
  const col = entity.columns.keyCol;
  const given = Object.values(create?.args ?? {}).find((arg) => arg.col === col);
  if (entity.resource.single) return { col };
  const named = !/(^|_)(id|uuid|guid|sid|gid|uid)$/.test(col);
  if (given && (given.required || named)) return { col };
  if (!create && named && entity.key.type === 'text' && !entity.resource.sightings.some(({ tag }) => tag))
    return { col };
  return { col, gen: idStyle(entity.key, fallback) };
};

/** Fills `entity.table` in place. `tools` are the entity's own. */
export const settleTable = (entity: Entity, tools: readonly Tool[], fallback: IdStyle): void => {
  const create = tools.find((tool) => tool.op === 'create');
  const given = new Map(
    Object.values(create?.args ?? {}).flatMap((arg) => (arg.col === undefined ? [] : [[arg.col, arg] as const])),
  );
  const writable = new Set(
    tools.flatMap((tool) =>
      Object.values(tool.args).flatMap((arg) => (arg.role === 'set' && arg.col ? [arg.col] : [])),
    ),
  );
  const { table } = entity;
  table.key = keyOf(entity, create, fallback);
  if (entity.resource.single === 'one') table.rows = 1;
  const status = statusColumn(
    Object.fromEntries([...entity.columns.facts].map(([name, { column }]) => [name, column])),
  );
  for (const [name, fact] of entity.columns.facts) {
    let column = automatic(name, fact, writable);
    if (name === table.key.col) {
      const { default: _, enum: __, fk, min: ____, max: _____, ...bare } = column;
      column = { ...bare, type: entity.key.type, required: true };
      if (entity.resource.single === 'part' && fk !== undefined) column.fk = fk;
      if (entity.resource.single === 'one') Object.assign(column, { enum: [SINGLE_KEY], default: SINGLE_KEY });
      if (table.key.gen) delete column.pattern;
      if (table.key.gen) delete column.maxLength;
      if (table.key.gen?.style !== 'uuid') delete column.format;
    } else if (column.auto) column = { ...column, required: true };
    else {
      const start = startingValue(name, column);
      const arg = given.get(name);
      const wanted = column.required === true || arg?.required === true;
      if (wanted && (arg?.required === true || !create)) column = { ...column, required: true };
      else if (wanted && start !== undefined && column.fk === undefined)
        column = { ...column, required: true, default: start };
      else {
        const { required: _, ...optional } = column;
        column = optional;
      }
      const begins = name === status || column.enum?.length === 1 || (column.type === 'bool' && !fact.field.nullable);
      if (column.default === undefined && begins && start !== undefined && arg?.required !== true)
        column = { ...column, default: start };
      if (column.fk === entity.name) delete column.required;
    }
    table.cols[name] = column;
  }
  const label = labelOf(table);
  if (label !== undefined) table.label = label;
};

/** Parents must come first when rows are made: of a circle of required foreign keys one is made optional. */
export const breakCircles = (tables: Record<string, Table>): void => {
  const done = new Set<string>();
  const open = new Set<string>();
  const visit = (name: string): void => {
    if (done.has(name)) return;
    open.add(name);
    for (const [col, column] of Object.entries(tables[name]?.cols ?? {})) {
      if (column.fk === undefined || !column.required) continue;
      const isKey = col === tables[name]?.key.col;
      if (open.has(column.fk)) delete column[isKey ? 'fk' : 'required'];
      else visit(column.fk);
    }
    open.delete(name);
    done.add(name);
  };
  for (const name of Object.keys(tables)) visit(name);
};
