/** One flat view of a schema: references followed, allOf / anyOf / oneOf merged. Made on demand and kept per schema object. */
import { isNode, type Node } from '../../document/node.js';
import type { Refs } from '../../document/refs.js';
import { looseOf } from './loose.js';

export interface View {
  /** JSON Schema types of all branches, without null. */
  types: Set<string>;
  nullable: boolean;
  /** Raw schemas by property name, in document order. */
  properties: Map<string, unknown>;
  required: Set<string>;
  items: unknown;
  /** Component name: its own, or that of the one reference it wraps. */
  name: string | undefined;
  /** Component name of the object branch, for anyOf [text, object]. */
  objectName: string | undefined;
  enum: unknown[] | undefined;
  readOnly: boolean;
  writeOnly: boolean;
  /** format, bounds, pattern, default, description, example: the first branch that has it. */
  facts: Map<string, unknown>;
}

export interface Schemas {
  view(schema: unknown): View;
  /** Of what stands for one thing, though it is written as a list of its alternatives (loose.ts). */
  one(schema: unknown): View;
}

const FACTS = [
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'maxLength',
  'minLength',
  'pattern',
  'default',
  'description',
  'title',
  'example',
  'x-read-only',
] as const;
const MAX_BRANCHES = 40;
const MAX_DEPTH = 12;

const emptyView = (): View => ({
  types: new Set(),
  nullable: false,
  properties: new Map(),
  required: new Set(),
  items: undefined,
  name: undefined,
  objectName: undefined,
  enum: undefined,
  readOnly: false,
  writeOnly: false,
  facts: new Map(),
});

const typesOf = (node: Node): string[] => {
  const declared = Array.isArray(node.type) ? node.type : [node.type];
  const types = declared.filter((type): type is string => typeof type === 'string').map((type) => type.toLowerCase());
  if (types.length > 0) return types;
  if (isNode(node.properties)) return ['object'];
  if (node.items !== undefined) return ['array'];
  return [];
};

const branchesOf = (node: Node, key: string): unknown[] => (Array.isArray(node[key]) ? (node[key] as unknown[]) : []);

type Meant = (schema: unknown, name?: string) => unknown;

const takeOwn = (node: Node, into: View, meant: Meant): void => {
  for (const type of typesOf(node)) {
    if (type === 'null') into.nullable = true;
    else into.types.add(type);
  }
  if (node.nullable === true || node['x-nullable'] === true) into.nullable = true;
  if (node.readOnly === true) into.readOnly = true;
  if (node.writeOnly === true) into.writeOnly = true;
  if (into.items === undefined && node.items !== undefined) into.items = meant(node.items);
  const listed = Array.isArray(node.enum) ? node.enum : node.const !== undefined ? [node.const] : undefined;
  if (listed) into.enum = [...new Set([...(into.enum ?? []), ...listed])];
  for (const fact of FACTS) if (node[fact] !== undefined && !into.facts.has(fact)) into.facts.set(fact, node[fact]);
  if (!into.facts.has('example') && Array.isArray(node.examples)) into.facts.set('example', node.examples[0]);
  if (isNode(node.properties))
    for (const [name, schema] of Object.entries(node.properties))
      if (!into.properties.has(name)) into.properties.set(name, meant(schema, name));
  if (Array.isArray(node.required))
    for (const name of node.required) if (typeof name === 'string') into.required.add(name);
};

export const schemasOf = (refs: Refs): Schemas => {
  const known = new WeakMap<Node, View>();
  const loose = looseOf(refs);

  const joined = new WeakMap<object, Map<unknown, Node>>();
  /** One schema for a property (or for items) that two allOf branches describe; the same object each time, so that views are kept. */
  const both = (a: unknown, b: unknown): unknown => {
    if (a === undefined || b === undefined || a === b) return a ?? b;
    if (!isNode(a) || !isNode(b)) return a;
    const partners = joined.get(a) ?? new Map<unknown, Node>();
    joined.set(a, partners);
    const known = partners.get(b) ?? { allOf: [b, a] };
    partners.set(b, known);
    return known;
  };

  const mergeBranch = (into: View, from: View, every: boolean): void => {
    for (const type of from.types) into.types.add(type);
    if (from.nullable) into.nullable = true;
    if (from.readOnly) into.readOnly = true;
    into.items = every ? both(into.items, from.items) : (into.items ?? from.items);
    if (from.enum) into.enum = [...new Set([...(into.enum ?? []), ...from.enum])];
    for (const [name, schema] of from.properties)
      into.properties.set(
        name,
        every ? both(into.properties.get(name), schema) : (into.properties.get(name) ?? schema),
      );
    for (const [fact, value] of from.facts) if (!into.facts.has(fact)) into.facts.set(fact, value);
  };

  const build = (value: unknown, path: Set<Node>): View => {
    const { node, name } = refs.resolve(value);
    const done = known.get(node);
    if (done) return name && done.name !== name ? { ...done, name } : done;
    const view = emptyView();
    view.name = name ?? loose.nameOf(node);
    if (path.has(node) || path.size > MAX_DEPTH) return view;
    path.add(node);
    takeOwn(node, view, loose.meant);
    const all = branchesOf(node, 'allOf');
    for (const branch of all.slice(0, MAX_BRANCHES)) {
      const part = build(branch, path);
      mergeBranch(view, part, true);
      for (const need of part.required) view.required.add(need);
      if (all.length === 1 || (view.name === undefined && part.name && part.properties.size > 0))
        view.name ??= part.name;
    }
    const either = [...branchesOf(node, 'oneOf'), ...branchesOf(node, 'anyOf')].slice(0, MAX_BRANCHES);
    const parts = either.map((branch) => build(branch, path));
    const real = parts.filter((part) => part.types.size > 0 || part.properties.size > 0);
    for (const part of parts) {
      mergeBranch(view, part, false);
      if (part.name && part.properties.size > 0) view.objectName ??= part.name;
    }
    const [first] = real;
    if (first && real.length > 0)
      for (const need of first.required) if (real.every((part) => part.required.has(need))) view.required.add(need);
    if (real.length === 1) view.name ??= first?.name;
    if (view.properties.size > 0 && view.types.size === 0) view.types.add('object');
    path.delete(node);
    known.set(node, view);
    return view;
  };
  return { view: (schema) => build(schema, new Set()), one: (schema) => build(loose.meant(schema), new Set()) };
};

const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;
const ISO_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;

/** A schema that an example value satisfies; examples stand in where a document gives no schema. */
export const schemaOfExample = (value: unknown, depth = 0): Node => {
  if (Array.isArray(value))
    return { type: 'array', items: value.length > 0 && depth < 5 ? schemaOfExample(value[0], depth + 1) : {} };
  if (isNode(value)) {
    if (depth >= 5) return { type: 'object' };
    const properties: Node = Object.create(null) as Node;
    for (const [name, item] of Object.entries(value)) properties[name] = schemaOfExample(item, depth + 1);
    return { type: 'object', properties };
  }
  if (typeof value === 'string') {
    const format = ISO_DATE.test(value) ? 'date' : ISO_TIME.test(value) ? 'date-time' : undefined;
    return { type: 'string', ...(format ? { format } : {}), example: value };
  }
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'integer' : 'number', example: value };
  if (typeof value === 'boolean') return { type: 'boolean' };
  return {};
};
