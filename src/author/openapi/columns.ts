/** Columns of a resource: the union of what its answers show and its bodies take, under names SQLite and people can use. */
import type { Column } from '../../artifacts/table.js';
import { snake } from '../../kit/words.js';
import { type FieldContext, fieldsOf, scalarField } from './fields.js';
import { asKeyText, type FoundKey, wordsFor } from './keys.js';
import { identifier, surfaceField, unique } from './names.js';
import { pagingRole } from './query.js';
import type { Resource } from './resources.js';
import { takeSaidValues } from './said-values.js';
import type { View } from './schema.js';
import { SurfacePaths } from './surface-paths.js';
import type { DocParam, Field } from './types.js';
import { keptWhole } from './whole.js';

export interface ColumnFact {
  name: string;
  column: Column;
  field: Field;
  /** Where the column was seen: an answer, only a body, or neither (a key or parent from the path). */
  from: 'answer' | 'body' | 'path';
}

export interface BodyField {
  field: Field;
  /** Its words below the body's wrapper, joined: the argument's name. */
  name: string;
  /** Column it writes. */
  col: string;
}

export interface Columns {
  facts: Map<string, ColumnFact>;
  keyCol: string;
  /** Body fields of each writing operation, by its label. */
  bodies: Map<string, BodyField[]>;
  /** Adds a column and returns its name. */
  add(wanted: string, column: Column, from: ColumnFact['from'], field?: Field): string;
  taken: Set<string>;
}

/** A row an agent can read in one go; the rest of a very wide schema is left out. */
const MOST_COLUMNS = 40;
/** Columns that only bodies name come on top. */
const MOST_OF_BODIES = 15;
/** SQLite takes 2,000; no schema that people keep is wider than this. */
const MOST_OF_ALL = 400;
const roomFor = ({ every }: FieldContext): number => (every === true ? MOST_OF_ALL : MOST_COLUMNS);
/** JSON:API and its kin keep the columns one level down. */
const HOLDERS = new Set(['attributes', 'fields', 'properties', 'spec', 'data']);

const relative = (path: readonly string[]): string[] =>
  path.length > 1 && HOLDERS.has(snake(path[0] as string)) ? path.slice(1) : [...path];
const plain = (path: readonly string[]): string => relative(path).map(snake).join('_');
/** `customer_id`, `customerId`, `customer.id` and `customer` may be one column. */
const loose = (name: string): string => name.replace(/_?(id|sid|uuid)$/, '').replaceAll('_', '');

const SECRET = /(^|_)(password|passwd|secret|private_key|client_secret|pin|cvv|cvc)$/;

/** A column as the schema describes it; `required` is settled once the create tool is known. */
export const columnOf = (field: Field, shown = false): Column => {
  const column: Column = { type: field.type, field: surfaceField(field.path) };
  if (field.required && !field.nullable) column.required = true;
  if (field.default !== undefined && fits(field)) column.default = field.default;
  if (field.enum) column.enum = field.enum;
  if (field.min !== undefined) column.min = field.min;
  if (field.max !== undefined) column.max = field.max;
  if (field.maxLength !== undefined) column.maxLength = field.maxLength;
  if (field.pattern !== undefined && !field.enum) column.pattern = field.pattern;
  if (field.format !== undefined) column.format = field.format;
  if (field.description !== undefined) column.description = field.description;
  if (field.writeOnly || (!shown && SECRET.test(snake(field.path.at(-1) ?? '')))) column.hidden = true;
  return column;
};

const fits = ({ default: value, type, enum: listed, min, max }: Field): boolean => {
  if (type === 'text') return typeof value === 'string' && (!listed || listed.includes(value));
  if (type === 'bool') return typeof value === 'boolean';
  if (type === 'int' || type === 'number')
    return (
      typeof value === 'number' &&
      (type === 'number' || Number.isSafeInteger(value)) &&
      value >= (min ?? value) &&
      value <= (max ?? value)
    );
  return false;
};

/** True when one path runs through the other, so that both cannot stand on one surface. */
export const collides = (a: string, b: string): boolean => a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);

/** Links to the service's own pages, and ids of its inner workings. */
const PLUMBING = /(_url|_uri|_href|_link|node_id|gravatar_id|etag)$/;

const worth = (field: Field, at: number, written: ReadonlySet<string>): number =>
  (field.required ? 30 : 0) +
  (written.has(plain(field.path)) ? 35 : 0) +
  (field.enum ? 25 : 0) +
  (field.embeds ? 30 : 0) +
  (field.path.length === 1 ? 20 : 0) -
  (field.type === 'json' ? 25 : 0) -
  (PLUMBING.test(plain(field.path)) ? 60 : 0) -
  at / 10;

/** Names of the columns that bodies write. */
const writtenIn = (resource: Resource, context: FieldContext): Set<string> => {
  const bodies = resource.sightings.filter(
    ({ body, kind }) => body && !body.many && (kind === 'create' || kind === 'update'),
  );
  const fields = bodies.flatMap(({ body }) => (body ? fieldsOf(body.item, context, []) : []));
  return new Set(fields.map((field) => plain(field.path)));
};

const answerFields = (resource: Resource, keyProperty: string, context: FieldContext): Field[] => {
  const found = new Map<string, Field>();
  const paths = new SurfacePaths();
  resource.views.slice(0, context.every === true ? 12 : 4).forEach((view, at) => {
    for (const field of fieldsOf(view, context)) {
      const path = surfaceField(field.path);
      if (paths.collides(path)) continue;
      paths.add(path);
      found.set(path, at === 0 ? field : { ...field, required: false });
    }
  });
  const all = [...found.values()];
  if (all.length <= roomFor(context)) return all;
  const written = writtenIn(resource, context);
  const isKey = (field: Field): boolean => field.path.length === 1 && field.path[0] === keyProperty;
  const points = new Map(all.map((field, at) => [field, isKey(field) ? 1000 : worth(field, at, written)] as const));
  const ranked = [...all].sort((a, b) => (points.get(b) ?? 0) - (points.get(a) ?? 0));
  const best = new Set(ranked.slice(0, roomFor(context)));
  return all.filter((field) => best.has(field));
};

/** Part of an object that one plain value may stand for: `status: active` in a body, `status.value` in an answer. */
const standIn = (
  facts: ReadonlyMap<string, ColumnFact>,
  name: string,
  field: Field,
  taken: readonly BodyField[],
): string | undefined =>
  ['value', 'id', 'ref', 'name', 'code', 'key', 'slug', 'number', 'type']
    .map((part) => `${name}_${part}`)
    .find((col) => facts.get(col)?.column.type === field.type && !taken.some((other) => other.col === col));

/** What a body may write binds the column too, so that the data holds only what a caller could have written. */
const takeRules = (fact: ColumnFact | undefined, field: Field, keyCol: string): void => {
  if (!fact || fact.name === keyCol || fact.column.type !== field.type) return;
  const column = { ...fact.column };
  if (field.enum) {
    column.enum = [...new Set([...(column.enum ?? []), ...field.enum])];
    delete column.pattern;
    if (column.default !== undefined && !column.enum.includes(String(column.default))) delete column.default;
  } else if (!column.enum && field.pattern !== undefined) column.pattern ??= field.pattern;
  if (field.maxLength !== undefined) column.maxLength = Math.min(field.maxLength, column.maxLength ?? field.maxLength);
  const low = column.min ?? field.min;
  const high = column.max ?? field.max;
  const inside =
    typeof column.default !== 'number' ||
    (column.default >= (low ?? column.default) && column.default <= (high ?? column.default));
  if ((low === undefined || high === undefined || low <= high) && inside) {
    if (low !== undefined) column.min = low;
    if (high !== undefined) column.max = high;
  }
  fact.column = column;
};

/** An instant that bodies write as any text is kept as that text. */
const takeText = (fact: ColumnFact | undefined, { type }: Field): void => {
  if (fact?.column.type !== 'datetime' || fact.field.instant !== undefined || type !== 'text') return;
  fact.column = { ...fact.column, type: 'text', format: 'date-time' };
  fact.field = { ...fact.field, type: 'text' };
};

/** The list of `{op, path, value}` that changes a row piecemeal (RFC 6902). */
export const isJsonPatch = (view: View): boolean => ['op', 'path', 'value'].every((name) => view.properties.has(name));

/** Rows of a body that takes many are rows of the resource: half their properties are its own. */
const looksLike = (view: View, { views }: Resource): boolean => {
  const names = [...view.properties.keys()];
  return views.some((own) => names.filter((name) => own.properties.has(name)).length * 2 >= names.length);
};

/** Services that put everything into the query write their columns from there; what steers the answer or signs in does not. */
const NOT_WRITTEN =
  /^(api_?)?(key|token|version|v)$|^(access_token|auth_token|format|fields|expand|include|includes|callback|pretty|lang|locale|dry_run|validate_only|force|async|timeout|wait|prettyprint|quota_user|user_ip|alt|sort|order|sort_by|order_by)$/;

/** `Action=UpdateTemplate`: required and always the same, so it says which procedure is called and nothing of the row. */
export const isFixed = ({ required, schema }: DocParam): boolean =>
  required && Array.isArray(schema.enum) && schema.enum.length === 1;

export const isWritten = (param: DocParam): boolean => {
  const words = snake(param.name);
  return (
    !isFixed(param) &&
    param.in === 'query' &&
    !NOT_WRITTEN.test(words) &&
    !/[[\]$.]/.test(param.name) &&
    pagingRole(words) === undefined
  );
};

export const columnsOf = (resource: Resource, key: FoundKey, given: FieldContext): Columns => {
  const context = given.every === true ? { ...given, whole: keptWhole(resource, given) } : given;
  const facts = new Map<string, ColumnFact>();
  const taken = new Set<string>();
  const surfaces = new SurfacePaths();
  const byPlain = new Map<string, string>();
  const byLoose = new Map<string, string | undefined>();
  const put = (wanted: string, column: Column, from: ColumnFact['from'], field: Field): string => {
    const name = unique(identifier(wanted, 'field'), taken);
    facts.set(name, { name, column, field, from });
    if (column.field !== undefined) surfaces.add(column.field);
    return name;
  };
  const remember = (path: readonly string[], name: string): void => {
    if (!byPlain.has(plain(path))) byPlain.set(plain(path), name);
    const rough = loose(plain(path));
    byLoose.set(rough, byLoose.has(rough) ? undefined : name);
  };
  const keyPath = [key.property];
  let keyCol: string | undefined;
  for (const shown of answerFields(resource, key.property, context)) {
    const isKey = !key.synthetic && shown.path.length === 1 && shown.path[0] === key.property;
    const field = isKey && key.type === 'text' ? asKeyText(shown) : shown;
    const name = put(plain(field.path), columnOf(field, context.every), 'answer', field);
    remember(field.path, name);
    if (isKey) keyCol = name;
  }
  const keyField: Field = { ...blank(keyPath, key.type), ...(key.field ? { description: key.field.description } : {}) };
  if (keyCol === undefined) {
    const free = surfaces.collides(surfaceField(keyPath));
    keyCol = put(
      plain(keyPath),
      {
        ...columnOf(keyField),
        ...(key.hidden ? { hidden: true as const } : {}),
        ...(free ? { field: surfaceField([`${key.property}_key`]) } : {}),
      },
      'path',
      keyField,
    );
    remember(keyPath, keyCol);
  }
  const bodies = new Map<string, BodyField[]>();
  const patched: string[] = [];
  const naming = context.every === true && key.hidden !== true ? wordsFor(resource) : undefined;
  for (const { op, body, kind, keyElsewhere } of resource.sightings) {
    if (!body || (kind !== 'create' && kind !== 'update')) continue;
    if (body.many && isJsonPatch(body.item)) patched.push(op.label);
    if (body.many && !looksLike(body.item, resource)) continue;
    const around = body.many ? [] : body.path;
    const fields: BodyField[] = [];
    const given = fieldsOf(body.item, context, around);
    const isNamed = keyElsewhere && !given.some(({ path }) => plain(path.slice(around.length)) === keyCol);
    for (const field of given) {
      const inner = field.path.slice(around.length);
      // `{channel: 'C1', topic}`: the name of the row is none of its values.
      if (isNamed && naming?.has(plain(inner)) && !byPlain.has(plain(inner))) continue;
      const known = byPlain.get(plain(inner)) ?? byLoose.get(loose(plain(inner)));
      let col = known !== undefined && facts.has(known) ? known : undefined;
      if (col !== undefined && fields.some((other) => other.col === col)) col = undefined;
      const shown = surfaceField(inner);
      const clash = surfaces.collides(shown);
      if (col === undefined && clash) col = standIn(facts, plain(inner), field, fields);
      if (col === undefined && !clash && (facts.size < roomFor(context) + MOST_OF_BODIES || field.required)) {
        col = put(plain(inner), columnOf({ ...field, path: inner, required: false }), 'body', {
          ...field,
          path: inner,
        });
        remember(inner, col);
      }
      if (col !== undefined) fields.push({ field: col === keyCol ? asKeyText(field) : field, name: plain(inner), col });
    }
    for (const { field, col } of fields) {
      if (context.every === true) takeText(facts.get(col), field);
      takeRules(facts.get(col), field, keyCol);
    }
    bodies.set(op.label, fields);
  }
  for (const { op, body, kind } of resource.sightings) {
    if (body || op.body || (kind !== 'create' && kind !== 'update')) continue;
    const fields: BodyField[] = [];
    for (const param of op.params.filter(isWritten)) {
      const field = scalarField(param.name, param.schema, param.required, context.schemas);
      const words = snake(param.name);
      const shown = surfaceField([param.name]);
      let col = byPlain.get(words) ?? byLoose.get(loose(words));
      if (!field || fields.some((other) => other.col === col)) continue;
      if (col === undefined && !surfaces.collides(shown) && facts.size < roomFor(context)) {
        col = put(words, columnOf({ ...field, path: [param.name], required: false }), 'body', field);
        remember([param.name], col);
      }
      if (col !== undefined) fields.push({ field: { ...field, path: [param.name] }, name: words, col });
    }
    if (fields.length > 0) bodies.set(op.label, fields);
  }
  for (const label of patched) {
    const writable = [...bodies.values()].sort((a, b) => b.length - a.length)[0];
    if (writable) bodies.set(label, writable);
  }
  takeSaidValues(facts, bodies);
  const add: Columns['add'] = (wanted, column, from, field) =>
    put(wanted, column, from, field ?? blank([wanted], column.type === 'money' ? 'int' : column.type));
  return { facts, keyCol, bodies, add, taken };
};

export const blank = (path: string[], type: Field['type']): Field => ({
  path,
  type,
  required: false,
  nullable: false,
  readOnly: false,
  writeOnly: false,
  enum: undefined,
  format: undefined,
  min: undefined,
  max: undefined,
  minLength: undefined,
  maxLength: undefined,
  pattern: undefined,
  default: undefined,
  description: undefined,
  example: undefined,
  instant: undefined,
  embeds: undefined,
});
