/** Tags by procedures (`ListTagsForResource`, `TagResource`, `UntagResource`): one row for each key on each tagged thing. */
import type { Step } from '../../artifacts/step.js';
import type { Arg, Tool } from '../../artifacts/tool.js';
import { singular, snake, wordsOf } from '../../kit/words.js';
import { type ArgList, addArg, toolText } from './args.js';
import type { Entity } from './entities.js';
import { scalarField } from './fields.js';
import { identifier, propertyName } from './names.js';
import type { Places } from './places.js';
import { pagingRole } from './query.js';
import type { View } from './schema.js';
import type { Sighting } from './sightings.js';
import type { DocOperation } from './types.js';

export interface TagCall {
  role: 'list' | 'add' | 'remove';
  /** What names the tagged thing, as the calls write it; the same words in all of them. */
  owner: string;
  /** Properties of one tag in the list. */
  key: string;
  value: string;
  /** What names the tag that is taken off. */
  taken: string;
  /** What `add` writes: the tagged thing and one tag of its list. */
  body: View | undefined;
}

const ROLES: readonly (readonly [TagCall['role'], RegExp])[] = [
  ['list', /^(list|describe|get)_tags(_(for|of|on)_\w+)?$/],
  ['add', /^(tag_resource|(add|create|put)_tags(_(to|for|on)_\w+)?)$/],
  ['remove', /^(untag_resource|(remove|delete)_tags(_(from|for|of)_\w+)?)$/],
];

/** `GET_ListTags` and `POST_ListTags` are one call. */
const plainId = (op: DocOperation): string => wordsOf((op.id ?? '').replace(/^(GET|POST)_/, '')).join('_');

const roleOf = (op: DocOperation): TagCall['role'] | undefined =>
  ROLES.find(([, shape]) => shape.test(plainId(op)))?.[0];

const propertyLike = (view: View, shape: RegExp): string | undefined =>
  [...view.properties.keys()].find((name) => shape.test(snake(name)));
const KEY = /^(tag_)?key$/;
const VALUE = /^(tag_)?value$/;

/** All that a call names by plain values, with the raw schemas; undefined where the body is no plain object. */
const named = (op: DocOperation, places: Places): Map<string, unknown> => {
  const body = op.body === undefined ? undefined : places.schemas.view(op.body.schema);
  const query = op.params.filter((param) => param.in === 'query').map(({ name, schema }) => [name, schema] as const);
  return new Map<string, unknown>([...query, ...(body?.properties ?? [])]);
};

/** The one required plain value of the list's call that is no mark of a page. */
const ownerOf = (op: DocOperation, places: Places): string | undefined => {
  const body = op.body === undefined ? undefined : places.schemas.view(op.body.schema);
  const required = new Set([
    ...op.params.filter((param) => param.in === 'query' && param.required).map(({ name }) => name),
    ...(body?.required ?? []),
  ]);
  const fit = [...named(op, places)].filter(([name, raw]) => {
    const field = required.has(name) ? scalarField(name, raw, true, places.schemas) : undefined;
    return field?.type === 'text' && !field.enum && pagingRole(snake(name)) === undefined;
  });
  return fit.length === 1 ? fit[0]?.[0] : undefined;
};

const same = (names: Iterable<string>, wanted: string): string | undefined =>
  [...names].find((name) => snake(name) === snake(wanted));

/** A list of tags in the call, as the view of one of them, or of plain keys. */
const listed = (calls: ReadonlyMap<string, unknown>, places: Places): { name: string; item: View } | undefined => {
  for (const [name, raw] of calls) {
    const { items } = places.schemas.view(raw);
    if (items !== undefined && /(^|_)tag(_?(list|set|key|name))?s?$/.test(snake(name)))
      return { name, item: places.schemas.view(items) };
  }
  return undefined;
};

/** The calls that list tags, add one and take one off, where all of them name the tagged thing alike. */
export const tagCalls = (ops: readonly DocOperation[], places: Places): Map<DocOperation, TagCall> => {
  const out = new Map<DocOperation, TagCall>();
  const lister = ops.find((op) => roleOf(op) === 'list' && places.answer(op)?.many === true);
  const row = lister && places.answer(lister)?.item;
  const owner = lister && ownerOf(lister, places);
  const key = row && propertyLike(row, KEY);
  const value = row && propertyLike(row, VALUE);
  if (!lister || !row || owner === undefined || key === undefined || value === undefined) return out;
  const call = { owner, key, value, taken: key, body: undefined };
  for (const op of ops) {
    const role = roleOf(op);
    if (role === undefined || role === 'list') continue;
    const calls = named(op, places);
    const whose = same(calls.keys(), owner);
    const tags = listed(calls, places);
    if (whose === undefined || !tags || places.shape(op).segments.some(({ param }) => param)) continue;
    if (role === 'add' && tags.item.properties.has(key) && tags.item.properties.has(value)) {
      const properties = Object.fromEntries([[owner, calls.get(whose)], ...tags.item.properties]);
      const body = places.schemas.view({ type: 'object', required: [owner, key, ...tags.item.required], properties });
      out.set(op, { ...call, role, body });
    } else if (role === 'remove') {
      const taken = tags.item.properties.size === 0 ? singular(propertyName(tags.name)) : key;
      if (tags.item.properties.size === 0 || tags.item.properties.has(key)) out.set(op, { ...call, role, taken });
    }
  }
  if (![...out.values()].some(({ role }) => role === 'add')) out.clear();
  else for (const op of ops) if (plainId(op) === plainId(lister)) out.set(op, { ...call, role: 'list' });
  return out;
};

const columnOf = (entity: Entity, property: string): string | undefined =>
  [...entity.columns.facts.values()].find(({ field }) => field.path.length === 1 && field.path[0] === property)?.name;

/** Tags are listed of one thing. */
export const taggedArg = (list: ArgList, entity: Entity, { tag }: Sighting): void => {
  const col = tag && columnOf(entity, tag.owner);
  if (!tag || !col) return;
  const field = propertyName(tag.owner);
  addArg(list, snake(tag.owner), { type: 'text', role: 'filter', op: 'eq', col, required: true, field });
};

/** Adds or replaces one tag, or takes one off; undefined where a column of it found no place. */
export const tagTool = (entity: Entity, sighting: Sighting): Tool | undefined => {
  const { tag, op } = sighting;
  const owner = tag && columnOf(entity, tag.owner);
  const key = tag && columnOf(entity, tag.key);
  const value = tag && columnOf(entity, tag.value);
  if (!tag || tag.role === 'list' || !owner || !key || !value) return undefined;
  const table = entity.name;
  const input = (property: string, col: string, required: boolean): [string, Arg] => [
    identifier(property, 'arg'),
    { type: 'text', role: 'input', col, field: propertyName(property), ...(required ? { required } : {}) },
  ];
  const whose = input(tag.owner, owner, true);
  const which = input(tag.role === 'add' ? tag.key : tag.taken, key, true);
  const what = input(tag.value, value, tag.body?.required.has(tag.value) === true);
  const pair = { [owner]: `$args.${whose[0]}`, [key]: `$args.${which[0]}` };
  const written = { [value]: `$args.${what[0]}` };
  const base = {
    id: `${table}.${tag.role}`,
    op: 'action' as const,
    table,
    description: toolText(sighting, entity),
    returns: { done: true as const },
    provenance: {
      tier: 'spec' as const,
      operation: op.label,
      note: 'one row a call, where the document takes a list',
    },
  };
  if (tag.role === 'remove') {
    const missing = { error: 'not_found', message: `There is no tag {args.${which[0]}} on it.`, field: which[0] };
    const steps: Step[] = [
      { get: { table, where: pair, as: 'row', else: missing } },
      { delete: { table, where: { [entity.columns.keyCol]: `$row.${entity.columns.keyCol}` } } },
    ];
    const args = Object.fromEntries([whose, which]);
    const errors = { invalid_argument: 422, not_found: 404 };
    return { ...base, args, steps, errors, reads: [table], writes: [{ table, delete: true }] };
  }
  const where = Object.entries(pair).map(([col, at]) => ({ col, op: 'eq' as const, value: at }));
  const steps: Step[] = [
    { find: { table, where, limit: 1, as: 'found' } },
    { if: { that: 'size(found) == 0', do: [{ insert: { table, set: { ...pair, ...written } } }] } },
    { if: { that: 'size(found) > 0', do: [{ update: { table, where: pair, set: written } }] } },
  ];
  return {
    ...base,
    args: Object.fromEntries([whose, which, what]),
    steps,
    errors: { invalid_argument: 422 },
    reads: [table],
    writes: [{ table, insert: true, cols: [value] }],
  };
};
