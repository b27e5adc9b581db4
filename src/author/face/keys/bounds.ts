/** What schemas say of the values that name rows, joined: all of it where that leaves any, else the first. */
import { isPattern, bounds as numberBounds } from '../../../document/schema/keywords.js';
import { LONGEST, languageOf } from '../../../kit/language/language.js';
import type { View } from '../../openapi/schema.js';
import type { Field } from '../../openapi/types.js';

export interface Bounds {
  /** All of them hold. */
  patterns: readonly string[];
  minLength: number;
  maxLength: number;
  /** Of numbers, and of texts that paths have as numbers. */
  min: number;
  max: number;
  isNumber: boolean;
  values: readonly string[] | undefined;
  format: string | undefined;
}

const SAFE = Number.MAX_SAFE_INTEGER;

export const FREE: Bounds = {
  patterns: [],
  minLength: 0,
  maxLength: LONGEST,
  min: -SAFE,
  max: SAFE,
  isNumber: false,
  values: undefined,
  format: undefined,
};

const BYTE = String.raw`(?:\d|[1-9]\d|1\d\d|2[0-4]\d)`;
const DATE = String.raw`20(?:1\d|2[0-3])-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])`;
export const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$';
/** Texts of each format, by a pattern. */
const FORMATS: Readonly<Record<string, string>> = {
  uuid: UUID,
  guid: UUID,
  date: `^${DATE}$`,
  'date-time': String.raw`^${DATE}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$`,
  email: String.raw`^[a-z]{4,9}\.[a-z]{4,9}@mail\.example$`,
  'idn-email': String.raw`^[a-z]{4,9}\.[a-z]{4,9}@mail\.example$`,
  hostname: String.raw`^[a-z]{4,9}-\d\d\.example$`,
  ipv4: String.raw`^10\.${BYTE}\.${BYTE}\.${BYTE}$`,
  ipv6: '^2001:db8(?::[1-9a-f][0-9a-f]{3}){6}$',
  uri: '^https://[a-z]{5,9}[.]example/[a-z0-9]{4,8}$',
  url: '^https://[a-z]{5,9}[.]example/[a-z0-9]{4,8}$',
  iri: '^https://[a-z]{5,9}[.]example/[a-z0-9]{4,8}$',
  byte: '^(?:[A-Za-z0-9]{4}){3}$',
  duration: String.raw`^P[1-9]\d?D$`,
  'json-pointer': '^/[a-z]{3,8}$',
};
export const formatPattern = (format: string | undefined): string | undefined =>
  format === undefined ? undefined : FORMATS[format.toLowerCase()];

const count = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : otherwise;

const patternsOf = (pattern: unknown, format: string | undefined): string[] => {
  const formed = formatPattern(format);
  const own = typeof pattern === 'string' && isPattern(pattern) ? [pattern] : [];
  return [...own, ...(formed === undefined ? [] : [formed])];
};

/** Undefined for what is no scalar. */
export const boundsOfView = (view: View): Bounds | undefined => {
  const { types, facts } = view;
  if (types.has('object') || types.has('array') || types.has('boolean')) return undefined;
  const isNumber = (types.has('integer') || types.has('number')) && !types.has('string');
  const format = typeof facts.get('format') === 'string' ? (facts.get('format') as string) : undefined;
  const listed = view.enum?.filter((value) => typeof value === 'string' || typeof value === 'number').map(String);
  const values = listed === undefined || listed.length === 0 ? undefined : listed;
  if (!isNumber)
    return {
      ...FREE,
      patterns: patternsOf(facts.get('pattern'), format),
      minLength: count(facts.get('minLength'), 0),
      maxLength: Math.max(1, count(facts.get('maxLength'), LONGEST)),
      values,
      format,
    };
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = numberBounds(Object.fromEntries(facts));
  const whole = (limit: number | undefined, otherwise: number, by: (n: number) => number): number =>
    limit === undefined ? otherwise : by(limit);
  return {
    ...FREE,
    min: Math.max(
      whole(minimum, -SAFE, Math.ceil),
      whole(exclusiveMinimum, -SAFE, (n) => Math.floor(n) + 1),
    ),
    max: Math.min(
      whole(maximum, SAFE, Math.floor),
      whole(exclusiveMaximum, SAFE, (n) => Math.ceil(n) - 1),
    ),
    isNumber,
    values,
  };
};

export const boundsOfField = (field: Field): Bounds | undefined =>
  field.type === 'int' || field.type === 'number'
    ? { ...FREE, min: Math.ceil(field.min ?? -SAFE), max: Math.floor(field.max ?? SAFE), isNumber: true }
    : field.type === 'text'
      ? {
          ...FREE,
          patterns: patternsOf(field.pattern, field.format),
          minLength: field.minLength ?? 0,
          maxLength: field.maxLength ?? LONGEST,
          values: field.enum,
          format: field.format,
        }
      : undefined;

const tests = new Map<string, RegExp>();
const regExp = (pattern: string): RegExp => {
  const known = tests.get(pattern);
  if (known) return known;
  if (tests.size > 2_000) tests.clear();
  let made: RegExp;
  try {
    made = new RegExp(pattern, 'u');
  } catch {
    made = new RegExp(pattern);
  }
  tests.set(pattern, made);
  return made;
};

/** Whether a value, as a path has it, is within the bounds. */
export const isWithin = (bounds: Bounds, text: string): boolean => {
  const { patterns, minLength, maxLength, min, max, isNumber, values } = bounds;
  if (values && !values.includes(text)) return false;
  if (text.length < minLength || text.length > maxLength || !patterns.every((one) => regExp(one).test(text)))
    return false;
  const number = Number(text);
  return !isNumber || (/^-?\d+$/.test(text) && number >= min && number <= max);
};

const isPossible = (bounds: Bounds): boolean => {
  const { patterns, minLength, maxLength, min, max, values, isNumber } = bounds;
  if (values) return values.some((value) => isWithin(bounds, value));
  if (minLength > maxLength || min > max) return false;
  // A number's texts that meet a pattern are looked for among a few of each length.
  const all = isNumber ? [...patterns, String.raw`^(?:0|[1-9]\d{0,14})$`] : patterns;
  return patterns.length === 0 || languageOf(all, minLength, maxLength) !== undefined;
};

const both = (a: Bounds, b: Bounds): Bounds => ({
  patterns: [...new Set([...a.patterns, ...b.patterns])],
  minLength: Math.max(a.minLength, b.minLength),
  maxLength: Math.min(a.maxLength, b.maxLength),
  min: Math.max(a.min, b.min),
  max: Math.min(a.max, b.max),
  isNumber: a.isNumber || b.isNumber,
  values: a.values && b.values ? a.values.filter((value) => b.values?.includes(value)) : (a.values ?? b.values),
  format: a.format ?? b.format,
});

/** Those first in the list win where not all can hold. */
export const joined = (list: readonly Bounds[]): Bounds => {
  let out = FREE;
  for (const one of list) {
    const next = both(out, one);
    if (isPossible(next)) out = next;
  }
  return out.values ? { ...out, values: out.values.filter((value) => isWithin(out, value)) } : out;
};

export const isFree = (bounds: Bounds): boolean =>
  bounds.patterns.length === 0 &&
  bounds.values === undefined &&
  bounds.minLength === 0 &&
  bounds.maxLength === LONGEST &&
  bounds.min === -SAFE &&
  bounds.max === SAFE;

/** One pattern that says what all of them say: the first, and before it a look ahead for each of the others. */
export const onePattern = ([first, ...others]: readonly string[]): string | undefined => {
  if (first === undefined || others.length === 0) return first;
  const looks = others.map((one) => `(?=${/^\^/.test(one) ? '' : '.*'}(?:${one}))`);
  return `^${looks.join('')}(?:${first})`;
};
