/** Checks raw arguments against a tool's schema; a failure names the argument as the agent wrote it and what it may be. */
import type { Json } from '../../kit/hash.js';
import type { ArgSpec } from './args.js';
import { type Fault, faultIn } from './fault.js';
import { AgentError, shownValue } from './value.js';

type JsonObject = { [key: string]: Json };

/** Bounds on what a caller may hand in: nodes, characters and depth of the whole arguments value. */
const LIMITS = { nodes: 5_000, characters: 262_144, depth: 8 };

const refuse = (code: string, message: string, field?: string): AgentError => new AgentError(code, message, field);

const REASONS: Record<string, (wanted: Json) => string> = {
  enum: (allowed) => `must be one of ${(allowed as unknown[]).join(', ')}`,
  type: (type) => `must be of type ${[type].flat().join(' or ')}`,
  minimum: (limit) => `must be at least ${limit}`,
  maximum: (limit) => `must be at most ${limit}`,
  minLength: (limit) => `must have at least ${limit} characters`,
  maxLength: (limit) => `must have at most ${limit} characters`,
  maxItems: (limit) => `must have at most ${limit} items`,
  pattern: (pattern) => `must match ${pattern}`,
};

const problem = ({ keyword, path: parts, data, wanted, schema }: Fault): AgentError => {
  if (keyword === 'required') {
    const path = [...parts, wanted].join('.');
    return refuse('missing_argument', `${path} is required`, path);
  }
  if (keyword === 'additionalProperties') {
    const path = [...parts, wanted].join('.');
    const known = Object.keys(schema.properties ?? {});
    const takes = known.length > 0 ? `the arguments are ${known.join(', ')}` : 'there are no arguments';
    return refuse(
      'unknown_argument',
      `${shownValue(path).slice(1, -1)} is no argument here; ${takes}`,
      path.slice(0, 80),
    );
  }
  const path = parts.join('.');
  const reason = REASONS[keyword]?.(wanted) ?? 'is not valid';
  return refuse(
    'invalid_argument',
    `${path || 'The arguments object'} ${reason}, not ${shownValue(data)}`,
    path || undefined,
  );
};

/** Walks the value once: true when it holds a null or undefined, which the schema may not take. */
const scan = (value: unknown, budget: { nodes: number; characters: number }, depth: number): boolean => {
  if (--budget.nodes < 0 || budget.characters < 0 || depth > LIMITS.depth)
    throw refuse('invalid_argument', 'The arguments are too large or too deeply nested');
  if (value === null || value === undefined) return true;
  if (typeof value === 'string') budget.characters -= value.length;
  if (typeof value !== 'object') return false;
  let nulls = false;
  for (const key of Object.keys(value)) {
    budget.characters -= key.length;
    if (scan((value as JsonObject)[key], budget, depth + 1)) nulls = true;
  }
  return nulls;
};

/** A null means absent, but for arguments that may clear a column. */
const withoutNulls = (value: Json, path: string, keep: ReadonlySet<string>): Json => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value)
    .map(([key, item]) => [key, path ? `${path}.${key}` : key, item] as const)
    .filter(([, at, item]) => item !== undefined && (item !== null || keep.has(at)))
    .map(([key, at, item]) => [key, withoutNulls(item, at, keep)] as const);
  return Object.fromEntries(entries);
};

export type Validate = (raw: unknown) => JsonObject;

/** The check of a tool's arguments. Throws missing_, unknown_ or invalid_argument (fault agent). */
export const argsValidator = (schema: JsonObject, specs: Iterable<ArgSpec>): Validate => {
  const nullable = new Set([...specs].filter((spec) => spec.nullable).map((spec) => spec.path.join('.')));
  return (raw) => {
    const given = raw ?? {};
    if (typeof given !== 'object' || Array.isArray(given))
      throw refuse('invalid_argument', `The arguments must be a JSON object, not ${shownValue(raw)}`);
    const nulls = scan(given, { nodes: LIMITS.nodes, characters: LIMITS.characters }, 0);
    const args = (nulls ? withoutNulls(given as Json, '', nullable) : given) as JsonObject;
    const fault = faultIn(schema, args);
    if (fault) throw problem(fault);
    return args;
  };
};
