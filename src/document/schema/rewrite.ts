/**
 * A schema as an API document writes it, rewritten for a JSON Schema checker one level at a time. References, and what lies deep inside,
 * become `later` with a number: they are rewritten and compiled when a value first reaches them. So a circle costs nothing and a schema
 * of ten thousand properties costs what its values touch.
 */
import { isNode, type Node } from '../node.js';
import type { Refs } from '../refs.js';
import { bounds, isPattern, PLAIN, SUBSCHEMA, SUBSCHEMAS, typesOf } from './keywords.js';

/** Requests leave out what only answers have (`readOnly`), and the other way round (`writeOnly`). */
export type Use = 'request' | 'response';

export interface Rewriting {
  refs: Refs;
  use: Use;
  /** 3.0 and before: what stands beside a `$ref` is not read. */
  bareRefs: boolean;
  formats: ReadonlySet<string>;
  /** Number of a schema that is checked when a value reaches it; `isPart` where it is one of several that hold together. */
  later(schema: Node, isPart?: boolean): number;
  note(why: string, schema: Node): void;
}

/** Inline schemas this far down are left for later. */
const DEPTH = 2;

type Out = Record<string, unknown> | boolean;

const isFile = (schema: Node): boolean => schema.type === 'file' || schema.format === 'binary';

/** Keywords that say something about null too, so that `nullable` has to stand around them. */
const BINDS_NULL = ['allOf', 'anyOf', 'oneOf', 'not', 'later', 'chosen', 'const', 'if'];

const nullableOf = (out: Record<string, unknown>): Out => {
  if (Array.isArray(out.type) && !out.type.includes('null')) out.type = [...out.type, 'null'];
  if (Array.isArray(out.enum) && !out.enum.includes(null)) out.enum = [...out.enum, null];
  return BINDS_NULL.some((key) => key in out) ? { if: { type: 'null' }, else: out } : out;
};

const hidden = (schema: unknown, { refs, use }: Rewriting): boolean => {
  const { node } = refs.resolve(schema);
  const mark = use === 'request' ? 'readOnly' : 'writeOnly';
  return node[mark] === true || (isNode(schema) && schema[mark] === true);
};

const requiredOf = (schema: Node, how: Rewriting): string[] => {
  if (!Array.isArray(schema.required)) return [];
  const properties = isNode(schema.properties) ? schema.properties : {};
  return [...new Set(schema.required)].filter(
    (name): name is string =>
      typeof name === 'string' && !(Object.hasOwn(properties, name) && hidden(properties[name], how)),
  );
};

/** `properties` may hold `__proto__`, so its entries are defined, never assigned. */
const mapOf = (value: Node, each: (item: unknown, name: string) => Out): Record<string, Out> =>
  Object.fromEntries(Object.entries(value).map(([name, item]) => [name, each(item, name)]));

/** Closed schemas that are put together with others refuse what the others ask for; documents never mean that. */
const isClosed = (schema: Node, isPart: boolean): boolean =>
  schema.additionalProperties === false && !isPart && !Array.isArray(schema.allOf);

const objectParts = (schema: Node, how: Rewriting, depth: number, isPart: boolean): Record<string, unknown> => {
  const out: Record<string, unknown> = {};
  const inner = (value: unknown): Out => rewrite(value, how, depth + 1);
  if (isNode(schema.properties))
    // What only the other side sends is let through unread.
    out.properties = mapOf(schema.properties, (item) => (hidden(item, how) ? true : inner(item)));
  const required = requiredOf(schema, how);
  if (required.length > 0) out.required = required;
  if (isClosed(schema, isPart)) out.additionalProperties = false;
  else if (isNode(schema.additionalProperties)) out.additionalProperties = inner(schema.additionalProperties);
  if (isNode(schema.patternProperties)) {
    const sound = Object.entries(schema.patternProperties).filter(([pattern]) => isPattern(pattern));
    if (sound.length < Object.keys(schema.patternProperties).length)
      how.note('a pattern of patternProperties cannot be read', schema);
    out.patternProperties = mapOf(Object.fromEntries(sound), inner);
  }
  if (isNode(schema.dependentSchemas)) out.dependentSchemas = mapOf(schema.dependentSchemas, inner);
  return out;
};

const arrayParts = (schema: Node, how: Rewriting, depth: number): Record<string, unknown> => {
  const out: Record<string, unknown> = {};
  const heads = Array.isArray(schema.prefixItems)
    ? schema.prefixItems
    : Array.isArray(schema.items)
      ? schema.items
      : [];
  if (heads.length > 0) out.prefixItems = heads.map((item) => rewrite(item, how, depth + 1));
  if (isNode(schema.items) || schema.items === false) out.items = rewrite(schema.items, how, depth + 1);
  return out;
};

/** One of several by a property's value: `{property, branches: {value: number}}`. */
const chosenOf = (schema: Node, list: readonly unknown[], how: Rewriting): Record<string, unknown> | undefined => {
  const { discriminator } = schema;
  if (!isNode(discriminator) || typeof discriminator.propertyName !== 'string') return undefined;
  const mapping = isNode(discriminator.mapping) ? discriminator.mapping : {};
  const branches = new Map<string, number>();
  for (const item of list) {
    if (!isNode(item) || typeof item.$ref !== 'string') return undefined;
    const name = how.refs.resolve(item).name ?? '';
    const values = Object.entries(mapping).filter(([, to]) => to === item.$ref || to === name);
    const at = how.later(item);
    for (const value of values.length > 0 ? values.map(([key]) => key) : [name]) branches.set(value, at);
  }
  return { property: discriminator.propertyName, branches };
};

const compositeParts = (schema: Node, how: Rewriting, depth: number, isPart: boolean): Record<string, unknown> => {
  const out: Record<string, unknown> = {};
  for (const key of SUBSCHEMAS) {
    const list = schema[key];
    if (!Array.isArray(list) || list.length === 0) continue;
    const chosen = key === 'allOf' ? undefined : chosenOf(schema, list, how);
    // Documents mean "one of these forms" far oftener than "not two at once": a request may fit several.
    const name = key === 'oneOf' && how.use === 'request' ? 'anyOf' : key;
    if (chosen) out.chosen = { ...chosen, otherwise: list.map((item) => how.later(isNode(item) ? item : {})) };
    else if (name in out)
      out.allOf = [...((out.allOf as Out[]) ?? []), { [name]: list.map((item) => rewrite(item, how, depth, isPart)) }];
    else out[name] = list.map((item) => rewrite(item, how, depth, key === 'allOf' || isPart));
  }
  for (const key of SUBSCHEMA)
    if (isNode(schema[key]) || typeof schema[key] === 'boolean') out[key] = rewrite(schema[key], how, depth + 1);
  // Alone they say nothing.
  if (!('if' in out)) {
    delete out.then;
    delete out.else;
  }
  return out;
};

const plainParts = (schema: Node, how: Rewriting): Record<string, unknown> => {
  const out: Record<string, unknown> = { ...bounds(schema) };
  const types = typesOf(schema.type);
  if (types) out.type = types;
  else if (schema.type !== undefined) how.note(`the type ${JSON.stringify(schema.type)} is not known`, schema);
  for (const [key, isSound] of Object.entries(PLAIN)) {
    if (schema[key] === undefined) continue;
    if (isSound(schema[key])) out[key] = schema[key];
    else how.note(`the value of ${key} makes no sense`, schema);
  }
  if (Array.isArray(schema.enum) && schema.enum.length > 0) out.enum = [...new Set(schema.enum)];
  if (schema.pattern !== undefined) {
    if (isPattern(schema.pattern)) out.pattern = schema.pattern;
    else how.note(`the pattern ${JSON.stringify(schema.pattern)} cannot be read`, schema);
  }
  if (typeof schema.format === 'string' && how.formats.has(schema.format)) out.format = schema.format;
  return out;
};

const isSmall = (schema: Node): boolean =>
  !isNode(schema.properties) && !SUBSCHEMAS.some((key) => Array.isArray(schema[key])) && !isNode(schema.items);

export const rewrite = (value: unknown, how: Rewriting, depth = 0, isPart = false): Out => {
  if (typeof value === 'boolean') return value;
  if (!isNode(value)) return true;
  if (typeof value.$ref === 'string') {
    const { node } = how.refs.resolve(value);
    const ref: Record<string, unknown> = Object.keys(node).length === 0 ? {} : { later: how.later(node, isPart) };
    const { $ref, ...rest } = value;
    if (!how.bareRefs && Object.keys(rest).length > 0) {
      const beside = rewrite(rest, how, depth, true);
      if (isNode(beside)) return { allOf: [ref, beside] };
    }
    return value.nullable === true ? nullableOf(ref) : ref;
  }
  if (depth >= DEPTH && !isSmall(value)) return { later: how.later(value, isPart) };
  // A file comes as an object from a form and as text from elsewhere.
  if (isFile(value)) return true;
  const out = {
    ...plainParts(value, how),
    ...objectParts(value, how, depth, isPart),
    ...arrayParts(value, how, depth),
    ...compositeParts(value, how, depth, isPart),
  };
  return value.nullable === true ? nullableOf(out) : out;
};
