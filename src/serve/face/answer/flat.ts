/** One flat view of a schema: references followed and `allOf` merged, so that a value that fits it fits every part. */
import { isNode, type Node } from '../../../document/node.js';
import type { Refs } from '../../../document/refs.js';
import type { Json } from '../../../kit/hash.js';
import { type Bounds, bounded, boundsOf } from './bounds.js';

export type Type = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';

/** What one part of a schema says of properties that it does not list. */
export interface Extras {
  names: ReadonlySet<string>;
  patterns: readonly RegExp[];
  /** False where they are refused. */
  schema: unknown;
}

export interface Choice {
  exactly: boolean;
  branches: readonly unknown[];
  /** Property that tells the branches apart, and its value for each branch where the document says. */
  tag?: { property: string; mapping: ReadonlyMap<string, string> };
}

export interface Flat {
  /** Undefined for any. */
  types: ReadonlySet<Type> | undefined;
  nullable: boolean;
  /** Nothing fits. */
  never: boolean;
  listed: readonly Json[] | undefined;
  bounds: Bounds;
  properties: ReadonlyMap<string, unknown>;
  required: ReadonlySet<string>;
  patterns: readonly (readonly [RegExp, unknown])[];
  extras: readonly Extras[];
  /** `additionalProperties: true` is written: what is not listed is meant to be shown. */
  open: boolean;
  items: unknown;
  prefix: readonly unknown[];
  choices: readonly Choice[];
  not: readonly unknown[];
  examples: readonly unknown[];
  writeOnly: boolean;
}

export interface Flats {
  of(schema: unknown): Flat;
  /** What fits both. */
  both(a: Flat, b: Flat): Flat;
  refs: Refs;
}

const TYPES = new Set<string>(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const MAX_DEPTH = 40;
const MAX_BRANCHES = 200;

const NOTHING: Flat = {
  types: undefined,
  nullable: false,
  never: false,
  listed: undefined,
  bounds: {},
  properties: new Map(),
  required: new Set(),
  patterns: [],
  extras: [],
  open: false,
  items: undefined,
  prefix: [],
  choices: [],
  not: [],
  examples: [],
  writeOnly: false,
};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const typesOf = (node: Node): Set<Type> | undefined => {
  const declared = listOf(Array.isArray(node.type) ? node.type : [node.type]);
  const known = declared
    .filter((type): type is string => typeof type === 'string')
    .map((type) => type.toLowerCase())
    .filter((type): type is Type => TYPES.has(type));
  if (known.length > 0) return new Set(known);
  return undefined;
};

export const regexOf = (pattern: string): RegExp | undefined => {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    try {
      return new RegExp(pattern);
    } catch {
      return undefined;
    }
  }
};

const examplesOf = (node: Node): unknown[] => [
  ...('example' in node ? [node.example] : []),
  ...('x-example' in node ? [node['x-example']] : []),
  ...listOf(node.examples),
  ...('default' in node ? [node.default] : []),
];

const tagOf = (node: Node): Choice['tag'] => {
  const { discriminator } = node;
  const property = isNode(discriminator) ? discriminator.propertyName : discriminator;
  if (typeof property !== 'string') return undefined;
  const mapping = isNode(discriminator) && isNode(discriminator.mapping) ? Object.entries(discriminator.mapping) : [];
  const named = mapping.map(([value, ref]): [string, string] => [String(ref).replace(/^.*\//, ''), value]);
  return { property, mapping: new Map(named) };
};

const propertyMap = (properties: unknown): Map<string, unknown> =>
  isNode(properties) ? new Map(Object.entries(properties)) : new Map();

/** What the object itself says, without its `allOf`. */
const own = (node: Node): Flat => {
  const properties = propertyMap(node.properties);
  const patterns = Object.entries(isNode(node.patternProperties) ? node.patternProperties : {}).flatMap(
    ([pattern, schema]) => {
      const regex = regexOf(pattern);
      return regex ? [[regex, schema] as const] : [];
    },
  );
  const extra = node.additionalProperties;
  const tag = tagOf(node);
  const choices = (['oneOf', 'anyOf'] as const).flatMap((key): Choice[] => {
    const branches = listOf(node[key]).slice(0, MAX_BRANCHES);
    return branches.length > 0 ? [{ exactly: key === 'oneOf', branches, ...(tag ? { tag } : {}) }] : [];
  });
  const types = typesOf(node);
  const listed = 'const' in node ? [node.const as Json] : Array.isArray(node.enum) ? (node.enum as Json[]) : undefined;
  const required = listOf(node.required).filter((name): name is string => typeof name === 'string');
  return {
    types,
    nullable:
      node.nullable === true ||
      node['x-nullable'] === true ||
      types?.has('null') === true ||
      (types === undefined && listed?.includes(null) === true),
    never: listed?.length === 0,
    listed,
    bounds: boundsOf(node),
    properties,
    required: new Set(required),
    patterns,
    extras:
      extra === undefined || extra === true
        ? []
        : [{ names: new Set(properties.keys()), patterns: patterns.map(([regex]) => regex), schema: extra }],
    open: extra === true,
    items: Array.isArray(node.items) ? undefined : node.items,
    prefix: Array.isArray(node.items) ? node.items : listOf(node.prefixItems),
    choices,
    not: node.not === undefined ? [] : [node.not],
    examples: examplesOf(node),
    writeOnly: node.writeOnly === true,
  };
};

const bothTypes = (a: Flat['types'], b: Flat['types']): Flat['types'] => {
  if (!a || !b) return a ?? b;
  const out = new Set<Type>();
  for (const type of a) {
    if (b.has(type)) out.add(type);
    else if (type === 'integer' && b.has('number')) out.add('integer');
    else if (type === 'number' && b.has('integer')) out.add('integer');
  }
  return out;
};

const accepts = (flat: Flat): boolean => flat.nullable || (flat.types === undefined && flat.listed === undefined);

export const flatsOf = (refs: Refs): Flats => {
  const known = new WeakMap<Node, Flat>();
  const joined = new WeakMap<object, Map<unknown, Node>>();

  /** One schema for what two parts both describe; the same object each time, so that what is compiled of it is kept. */
  const joint = (a: unknown, b: unknown): unknown => {
    if (a === undefined || b === undefined || a === b) return a ?? b;
    if (!isNode(a)) return a === false ? a : b;
    if (!isNode(b)) return b === false ? b : a;
    const partners = joined.get(a) ?? new Map<unknown, Node>();
    joined.set(a, partners);
    const made = partners.get(b) ?? { allOf: [a, b] };
    partners.set(b, made);
    return made;
  };

  const both = (a: Flat, b: Flat): Flat => {
    if (a === NOTHING) return b;
    if (b === NOTHING) return a;
    const types = bothTypes(a.types, b.types);
    const texts = b.listed && new Set(b.listed.map((value) => JSON.stringify(value)));
    const listed =
      a.listed && texts ? a.listed.filter((value) => texts.has(JSON.stringify(value))) : (a.listed ?? b.listed);
    const properties = new Map(a.properties);
    for (const [name, schema] of b.properties) properties.set(name, joint(properties.get(name), schema));
    return {
      types,
      // A part that says nothing of null leaves it to the other; `nullable` beside a reference is meant for the whole.
      nullable: (a.nullable && accepts(b)) || (b.nullable && accepts(a)),
      never: a.never || b.never || types?.size === 0 || listed?.length === 0,
      listed,
      bounds: bounded(a.bounds, b.bounds),
      properties,
      required: b.required.size === 0 ? a.required : new Set([...a.required, ...b.required]),
      patterns: [...a.patterns, ...b.patterns],
      extras: [...a.extras, ...b.extras],
      open: a.open || b.open,
      items: joint(a.items, b.items),
      prefix: a.prefix.length > 0 ? a.prefix : b.prefix,
      choices: [...a.choices, ...b.choices],
      not: [...a.not, ...b.not],
      examples: [...a.examples, ...b.examples],
      writeOnly: a.writeOnly || b.writeOnly,
    };
  };

  const build = (schema: unknown, path: ReadonlySet<Node>): Flat => {
    if (schema === false) return { ...NOTHING, never: true };
    if (!isNode(schema)) return NOTHING;
    const done = known.get(schema);
    if (done) return done;
    if (path.has(schema) || path.size > MAX_DEPTH) return NOTHING;
    const inner = new Set(path).add(schema);
    let flat = own(schema);
    const marked = flat.nullable && flat.types === undefined;
    if (typeof schema.$ref === 'string') flat = both(flat, build(refs.resolve(schema).node, inner));
    const all = listOf(schema.allOf).slice(0, MAX_BRANCHES);
    for (const branch of all) flat = both(flat, build(branch, inner));
    if (marked && !flat.nullable) flat = { ...flat, nullable: true };
    if (path.size === 0) known.set(schema, flat);
    return flat;
  };

  return {
    of: (schema) =>
      (typeof schema === 'object' && schema !== null ? known.get(schema as Node) : undefined) ??
      build(schema, new Set()),
    both,
    refs,
  };
};
