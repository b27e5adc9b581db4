/** Query parameters as arguments: what narrows which column, what searches, what pages. */
import type { ColumnType } from '../../artifacts/table.js';
import type { Arg } from '../../artifacts/tool.js';
import { snake } from '../../kit/words.js';
import type { Entity } from './entities.js';
import { scalarField } from './fields.js';
import { propertyName } from './names.js';
import type { Schemas } from './schema.js';
import type { DocParam } from './types.js';

export type PagingStyle = 'cursor' | 'page0' | 'page1' | 'offset' | 'none';
type FilterOp = NonNullable<Arg['op']>;

const LIMIT =
  /^(limit|per_page|page_size|size|page_limit|max_results|max_items|top|rows|take|results_per_page|items_per_page|page_per|maxresults|pagesize|perpage|num_results|max|first)$/;
const OFFSET = /^(offset|skip|start|start_at|start_index|from_index|page_offset)$/;
const PAGE = /^(page|page_number|pagenumber|p|page_no|page_index|current_page|page_num)$/;
const CURSOR =
  /^(cursor|page_token|pagetoken|next_token|next_cursor|continuation|continuation_token|marker|bookmark|scroll_id|next_page_token|page_cursor|start_cursor|after_cursor|next_page)$/;
const QUERY =
  /^(q|query|search|keyword|keywords|term|search_term|text|search_text|search_query|full_text|fulltext|search_string|searchstring)$/;
const OPS: Record<string, FilterOp> = {
  gte: 'gte',
  gt: 'gt',
  lte: 'lte',
  lt: 'lt',
  eq: 'eq',
  ne: 'ne',
  in: 'in',
  from: 'gte',
  to: 'lte',
  min: 'gte',
  max: 'lte',
  after: 'gte',
  since: 'gte',
  start: 'gte',
  before: 'lte',
  until: 'lte',
  end: 'lte',
  ge: 'gte',
  le: 'lte',
  contains: 'contains',
  like: 'contains',
  prefix: 'prefix',
  starts_with: 'prefix',
};
const CREATED = [
  'created_at',
  'created',
  'date',
  'created_on',
  'date_created',
  'create_time',
  'creation_date',
  'updated_at',
  'timestamp',
  'start_time',
];

export const pagingRole = (name: string): 'limit' | 'offset' | 'page' | 'cursor' | 'query' | undefined => {
  const plain = snake(name);
  if (LIMIT.test(plain)) return 'limit';
  if (OFFSET.test(plain)) return 'offset';
  if (PAGE.test(plain)) return 'page';
  if (CURSOR.test(plain)) return 'cursor';
  return QUERY.test(plain) ? 'query' : undefined;
};

export const pagingStyle = (params: readonly DocParam[]): PagingStyle => {
  for (const { name, schema, description } of params) {
    const role = pagingRole(name);
    if (role === 'offset') return 'offset';
    if (role === 'cursor') return 'cursor';
    if (role === 'page' && schema.type === 'string') return 'cursor';
    if (role === 'page')
      return schema.default === 0 ||
        schema.minimum === 0 ||
        /zero[- ]based|0[- ]based|starts? (at|from|with) 0/i.test(description ?? '')
        ? 'page0'
        : 'page1';
  }
  return 'none';
};

/** `filter[created][gte]`, `created_after`, `min_total`, `statuses` -> the column words and the comparison. */
const readings = (name: string): { words: string; op: FilterOp }[] => {
  const parts = name
    .replaceAll(']', '')
    .split(/[[.]|__/)
    .map(snake)
    .filter(Boolean);
  const inner =
    parts[0] && /^(filter|filters|where|q|query|search)$/.test(parts[0]) && parts.length > 1 ? parts.slice(1) : parts;
  const out: { words: string; op: FilterOp }[] = [{ words: inner.join('_'), op: 'eq' }];
  const last = inner.at(-1) ?? '';
  if (inner.length > 1 && OPS[last]) out.push({ words: inner.slice(0, -1).join('_'), op: OPS[last] });
  const words = (inner.join('_') || '').split('_');
  const tail = words.at(-1) ?? '';
  const head = words[0] ?? '';
  if (words.length > 1 && OPS[tail]) out.push({ words: words.slice(0, -1).join('_'), op: OPS[tail] });
  if (words.length > 1 && OPS[head]) out.push({ words: words.slice(1).join('_'), op: OPS[head] });
  if (/^(from|since|after|start_date|date_from|start_time|created_since|from_date|min_date)$/.test(inner.join('_')))
    out.push({ words: '*', op: 'gte' });
  if (/^(to|until|before|end_date|date_to|end_time|created_until|to_date|max_date)$/.test(inner.join('_')))
    out.push({ words: '*', op: 'lte' });
  return out;
};

export const columnFor = (entity: Entity, words: string): string | undefined => {
  const { facts } = entity.columns;
  const find = (name: string): string | undefined =>
    facts.has(name) && facts.get(name)?.column.hidden !== true ? name : undefined;
  if (words === '*')
    return CREATED.find(
      (name) => facts.get(name)?.column.type === 'datetime' || facts.get(name)?.column.type === 'date',
    );
  const noun = entity.resource.noun;
  const bare = words.startsWith(`${noun}_`) ? words.slice(noun.length + 1) : undefined;
  const flat = words.replaceAll('_', '');
  return (
    find(words) ??
    (bare ? find(bare) : undefined) ??
    (facts.get(`${words}_id`)?.column.fk ? find(`${words}_id`) : undefined) ??
    ['_at', '_on', '_date', '_time'].map((ending) => find(`${words}${ending}`)).find((name) => name !== undefined) ??
    [...facts.keys()].find((name) => name.replaceAll('_', '') === flat && find(name) !== undefined)
  );
};

const AFTER_ID = /^(starting_after|start_after|since_id|after_id|last_id|from_id|page_after)$/;
const BEFORE_ID = /^(ending_before|end_before|before_id|max_id|until_id|page_before)$/;

/** Paging by the id of the last row seen: rows come in the order of their keys, so it is a bound on the key. */
export const idCursor = (name: string, entity: Entity): Arg | undefined => {
  const plain = snake(name);
  const op = AFTER_ID.test(plain) ? 'gt' : BEFORE_ID.test(plain) ? 'lt' : undefined;
  if (op === undefined || entity.key.hidden) return undefined;
  return { type: entity.key.type, role: 'filter', col: entity.columns.keyCol, op };
};

const SORT = /^(sort|sort_by|sort_field|sort_column|sort_key|order|order_by|orderby|ordering|sorting)$/;
const SORTED = /^(created|updated|modified|name|title|number|amount|total|date|due|start|position|priority|price)/;
const MOST_SORTED = 6;

/** What a list may be sorted by: the columns that the parameter names, else those that people sort by. Directions are a leading -. */
export const sortArg = (param: DocParam, entity: Entity, schemas: Schemas): Arg | undefined => {
  if (!SORT.test(snake(param.name))) return undefined;
  const view = schemas.view(param.schema);
  const values = (view.enum ?? schemas.view(view.items).enum ?? []).filter(
    (one): one is string => typeof one === 'string',
  );
  const bare = values
    .map((value) => value.replace(/^[-+]|[:_ ,.-]?(asc|desc|ascending|descending)$/gi, ''))
    .filter(Boolean);
  if (values.length > 0 && bare.length === 0) return undefined;
  const named = bare.flatMap((value) => columnFor(entity, snake(value)) ?? []);
  const usual = [...entity.columns.facts.values()]
    .filter(
      ({ name, column }) => SORTED.test(name) && !column.hidden && column.type !== 'json' && column.type !== 'bool',
    )
    .map(({ name }) => name);
  const allowed = [...new Set(named.length > 0 ? named : bare.length > 0 ? [] : usual)].filter(
    (name) => entity.columns.facts.get(name)?.column.type !== 'json',
  );
  return allowed.length > 0 ? { type: 'text', role: 'sort', enum: allowed.slice(0, MOST_SORTED) } : undefined;
};

const RANGED = new Set<ColumnType>(['int', 'number', 'date', 'datetime', 'money']);

/** A filter over one column, or undefined when the parameter names none. */
export const filterArg = (param: DocParam, entity: Entity, schemas: Schemas): Arg | undefined => {
  const view = schemas.view(param.schema);
  const listed = view.types.has('array');
  for (const { words, op: read } of readings(param.name)) {
    const singularWords = listed
      ? [words, words.replace(/ies$/, 'y'), words.replace(/(es|s)$/, ''), words.replace(/s$/, '')]
      : [words];
    const col = singularWords.map((word) => columnFor(entity, word)).find((name) => name !== undefined);
    const column = col === undefined ? undefined : entity.columns.facts.get(col)?.column;
    if (col === undefined || !column || column.type === 'json') continue;
    const op: FilterOp = listed ? 'in' : read;
    if (['gte', 'gt', 'lte', 'lt'].includes(op) && !RANGED.has(column.type)) continue;
    if (op === 'in' && !['text', 'int'].includes(column.type)) continue;
    const contains =
      op === 'eq' &&
      column.type === 'text' &&
      !column.enum &&
      !column.fk &&
      /contain|partial|substring|fuzzy|search/i.test(param.description ?? '');
    const arg: Arg = { type: op === 'in' ? 'list' : column.type, role: 'filter', col, op: contains ? 'contains' : op };
    if (op === 'in') arg.items = column.type;
    if (column.fk) arg.ref = column.fk;
    if (param.required) arg.required = true;
    return arg;
  }
  return undefined;
};

/** `/answers/{ids}`: the rows whose keys are listed; undefined when the parameter names no keys. */
export const keysArg = ({ name, in: where }: DocParam, entity: Entity): Arg | undefined => {
  const words = snake(name).replace(/(^|_)ids$/, '$1id');
  const { noun } = entity.resource;
  const names = ['id', `${noun}_id`, `${noun.split('_').at(-1)}_id`, entity.columns.keyCol];
  if (words === snake(name) || where !== 'path' || entity.key.hidden || !names.includes(words)) return undefined;
  const { type } = entity.key;
  return { type: 'list', items: type, role: 'filter', col: entity.columns.keyCol, op: 'in', required: true };
};

/** Bounds of a page size from the parameter's schema: default 20, at most 100 where it says nothing. */
export const limitArg = (param: DocParam, schemas: Schemas): Arg => {
  const field = scalarField(param.name, param.schema, false, schemas);
  const max = field?.max !== undefined && field.max >= 1 ? Math.min(Math.floor(field.max), 1000) : 100;
  const wanted =
    typeof field?.default === 'number' && field.default >= 1 ? Math.floor(field.default) : Math.min(20, max);
  return { type: 'int', role: 'limit', default: Math.min(wanted, max), min: 1, max };
};

export const pageArg = (style: PagingStyle): Arg =>
  style === 'cursor'
    ? { type: 'text', role: 'cursor' }
    : style === 'offset'
      ? { type: 'int', role: 'offset', default: 0, min: 0 }
      : { type: 'int', role: 'page', default: style === 'page0' ? 0 : 1, min: style === 'page0' ? 0 : 1 };

/** The surface path of a query parameter: `created[gte]` nests, `filter.name` does not. */
export const queryField = (name: string): string => {
  const parts = name.replaceAll(']', '').split('[').filter(Boolean).slice(0, 3);
  return parts.map(propertyName).join('.') || propertyName(name);
};
