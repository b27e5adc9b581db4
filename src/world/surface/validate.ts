/** Checks raw arguments against a tool's schema; a failure names the argument as the agent wrote it and what it may be. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { addressOf, type Json } from '../../kit/hash.js';
import type { ArgSpec } from './args.js';
import { AgentError, shownValue } from './value.js';

type JsonObject = { [key: string]: Json };

/** Bounds on what a caller may hand in: nodes, characters and depth of the whole arguments value. */
const LIMITS = { nodes: 5_000, characters: 262_144, depth: 8 };
const MAX_CACHED = 2_000;

const ajv = new Ajv({
  strict: false,
  ownProperties: true,
  validateFormats: false,
  addUsedSchema: false,
  verbose: true,
  logger: false,
});
const compiled = new Map<string, ValidateFunction>();

/** Compiling costs about 1.5 ms, so equal schemas share one function. */
const validatorOf = (schema: JsonObject): ValidateFunction => {
  const address = addressOf(schema);
  const known = compiled.get(address);
  if (known) return known;
  if (compiled.size >= MAX_CACHED) compiled.clear();
  const validate = ajv.compile(schema);
  compiled.set(address, validate);
  return validate;
};

const refuse = (code: string, message: string, field?: string): AgentError => new AgentError(code, message, field);

const dotted = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
const inside = (pointer: string, name: string): string => [dotted(pointer), name].filter(Boolean).join('.');

const REASONS: Record<string, (error: ErrorObject) => string> = {
  enum: ({ params }) => `must be one of ${(params.allowedValues as unknown[]).join(', ')}`,
  type: ({ params }) => `must be of type ${[params.type as string | string[]].flat().join(' or ')}`,
  minimum: ({ params }) => `must be at least ${params.limit}`,
  maximum: ({ params }) => `must be at most ${params.limit}`,
  minLength: ({ params }) => `must have at least ${params.limit} characters`,
  maxLength: ({ params }) => `must have at most ${params.limit} characters`,
  maxItems: ({ params }) => `must have at most ${params.limit} items`,
  pattern: ({ params }) => `must match ${params.pattern}`,
};

const problem = (error: ErrorObject): AgentError => {
  const { instancePath, keyword, params, data, parentSchema } = error;
  if (keyword === 'required') {
    const path = inside(instancePath, String(params.missingProperty));
    return refuse('missing_argument', `${path} is required`, path);
  }
  if (keyword === 'additionalProperties') {
    const path = inside(instancePath, String(params.additionalProperty));
    const known = Object.keys((parentSchema as { properties?: object }).properties ?? {});
    const takes = known.length > 0 ? `the arguments are ${known.join(', ')}` : 'there are no arguments';
    return refuse(
      'unknown_argument',
      `${shownValue(path).slice(1, -1)} is no argument here; ${takes}`,
      path.slice(0, 80),
    );
  }
  const path = dotted(instancePath);
  const reason = REASONS[keyword]?.(error) ?? error.message ?? 'is not valid';
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

/** The check of a tool's arguments; compiled at the first call. Throws missing_, unknown_ or invalid_argument (fault agent). */
export const argsValidator = (schema: JsonObject, specs: Iterable<ArgSpec>): Validate => {
  const nullable = new Set([...specs].filter((spec) => spec.nullable).map((spec) => spec.path.join('.')));
  let validate: ValidateFunction | undefined;
  return (raw) => {
    const given = raw ?? {};
    if (typeof given !== 'object' || Array.isArray(given))
      throw refuse('invalid_argument', `The arguments must be a JSON object, not ${shownValue(raw)}`);
    const nulls = scan(given, { nodes: LIMITS.nodes, characters: LIMITS.characters }, 0);
    const args = (nulls ? withoutNulls(given as Json, '', nullable) : given) as JsonObject;
    validate ??= validatorOf(schema);
    if (validate(args)) return args;
    throw problem((validate.errors as ErrorObject[])[0] as ErrorObject);
  };
};
