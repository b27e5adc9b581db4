/**
 * What in a value does not fit a JSON Schema, found by walking the two together. Tool schemas are many and each is met a few
 * times only: compiling one to code costs more than a thousand such walks. Knows the keywords that tool schemas are made of.
 */
import type { Json } from '../../kit/hash.js';

export type Schema = { readonly [key: string]: Json };

export interface Fault {
  keyword: string;
  /** Where the value stands that does not fit. */
  path: string[];
  data: unknown;
  /** What the keyword asks for; the missing or surplus name for `required` and `additionalProperties`. */
  wanted: Json;
  /** The schema that holds the keyword. */
  schema: Schema;
}

/** Keywords that are held against a value; each is listed in the order in which it is looked at. */
export const KEYWORDS = [
  'type',
  'maximum',
  'minimum',
  'maxLength',
  'minLength',
  'pattern',
  'const',
  'enum',
  'maxItems',
  'minItems',
  'items',
  'required',
  'additionalProperties',
  'properties',
] as const;

type Found = Fault | undefined;

const isType = (value: unknown, type: Json): boolean => {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    default:
      return typeof value === type;
  }
};

const same = (a: unknown, b: Json): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));

const MOST_PATTERNS = 2_000;
const patterns = new Map<string, RegExp>();
const patternOf = (source: string): RegExp => {
  const known = patterns.get(source);
  if (known) return known;
  if (patterns.size >= MOST_PATTERNS) patterns.clear();
  const made = new RegExp(source, 'u');
  patterns.set(source, made);
  return made;
};

/** Characters as JSON Schema counts them: a pair of surrogates is one. */
const lengthOf = (text: string): number => {
  let n = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(i + 1);
    if (next < 0xdc00 || next > 0xdfff) continue;
    n--;
    i++;
  }
  return n;
};

const fault = (schema: Schema, keyword: string, data: unknown, wanted: Json = schema[keyword] ?? null): Fault => ({
  keyword,
  path: [],
  data,
  wanted,
  schema,
});
const under = (found: Found, key: string): Found => {
  found?.path.unshift(key);
  return found;
};

const numberFault = (schema: Schema, value: number): Found => {
  if (schema.maximum !== undefined && value > (schema.maximum as number)) return fault(schema, 'maximum', value);
  if (schema.minimum !== undefined && value < (schema.minimum as number)) return fault(schema, 'minimum', value);
  return undefined;
};

const textFault = (schema: Schema, value: string): Found => {
  const { maxLength, minLength, pattern } = schema;
  if (maxLength !== undefined && value.length > (maxLength as number) && lengthOf(value) > (maxLength as number))
    return fault(schema, 'maxLength', value);
  if (minLength !== undefined && lengthOf(value) < (minLength as number)) return fault(schema, 'minLength', value);
  if (pattern !== undefined && !patternOf(pattern as string).test(value)) return fault(schema, 'pattern', value);
  return undefined;
};

const listFault = (schema: Schema, value: readonly unknown[]): Found => {
  const { maxItems, minItems, items } = schema;
  if (maxItems !== undefined && value.length > (maxItems as number)) return fault(schema, 'maxItems', value);
  if (minItems !== undefined && value.length < (minItems as number)) return fault(schema, 'minItems', value);
  if (items === undefined) return undefined;
  for (let i = 0; i < value.length; i++) {
    const found = faultIn(items as Schema, value[i]);
    if (found) return under(found, String(i));
  }
  return undefined;
};

const surplusFault = (schema: Schema, value: { [key: string]: unknown }): Found => {
  const { additionalProperties: more, properties } = schema;
  if (more === undefined || more === true) return undefined;
  for (const key of Object.keys(value)) {
    if (properties && Object.hasOwn(properties as Schema, key)) continue;
    if (more === false) return fault(schema, 'additionalProperties', value, key);
    const found = faultIn(more as Schema, value[key]);
    if (found) return under(found, key);
  }
  return undefined;
};

const objectFault = (schema: Schema, value: { [key: string]: unknown }): Found => {
  const missing = (schema.required as string[] | undefined)?.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return fault(schema, 'required', value, missing);
  const surplus = surplusFault(schema, value);
  if (surplus) return surplus;
  const properties = (schema.properties ?? {}) as { [key: string]: Schema };
  for (const key in properties) {
    if (!Object.hasOwn(value, key)) continue;
    const found = faultIn(properties[key] as Schema, value[key]);
    if (found) return under(found, key);
  }
  return undefined;
};

/** The first thing that does not fit; undefined when all does. Keywords it does not know say nothing. */
export const faultIn = (schema: Schema, value: unknown): Fault | undefined => {
  const { type } = schema;
  if (type !== undefined && !(Array.isArray(type) ? type.some((one) => isType(value, one)) : isType(value, type)))
    return fault(schema, 'type', value);
  if (typeof value === 'number') {
    const found = numberFault(schema, value);
    if (found) return found;
  } else if (typeof value === 'string') {
    const found = textFault(schema, value);
    if (found) return found;
  }
  if (schema.const !== undefined && !same(value, schema.const)) return fault(schema, 'const', value);
  if (schema.enum !== undefined && !(schema.enum as Json[]).some((one) => same(value, one)))
    return fault(schema, 'enum', value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return listFault(schema, value);
  return objectFault(schema, value as { [key: string]: unknown });
};
