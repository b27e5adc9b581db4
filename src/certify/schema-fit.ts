/**
 * Whether a value fits a JSON Schema, interpreted instead of compiled: certification meets each schema a few times only, and
 * compiling one costs more than a hundred such looks. Knows the keywords that tool schemas are made of and refuses any other,
 * so that no keyword is ever passed over.
 */
import { TreadleError } from '../errors.js';
import type { Json } from '../kit/hash.js';

type Schema = { readonly [key: string]: Json };

/** They say something to a reader and nothing about the value. */
const SILENT = new Set(['description', 'title', 'default', 'examples', 'format', 'deprecated', '$schema']);

const typeOf = (value: Json): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
};
const isType = (value: Json, type: Json): boolean => {
  if (type === 'integer') return typeof value === 'number' && Number.isInteger(value);
  return type === typeOf(value);
};
const isObject = (value: Json): value is { [key: string]: Json } => typeOf(value) === 'object';
const same = (a: Json, b: Json): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));
const length = (text: string): number => (/[\ud800-\udbff]/.test(text) ? [...text].length : text.length);

type Check = (value: Json, limit: Json, at: string, schema: Schema) => string | undefined;

const number =
  (fits: (value: number, limit: number) => boolean, words: string): Check =>
  (value, limit, at) =>
    typeof value === 'number' && !fits(value, limit as number) ? `${at} must be ${words} ${limit}` : undefined;
const size =
  (measure: (value: Json) => number | undefined, fits: (n: number, limit: number) => boolean, words: string): Check =>
  (value, limit, at) => {
    const n = measure(value);
    return n !== undefined && !fits(n, limit as number) ? `${at} must have ${words} ${limit}` : undefined;
  };
const characters = (value: Json): number | undefined => (typeof value === 'string' ? length(value) : undefined);
const items = (value: Json): number | undefined => (Array.isArray(value) ? value.length : undefined);
const atMost = (a: number, b: number): boolean => a <= b;
const atLeast = (a: number, b: number): boolean => a >= b;

const CHECKS: Record<string, Check> = {
  type: (value, type, at) =>
    (Array.isArray(type) ? type.some((one) => isType(value, one)) : isType(value, type))
      ? undefined
      : `${at} must be ${[type].flat().join(' or ')}, not ${typeOf(value)}`,
  enum: (value, allowed, at) =>
    (allowed as Json[]).some((one) => same(one, value)) ? undefined : `${at} is none of the values it may have`,
  const: (value, only, at) => (same(only, value) ? undefined : `${at} is not the one value it may have`),
  minimum: number(atLeast, 'at least'),
  maximum: number(atMost, 'at most'),
  minLength: size(characters, atLeast, 'at least so many characters:'),
  maxLength: size(characters, atMost, 'at most so many characters:'),
  minItems: size(items, atLeast, 'at least so many items:'),
  maxItems: size(items, atMost, 'at most so many items:'),
  pattern: (value, pattern, at) =>
    typeof value === 'string' && !new RegExp(pattern as string, 'u').test(value) ? `${at} does not match` : undefined,
  items: (value, schema, at) => {
    if (!Array.isArray(value)) return undefined;
    for (const [i, item] of value.entries()) {
      const fault = misfit(schema as Schema, item, `${at}[${i}]`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  },
  properties: (value, properties, at) => {
    if (!isObject(value)) return undefined;
    for (const [key, schema] of Object.entries(properties as Schema)) {
      if (!Object.hasOwn(value, key)) continue;
      const fault = misfit(schema as Schema, value[key] as Json, `${at}.${key}`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  },
  required: (value, names, at) => {
    if (!isObject(value)) return undefined;
    const missing = (names as string[]).find((name) => !Object.hasOwn(value, name));
    return missing === undefined ? undefined : `${at} lacks ${missing}`;
  },
  additionalProperties: (value, allowed, at, schema) => {
    if (!isObject(value) || allowed === true) return undefined;
    const known = schema.properties as Schema | undefined;
    for (const [key, item] of Object.entries(value)) {
      if (known && Object.hasOwn(known, key)) continue;
      if (allowed === false) return `${at} may not hold ${key}`;
      const fault = misfit(allowed as Schema, item, `${at}.${key}`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  },
};

/** What does not fit, with its place (`$.data[3].total`); undefined when all does. Throws `unknown_keyword`. */
export const misfit = (schema: Schema, value: Json, at = '$'): string | undefined => {
  for (const [keyword, limit] of Object.entries(schema)) {
    if (SILENT.has(keyword)) continue;
    const check = CHECKS[keyword];
    if (!check)
      throw new TreadleError({
        code: 'unknown_keyword',
        message: 'A schema holds a keyword that certification cannot check',
        value: keyword,
        next: 'Teach it to src/certify/schema-fit.ts, or leave it out of the schema.',
        fault: 'world',
      });
    const fault = check(value, limit, at, schema);
    if (fault !== undefined) return fault;
  }
  return undefined;
};
