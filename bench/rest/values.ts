/**
 * Values that fit a schema of a document, for requests: written apart from what the fake itself draws, so that a fault there is not
 * made twice. What cannot be drawn from the keywords alone (patterns, unions) is tried and held against the schema.
 */
import fc from 'fast-check';
import type { SchemaChecks } from '../../src/document/checks.js';
import { isNode, type Node } from '../../src/document/node.js';
import type { Rng } from '../../src/kit/rng.js';

export interface Drawing {
  checks: SchemaChecks;
  draw: Rng;
  /** In place of what would be drawn, by property names from the body's root; undefined: as drawn. */
  given?: ((at: readonly string[]) => unknown) | undefined;
}

/** Optional parts are left out below this depth, and everything below the second. */
const SHALLOW = 3;
const DEEPEST = 12;
const MOST_PROPERTIES = 25;

const FORMATS: Record<string, (draw: Rng) => unknown> = {
  'date-time': (draw) => `2024-0${draw.int(1, 9)}-1${draw.int(0, 9)}T1${draw.int(0, 9)}:30:00Z`,
  date: (draw) => `2024-0${draw.int(1, 9)}-1${draw.int(0, 9)}`,
  time: () => '12:30:00Z',
  duration: () => 'P1D',
  email: (draw) => `person${draw.int(1, 999)}@example.com`,
  uri: (draw) => `https://example.com/${draw.int(1, 999)}`,
  url: (draw) => `https://example.com/${draw.int(1, 999)}`,
  uuid: (draw) => `0b8f7f5e-4d6c-4f7a-9c1e-${String(draw.int(1, 999_999_999)).padStart(12, '0')}`,
  ipv4: () => '192.0.2.7',
  ipv6: () => '2001:db8::7',
  hostname: () => 'host.example.com',
  byte: () => 'aGVsbG8=',
};

const WORDS = 'amber birch cedar delta ember fjord grove heron inlet jetty kelp larch maple north otter'.split(' ');

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

const patterned = (pattern: string, { minLength, maxLength }: Node, draw: Rng): string | undefined => {
  try {
    const texts = fc.sample(fc.stringMatching(new RegExp(pattern)), { seed: draw.int(0, 1e9), numRuns: 40 });
    const [least, most] = [numberOf(minLength) ?? 0, numberOf(maxLength) ?? 200];
    const fitting = texts.filter((text) => text.length >= least && text.length <= most);
    // Plain characters first: others are a matter for fuzzing.
    return fitting.find((text) => /^[\x21-\x7e]*$/.test(text)) ?? fitting[0];
  } catch {
    return undefined;
  }
};

const textFor = (schema: Node, draw: Rng): string => {
  if (typeof schema.pattern === 'string') {
    const made = patterned(schema.pattern, schema, draw);
    if (made !== undefined) return made;
  }
  const format = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined;
  if (format) return String(format(draw));
  const [least, most] = [numberOf(schema.minLength) ?? 0, numberOf(schema.maxLength) ?? 40];
  let text = `${draw.pick(WORDS)} ${draw.pick(WORDS)} ${draw.int(1, 99)}`;
  while (text.length < least) text += `${draw.pick(WORDS)}`;
  return text.slice(0, Math.max(least, Math.min(most, Math.max(text.length, least)))).trim();
};

const numberFor = (schema: Node, isWhole: boolean, draw: Rng): number => {
  const exclusiveLow = schema.exclusiveMinimum;
  const exclusiveHigh = schema.exclusiveMaximum;
  let low = numberOf(exclusiveLow) ?? numberOf(schema.minimum);
  let high = numberOf(exclusiveHigh) ?? numberOf(schema.maximum);
  const step = numberOf(schema.multipleOf) ?? (isWhole ? 1 : 0.5);
  if (low !== undefined && (exclusiveLow === true || numberOf(exclusiveLow) !== undefined)) low += step;
  if (high !== undefined && (exclusiveHigh === true || numberOf(exclusiveHigh) !== undefined)) high -= step;
  const from = low ?? (high === undefined ? 1 : high - 100 * step);
  const to = Math.min(high ?? from + 100 * step, from + 1000 * step);
  const steps = Math.max(0, Math.floor((to - from) / step));
  const value = Math.ceil(from / step - 1e-9) * step + draw.int(0, Math.min(1000, steps)) * step;
  const inside = value > to ? Math.ceil(from / step - 1e-9) * step : value;
  return isWhole ? Math.round(inside) : Number(inside.toFixed(6));
};

/** `allOf` and a `$ref` folded into one object schema, as far as that is plain. */
export const folded = (given: unknown, checks: SchemaChecks, hops = 0): Node => {
  const { node } = checks.refs.resolve(given);
  if (!Array.isArray(node.allOf) || hops > 8) return node;
  const out: Node = { ...node, allOf: undefined };
  for (const part of node.allOf) {
    const one = folded(part, checks, hops + 1);
    const required = [
      ...((out.required as string[] | undefined) ?? []),
      ...((one.required as string[] | undefined) ?? []),
    ];
    const properties = {
      ...(isNode(one.properties) ? one.properties : {}),
      ...(isNode(out.properties) ? out.properties : {}),
    };
    for (const [key, value] of Object.entries(one)) out[key] ??= value;
    if (required.length > 0) out.required = required;
    if (Object.keys(properties).length > 0) out.properties = properties;
  }
  return out;
};

export const typeOf = (schema: Node): string | undefined => {
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type;
  if (typeof type === 'string') return type;
  if (isNode(schema.properties) || isNode(schema.additionalProperties)) return 'object';
  if (schema.items !== undefined) return 'array';
  return undefined;
};

const branchesOf = (schema: Node): unknown[] | undefined => {
  const list = schema.oneOf ?? schema.anyOf;
  return Array.isArray(list) && list.length > 0 ? list : undefined;
};

const discriminated = (value: unknown, schema: Node, branch: unknown): unknown => {
  const { discriminator } = schema;
  if (!isNode(value) || !isNode(discriminator) || typeof discriminator.propertyName !== 'string') return value;
  const ref = isNode(branch) && typeof branch.$ref === 'string' ? branch.$ref : undefined;
  const mapping = isNode(discriminator.mapping) ? discriminator.mapping : {};
  const named = Object.entries(mapping).find(([, to]) => to === ref)?.[0] ?? ref?.split('/').at(-1);
  const known = value[discriminator.propertyName];
  return named === undefined || (known !== undefined && Object.hasOwn(mapping, String(known)))
    ? value
    : { ...value, [discriminator.propertyName]: named };
};

const objectFor = (schema: Node, drawing: Drawing, at: readonly string[]): Node => {
  const { checks, draw } = drawing;
  const properties = isNode(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? (schema.required as string[]) : []);
  const out: Node = {};
  for (const [name, value] of Object.entries(properties)) {
    const inner = folded(value, checks);
    if (inner.readOnly === true && !required.has(name)) continue;
    if (inner.readOnly === true) continue;
    const isWanted =
      required.has(name) ||
      (at.length < SHALLOW &&
        Object.keys(out).length < MOST_PROPERTIES &&
        draw.chance(0.6) &&
        inner.deprecated !== true);
    if (!isWanted) continue;
    const drawn = valueFor(value, drawing, [...at, name]);
    if (drawn === undefined) continue;
    // An optional part that cannot be drawn is left out: the request stays valid.
    if (!required.has(name) && checks.check({ ...(value as Node) }, drawn, 'request').length > 0) continue;
    out[name] = drawn;
  }
  for (const name of required) {
    if (name in out || name in properties) continue;
    const extra = schema.additionalProperties;
    out[name] = isNode(extra) ? valueFor(extra, drawing, [...at, name]) : 'x';
  }
  const least = numberOf(schema.minProperties) ?? 0;
  for (let n = 0; Object.keys(out).length < least && n < least; n++)
    if (isNode(schema.additionalProperties))
      out[`key${n}`] = valueFor(schema.additionalProperties, drawing, [...at, `key${n}`]);
  return out;
};

const arrayFor = (schema: Node, drawing: Drawing, at: readonly string[]): unknown[] => {
  const least = numberOf(schema.minItems) ?? 0;
  const most = numberOf(schema.maxItems) ?? 2;
  const size = Math.max(least, Math.min(most, at.length > SHALLOW ? 0 : drawing.draw.int(1, 2)));
  const out: unknown[] = [];
  for (let n = 0; n < size * 4 && out.length < size; n++) {
    const item = valueFor(schema.items ?? {}, drawing, [...at, String(out.length)]);
    if (item === undefined) break;
    if (schema.uniqueItems === true && out.some((one) => JSON.stringify(one) === JSON.stringify(item))) continue;
    out.push(item);
  }
  return out;
};

const unionFor = (schema: Node, branches: unknown[], drawing: Drawing, at: readonly string[]): unknown => {
  const { oneOf, anyOf, discriminator, ...rest } = schema;
  const has = isNode(rest.properties) || Array.isArray(rest.required);
  let first: unknown;
  for (const branch of branches.slice(0, 12)) {
    const inner = folded(branch, drawing.checks);
    if (typeOf(inner) === 'null') continue;
    const joined = has ? folded({ allOf: [inner, rest] }, drawing.checks) : { ...rest, ...inner };
    const value = discriminated(valueFor(joined, drawing, at), schema, branch);
    first ??= value;
    if (value !== undefined && drawing.checks.check(schema, value, 'request').length === 0) return value;
  }
  return first;
};

/** Undefined where nothing can be drawn. */
export const valueFor = (given: unknown, drawing: Drawing, at: readonly string[] = []): unknown => {
  if (at.length > DEEPEST) return undefined;
  const { checks, draw } = drawing;
  const chosen = drawing.given?.(at);
  if (chosen !== undefined) return chosen;
  const schema = folded(given, checks);
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) {
    const named = schema.enum.filter((one) => one !== null && one !== '');
    return draw.pick(named.length > 0 ? named : (schema.enum as unknown[]));
  }
  const branches = branchesOf(schema);
  if (branches) return unionFor(schema, branches, drawing, at);
  const type = typeOf(schema);
  if (type === 'object') return objectFor(schema, drawing, at);
  if (type === 'array') return arrayFor(schema, drawing, at);
  const examples = [schema.example, ...(Array.isArray(schema.examples) ? schema.examples : [])];
  const example = examples.find((one) => one !== undefined && typeof one !== 'object');
  if (example !== undefined && draw.chance(0.5) && checks.check(schema, example, 'request').length === 0)
    return example;
  if (type === 'boolean') return draw.chance(0.5);
  if (type === 'integer' || type === 'number') return numberFor(schema, type === 'integer', draw);
  return textFor(schema, draw);
};
