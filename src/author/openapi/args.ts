/** Arguments of the plain tools: what names the row, what is written, what narrows a list. */
import type { Arg } from '../../artifacts/tool.js';
import { plural, singular, snake } from '../../kit/words.js';
import { type BodyField, collides, isFixed } from './columns.js';
import { directionArg } from './direction.js';
import type { Entity } from './entities.js';
import { scalarField } from './fields.js';
import { identifier, propertyName, surfaceField, unique } from './names.js';
import {
  filterArg,
  idCursor,
  keysArg,
  limitArg,
  type PagingStyle,
  pageArg,
  pagingRole,
  queryField,
  sortArg,
} from './query.js';
import type { Schemas } from './schema.js';
import type { Sighting } from './sightings.js';
import type { DocParam, Field } from './types.js';
import { isObject } from './unwrap.js';

export interface ArgList {
  args: Record<string, Arg>;
  taken: Set<string>;
  fields: string[];
}

export const noArgs = (): ArgList => ({ args: {}, taken: new Set(), fields: [] });

/** Adds an argument under a free name; false when its surface path is already in use. */
export const addArg = (list: ArgList, wanted: string, arg: Arg): boolean => {
  const field = arg.field ?? wanted;
  if (list.fields.some((other) => collides(other, field))) return false;
  list.fields.push(field);
  list.args[unique(identifier(wanted, 'arg'), list.taken)] = arg;
  return true;
};

const described = (text: string | undefined, most = 200): string | undefined => {
  if (!text) return undefined;
  const flat = text
    .slice(0, 1000)
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const sentence = /^.{12,}?[.!?](?=\s|$)/.exec(flat)?.[0] ?? flat;
  return sentence.length > most ? `${sentence.slice(0, most - 3)}...` : sentence || undefined;
};

/** The argument that names the row: a path parameter, or a query parameter or body field that speaks of the key. */
export const keyArg = (
  entity: Entity,
  sighting: Sighting,
  schemas: Schemas,
): { wanted: string; arg: Arg } | undefined => {
  const { keyCol } = entity.columns;
  const make = (name: string, field: string, description?: string): { wanted: string; arg: Arg } => ({
    wanted: snake(name),
    arg: {
      type: entity.key.type,
      role: 'key',
      col: keyCol,
      ref: entity.name,
      required: true,
      field,
      description: described(description) ?? `Names the ${entity.table.noun}.`,
    },
  });
  if (sighting.keyParam !== undefined) {
    const param = sighting.op.params.find((one) => one.in === 'path' && one.name === sighting.keyParam);
    return make(sighting.keyParam, propertyName(sighting.keyParam.replace(/^.*\./, '')), param?.description);
  }
  if (!sighting.keyElsewhere) return undefined;
  const noun = entity.resource.noun;
  const tail = noun.split('_').at(-1) as string;
  const wide = [noun, tail].flatMap((word) => [`${word}_arn`, `${word}_identifier`, `${word}_name`]);
  const names = new Set([
    keyCol,
    noun,
    tail,
    `${noun}_id`,
    `${tail}_id`,
    `${noun}_${keyCol}`,
    `${tail}_${keyCol}`,
    snake(entity.key.property),
    'id',
    ...wide,
    ...(entity.aliases ?? []),
    'arn',
    'identifier',
  ]);
  const query = sighting.op.params.find((one) => one.in === 'query' && names.has(snake(one.name)));
  if (query && !schemas.view(query.schema).types.has('array'))
    return make(query.name, queryField(query.name), query.description);
  const body = sighting.body;
  if (!body || (body.many && sighting.kind === 'action')) return undefined;
  const around = body.many ? [] : body.path;
  const byName = new Map([...body.item.properties].map(([name, raw]) => [snake(name), [name, raw] as const] as const));
  for (const wanted of names) {
    const [name, raw] = byName.get(wanted) ?? [];
    if (name === undefined || around.length > 2) continue;
    const field = scalarField(name, raw, true, schemas);
    if (field && field.type !== 'json') return make(name, surfaceField([...around, name]), field.description);
  }
  if (sighting.kind !== 'delete' || body.many) return undefined;
  // A list of keys: one of them a call.
  for (const [name, raw] of body.item.properties) {
    const listed = schemas.view(raw);
    const one = singular(snake(name)).replace(/(^|_)ids$/, '$1id');
    const field = listed.types.has('array') ? scalarField(name, listed.items, true, schemas) : undefined;
    if (field && field.type !== 'json' && one !== snake(name) && names.has(one))
      return make(one, surfaceField([...around, one]));
  }
  return undefined;
};

const setArg = (entity: Entity, { field, col }: BodyField, required: boolean): Arg | undefined => {
  const column = entity.columns.facts.get(col)?.column;
  if (!column) return undefined;
  const arg: Arg = { type: column.type, role: 'set', col, field: surfaceField(field.path) };
  if (required) arg.required = true;
  if (column.fk) arg.ref = column.fk;
  const description = described(field.description);
  if (description) arg.description = description;
  if (column.fk || field.type !== column.type) return arg;
  if (field.enum && !column.enum) arg.enum = field.enum;
  if (field.min !== undefined) arg.min = field.min;
  if (field.max !== undefined) arg.max = field.max;
  if (field.maxLength !== undefined) arg.maxLength = field.maxLength;
  if (field.pattern !== undefined && !field.enum) arg.pattern = field.pattern;
  if (field.format !== undefined && column.type === 'text') arg.format = field.format;
  return arg;
};

/** Body fields as `set` arguments; `keyField` (already the key argument) is left out. */
export const setArgs = (
  list: ArgList,
  entity: Entity,
  fields: readonly BodyField[],
  mode: 'create' | 'update',
): void => {
  for (const body of fields) {
    const isKey = body.col === entity.columns.keyCol;
    if (body.field.readOnly || (mode === 'update' && isKey)) continue;
    if (mode === 'create' && isKey && !body.field.required && /(^|_)(id|uuid|guid|sid|gid|uid)$/.test(body.col))
      continue;
    // What the path says already is not asked for again: of two arguments for one column one would do nothing.
    if (Object.values(list.args).some((given) => given.role === 'set' && given.col === body.col)) continue;
    const arg = setArg(entity, body, mode === 'create' && body.field.required);
    if (arg) addArg(list, body.name, arg);
  }
};

/** Query parameters that write columns, for services that put everything there. */
export const querySets = (entity: Entity, params: readonly DocParam[], schemas: Schemas): BodyField[] =>
  params.flatMap((param): BodyField[] => {
    if (param.in !== 'query' || isFixed(param)) return [];
    const field: Field | undefined = scalarField(param.name, param.schema, param.required, schemas);
    const col = [snake(param.name), `${snake(param.name)}_id`].find((name) => entity.columns.facts.has(name));
    return field && col !== undefined
      ? [{ field: { ...field, path: [queryField(param.name)] }, name: snake(param.name), col }]
      : [];
  });

/** The nearest parent a nested path names, as a required argument on the column that holds its key. */
export const parentArg = (list: ArgList, entity: Entity, sighting: Sighting, role: 'set' | 'filter'): void => {
  const at = [...sighting.parents].reverse().find((one) => entity.parents.has(one.place));
  const col = at && entity.parents.get(at.place);
  const column = col === undefined ? undefined : entity.columns.facts.get(col)?.column;
  if (!at || col === undefined || !column?.fk) return;
  const param = sighting.op.params.find((one) => one.in === 'path' && one.name === at.param);
  addArg(list, snake(at.param), {
    type: column.type,
    role,
    col,
    ref: column.fk,
    required: true,
    field: propertyName(at.param),
    description: described(param?.description) ?? `Names the ${column.fk.replaceAll('_', ' ')}.`,
    ...(role === 'filter' ? { op: 'eq' as const } : {}),
  });
};

/** Parents further out that a nested path names narrow too, where the rows say whose they are. */
const outerArgs = (list: ArgList, entity: Entity, sighting: Sighting): void => {
  for (const at of sighting.parents) {
    const col = [snake(at.param), `${singular(snake(at.noun))}_id`].find(
      (name) => entity.columns.facts.get(name)?.column.fk !== undefined,
    );
    const column = col === undefined ? undefined : entity.columns.facts.get(col)?.column;
    if (col === undefined || !column?.fk || Object.values(list.args).some((arg) => arg.col === col)) continue;
    addArg(list, snake(at.param), {
      type: column.type,
      role: 'filter',
      op: 'eq',
      col,
      ref: column.fk,
      required: true,
      field: propertyName(at.param),
    });
  }
};

/** Filters, search and paging of a list; body fields narrow where a POST searches. */
export const listArgs = (
  list: ArgList,
  entity: Entity,
  sighting: Sighting,
  style: PagingStyle,
  schemas: Schemas,
): void => {
  outerArgs(list, entity, sighting);
  if (sighting.narrow !== undefined) {
    const param = sighting.op.params.find((one) => one.in === 'path' && one.name === sighting.narrow);
    const arg = param && (keysArg(param, entity) ?? filterArg({ ...param, required: true }, entity, schemas));
    if (param && arg) addArg(list, snake(param.name), { ...arg, field: propertyName(param.name) });
  }
  const body: DocParam[] =
    sighting.op.method === 'post' && sighting.body && !sighting.body.many
      ? [...sighting.body.item.properties].map(([name, schema]) => ({
          name,
          in: 'query' as const,
          required: false,
          schema: schema as DocParam['schema'],
          description: undefined,
        }))
      : [];
  let sorts = false;
  let turns = false;
  const pagesById = sighting.op.params.some(({ name }) => idCursor(name, entity) !== undefined);
  for (const param of [...sighting.op.params.filter((one) => one.in === 'query'), ...body]) {
    const shape = schemas.view(param.schema);
    if (isObject(shape) || shape.types.has('object')) continue;
    const role = pagingRole(param.name);
    const wide = role === 'limit' ? limitArg(param, schemas) : undefined;
    const ours =
      role === 'cursor'
        ? style === 'cursor'
        : role === 'offset'
          ? style === 'offset'
          : role === 'page'
            ? style === 'page0' || style === 'page1'
            : false;
    const sorted = sorts || pagesById ? undefined : sortArg(param, entity, schemas);
    if (sorted) sorts = true;
    const turned = sorted || turns || pagesById ? undefined : directionArg(param, schemas);
    if (turned) turns = true;
    const arg =
      wide ??
      sorted ??
      turned ??
      idCursor(param.name, entity) ??
      (ours
        ? pageArg(style)
        : role === 'query'
          ? { type: 'text' as const, role: 'query' as const }
          : filterArg(param, entity, schemas));
    if (!arg) continue;
    const description = described(param.description);
    addArg(list, param.name.replace(/[[\]]+/g, '_'), {
      ...arg,
      field: queryField(param.name),
      ...(description ? { description } : {}),
    });
  }
};

/** One plain sentence for an agent, from the document's own words where it has any. */
export const toolText = (sighting: Sighting, entity: Entity): string => {
  const said = described(sighting.op.text, 240);
  if (said && said.length >= 6) return /[.!?]$/.test(said) ? said : `${said}.`;
  const { noun } = entity.table;
  const many = entity.table.plural ?? plural(noun);
  const plainText = {
    list: `List ${many}.`,
    search: `Search ${many}.`,
    get: `Read one ${noun}.`,
    create: `Create one ${noun}.`,
    update: `Change one ${noun}.`,
    delete: `Delete one ${noun}.`,
  };
  return sighting.kind === 'action' ? `${sighting.words[0]} one ${noun}.` : plainText[sighting.kind];
};

export const nounWord = (entity: Entity): string => singular(entity.name);
