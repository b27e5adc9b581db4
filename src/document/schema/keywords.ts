/** Keywords of JSON Schema that are checked as they are written, each with what its value must be to mean anything. */
import { isNode } from '../node.js';

const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string');
const isFlag = (value: unknown): boolean => typeof value === 'boolean';

export const PLAIN: Readonly<Record<string, (value: unknown) => boolean>> = {
  maxLength: isCount,
  minLength: isCount,
  maxItems: isCount,
  minItems: isCount,
  maxProperties: isCount,
  minProperties: isCount,
  uniqueItems: isFlag,
  multipleOf: (value) => isNumber(value) && (value as number) > 0,
  const: (value) => value !== undefined,
  dependentRequired: (value) => isNode(value) && Object.values(value).every(isTexts),
};

/** Keywords that hold one schema, a list of them, or a map. */
export const SUBSCHEMA = ['not', 'if', 'then', 'else', 'contains', 'propertyNames'] as const;
export const SUBSCHEMAS = ['allOf', 'anyOf', 'oneOf'] as const;

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/** Types as JSON Schema knows them; `undefined` where nothing sensible is said, so that anything goes. */
export const typesOf = (value: unknown): string[] | undefined => {
  const given = Array.isArray(value) ? value : [value];
  const known = given.filter((item): item is string => typeof item === 'string' && TYPES.has(item));
  return known.length === given.length && known.length > 0 ? [...new Set(known)] : undefined;
};

/** A limit and whether it is exclusive: a number of its own since 3.1, a flag beside the limit before; documents mix both. */
export const bounds = (schema: Readonly<Record<string, unknown>>): Record<string, number> => {
  const out: Record<string, number> = {};
  for (const side of ['minimum', 'maximum'] as const) {
    const exclusive = side === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum';
    const limit = schema[side];
    const strict = schema[exclusive];
    if (isNumber(strict)) out[exclusive] = strict as number;
    if (isNumber(limit)) out[strict === true ? exclusive : side] = limit as number;
  }
  return out;
};

/** Is this text a pattern that this machine can run? */
export const isPattern = (text: unknown): text is string => {
  if (typeof text !== 'string') return false;
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    try {
      new RegExp(text);
      return true;
    } catch {
      return false;
    }
  }
};
