/** Grouped tools as an API document, so that one compiler reads both: each tool an operation under its own name. */

import { isNode, type Node } from '../../document/node.js';
import { plural, singular, snake } from '../../kit/words.js';
import { pagingRole } from '../openapi/query.js';
import type { OperationKind } from '../openapi/types.js';
import { isMetaName } from '../openapi/unwrap.js';
import { type Grouping, keyScore, type PlacedTool, propertiesOf, requiredOf } from './group.js';

export interface ListDocument {
  root: Node;
  /** Operation label -> the tool behind it. */
  tools: Map<string, PlacedTool>;
  left: { operation: string; why: string }[];
}

const NOT_COLUMNS =
  /^(sort|sort_by|order|order_by|direction|sort_order|fields|include|expand|format|verbose|dry_run|include_.*|with_.*|.*_(after|before|since|until|from|to|min|max|gte|lte|gt|lt)|(min|max|since|until|after|before|from|to)_.*|start_date|end_date|since|until)$/;
const HIDES = new Set(['description', 'default', 'readOnly', 'writeOnly']);

const bare = (schema: Node): Node =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !HIDES.has(name) || name === 'description'));

/** Property that keys the rows, as an answer would show it: `ticket_id` is `id` on the ticket itself. */
const keyProperty = (noun: string, tools: readonly PlacedTool[]): { name: string; schema: Node } | undefined => {
  const votes = new Map<string, number>();
  for (const { key, batch } of tools) if (key !== undefined && !batch) votes.set(key, (votes.get(key) ?? 0) + 1);
  const [param] = [...votes].sort((a, b) => b[1] - a[1])[0] ?? [undefined];
  if (param === undefined) return undefined;
  const schema = propertiesOf(tools.find(({ key }) => key === param)?.tool.input)[param] ?? { type: 'string' };
  const name = snake(param);
  const tail = noun.split('_').at(-1) ?? noun;
  const isOwn = [noun, tail].some((own) => name === `${own}_id` || name === `${own}id` || name === own);
  return { name: isOwn ? 'id' : param, schema: bare(schema) };
};

/** What an answer's schema says of one row of the noun: at the top, in a list, or behind one wrapper. */
const rowOf = ({ tool: { output }, noun, kind }: PlacedTool): Record<string, Node> => {
  const own = propertiesOf(output);
  if (output?.type === 'array' && isNode(output.items)) return propertiesOf(output.items);
  for (const [name, schema] of Object.entries(own)) {
    if (![noun, plural(noun), 'item', 'items', 'result', 'results', 'data'].includes(snake(name))) continue;
    const inner = schema.type === 'array' && isNode(schema.items) ? propertiesOf(schema.items) : propertiesOf(schema);
    if (Object.keys(inner).length > 0) return inner;
  }
  return kind === 'get' || kind === 'create' || kind === 'update'
    ? Object.fromEntries(Object.entries(own).filter(([name]) => !isMetaName(name)))
    : {};
};

/** The rows behind a required list of objects: `create_entities(entities: [{...}])`. */
const listedRows = ({ tool }: PlacedTool): { arg: string; item: Node } | undefined => {
  const found = Object.entries(propertiesOf(tool.input)).filter(
    ([, schema]) => schema.type === 'array' && isNode(schema.items) && isNode((schema.items as Node).properties),
  );
  const [first] = found;
  if (found.length !== 1 || !first || requiredOf(tool.input).size > 1) return undefined;
  return { arg: first[0], item: first[1].items as Node };
};

const componentOf = (noun: string, tools: readonly PlacedTool[]): Node => {
  const properties: Record<string, Node> = Object.create(null) as Record<string, Node>;
  const required: string[] = [];
  const add = (name: string, schema: Node): void => {
    const known = properties[name];
    if (known === undefined) properties[name] = bare(schema);
    else if (known.enum === undefined && Array.isArray(schema.enum)) properties[name] = { ...known, enum: schema.enum };
  };
  const key = keyProperty(noun, tools);
  if (key) {
    add(key.name, key.schema);
    required.push(key.name);
  }
  const isKey = (name: string): boolean =>
    key !== undefined && name !== key.name && keyScore(name, noun) >= 19 && properties.id !== undefined;
  for (const placed of tools)
    for (const [name, schema] of Object.entries(rowOf(placed))) if (!isKey(name)) add(name, schema);
  for (const kind of ['create', 'update', 'list', 'search'] as const)
    for (const placed of tools.filter((one) => one.kind === kind)) {
      const rows = kind === 'create' ? listedRows(placed) : undefined;
      for (const [name, schema] of Object.entries(propertiesOf(rows?.item ?? placed.tool.input))) {
        const reads = kind === 'list' || kind === 'search';
        if (name === placed.key || isKey(name)) continue;
        if (reads && (pagingRole(name) !== undefined || NOT_COLUMNS.test(snake(name)))) continue;
        if (reads && (schema.type === 'array' || schema.type === 'object')) continue;
        // Instructions how to change it: `edits: [{oldText, newText}]`.
        if (kind === 'update' && isNode(schema.items) && isNode(schema.items.properties)) continue;
        add(name, schema);
      }
    }
  return { type: 'object', properties, required };
};

const answer = (schema: Node): Node => ({
  200: { description: 'done', content: { 'application/json': { schema } } },
});

const body = (schema: Node, without: string | undefined): Node | undefined => {
  const kept = Object.entries(propertiesOf(schema)).filter(([name]) => name !== without);
  if (kept.length === 0) return undefined;
  const required = [...requiredOf(schema)].filter((name) => name !== without);
  return {
    required: required.length > 0,
    content: { 'application/json': { schema: { type: 'object', properties: Object.fromEntries(kept), required } } },
  };
};

const queries = (schema: Node, without?: string): Node[] =>
  Object.entries(propertiesOf(schema))
    .filter(([name]) => name !== without)
    .map(([name, inner]) => ({
      name,
      in: 'query',
      required: requiredOf(schema).has(name),
      schema: inner,
      ...(typeof inner.description === 'string' ? { description: inner.description } : {}),
    }));

/** Path parameter that names the row: for a list of keys, what one of them is called on the row itself. */
const paramOf = ({ key, batch, noun }: PlacedTool, row: Node): string | undefined => {
  if (key === undefined || !batch) return key;
  const one = singular(snake(key));
  const bare = one.startsWith(`${noun}_`) ? one.slice(noun.length + 1) : one;
  return (
    Object.keys(propertiesOf(row)).find((name) => [one, bare].includes(snake(name))) ?? (bare === 'id' ? 'id' : one)
  );
};

const operationOf = (placed: PlacedTool, row: Node): { path: string; method: string; operation: Node } => {
  const { tool, kind, noun, verb, key } = placed;
  const ref = { $ref: `#/components/schemas/${noun}` };
  const home = `/${plural(noun)}`;
  const param = paramOf(placed, row);
  const item = `${home}/{${param}}`;
  const given = propertiesOf(tool.input)[key ?? ''] ?? {};
  const named = { name: param, in: 'path', required: true, schema: placed.batch ? (given.items ?? {}) : given };
  const own = tool.output !== undefined && Object.keys(rowOf(placed)).length > 0 ? tool.output : undefined;
  const many = { type: 'array', items: ref };
  const base = { operationId: tool.name, ...(tool.description ? { summary: tool.description } : {}) };
  switch (kind) {
    case 'list':
      return {
        path: home,
        method: 'get',
        operation: { ...base, parameters: queries(tool.input), responses: answer(own ?? many) },
      };
    case 'search':
      return {
        path: `${home}/search`,
        method: 'get',
        operation: { ...base, parameters: queries(tool.input), responses: answer(own ?? many) },
      };
    case 'create': {
      const rows = listedRows(placed);
      return {
        path: home,
        method: 'post',
        operation: {
          ...base,
          requestBody: body(rows?.item ?? tool.input, undefined),
          responses: answer(rows ? ref : (own ?? ref)),
        },
      };
    }
    case 'get':
      return {
        path: item,
        method: 'get',
        operation: { ...base, parameters: [named, ...queries(tool.input, key)], responses: answer(own ?? ref) },
      };
    case 'update':
      return {
        path: item,
        method: 'patch',
        operation: { ...base, parameters: [named], requestBody: body(tool.input, key), responses: answer(own ?? ref) },
      };
    case 'delete':
      return {
        path: item,
        method: 'delete',
        operation: { ...base, parameters: [named], responses: { 204: { description: 'done' } } },
      };
    default:
      return {
        path: `${item}/${verb}`,
        method: 'post',
        operation: { ...base, parameters: [named], requestBody: body(tool.input, key), responses: answer(own ?? ref) },
      };
  }
};

/** Words under which a second tool of a kind may stand; the compiler reads them as that kind. */
const AGAIN: Record<OperationKind, readonly string[]> = {
  list: ['list', 'all', 'index', 'browse'],
  search: ['find', 'query', 'lookup', 'filter'],
  get: ['get', 'show', 'view', 'details', 'info'],
  create: ['create', 'add', 'new', 'insert'],
  update: ['update', 'edit', 'modify', 'change'],
  delete: ['delete', 'remove', 'destroy'],
  action: [],
};

/** One path a tool; empty where there are too many of a kind. */
const freePath = (paths: Node, path: string, method: string, kind: OperationKind): string => {
  const isFree = (at: string): boolean => !isNode(paths[at]) || (paths[at] as Node)[method] === undefined;
  if (isFree(path)) return path;
  const home = kind === 'search' ? path.replace(/\/search$/, '') : path;
  return AGAIN[kind].map((word) => `${home}/${word}`).find(isFree) ?? '';
};

/** `title` becomes the service's. */
export const documentOf = (grouping: Grouping, title: string): ListDocument => {
  const paths: Node = Object.create(null) as Node;
  const schemas: Node = Object.create(null) as Node;
  const out: ListDocument = { root: {}, tools: new Map(), left: [...grouping.left] };
  for (const [noun, tools] of grouping.nouns) {
    const row = componentOf(noun, tools);
    schemas[noun] = row;
    for (const placed of tools) {
      const { path, method, operation } = operationOf(placed, row);
      const at = freePath(paths, path, method, placed.kind);
      if (at === '') {
        out.left.push({ operation: placed.tool.name, why: 'another tool does the same' });
        continue;
      }
      // Read under another word, the lists of an answer would not be told apart any more.
      if (at !== path && (placed.kind === 'list' || placed.kind === 'search'))
        operation.responses = answer({ type: 'array', items: { $ref: `#/components/schemas/${noun}` } });
      paths[at] = { ...(isNode(paths[at]) ? paths[at] : {}), [method]: operation };
      out.tools.set(`${method.toUpperCase()} ${at}`, placed);
    }
  }
  out.root = { openapi: '3.0.3', info: { title, version: '1' }, paths, components: { schemas } };
  return out;
};
