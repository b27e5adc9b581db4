/** Bounds of numbers, texts and lists, and what meets two of them. */
import type { Node } from '../../../document/node.js';

export interface Bounds {
  format?: string;
  patterns?: readonly string[];
  minLength?: number;
  maxLength?: number;
  /** Inclusive. */
  minimum?: number;
  maximum?: number;
  above?: number;
  below?: number;
  multipleOf?: number;
  minItems?: number;
  maxItems?: number;
  unique?: boolean;
  minProperties?: number;
  maxProperties?: number;
}

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** Numeric keywords as written; `exclusiveMinimum` is a flag in 3.0 and a number in 3.1. */
export const boundsOf = (node: Node): Bounds => {
  const out: Bounds = {};
  const take = (key: keyof Bounds & keyof Node, value: unknown): void => {
    const number = numberOf(value);
    if (number !== undefined) (out as Record<string, number>)[key] = number;
  };
  for (const key of ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const)
    take(key, node[key]);
  if (typeof node.format === 'string') out.format = node.format;
  if (typeof node.pattern === 'string') out.patterns = [node.pattern];
  if (node.exclusiveMinimum === true) take('above', node.minimum);
  else take('minimum', node.minimum);
  if (node.exclusiveMaximum === true) take('below', node.maximum);
  else take('maximum', node.maximum);
  take('above', node.exclusiveMinimum);
  take('below', node.exclusiveMaximum);
  if ((numberOf(node.multipleOf) ?? 0) > 0) take('multipleOf', node.multipleOf);
  if (node.uniqueItems === true) out.unique = true;
  return out;
};

const LOWER = ['minLength', 'minimum', 'above', 'minItems', 'minProperties'] as const;
const UPPER = ['maxLength', 'maximum', 'below', 'maxItems', 'maxProperties'] as const;

/** The tighter of each; of two steps the greater, which is right where one divides the other. */
export const bounded = (a: Bounds, b: Bounds): Bounds => {
  const out: Bounds = { ...a, ...b };
  for (const key of LOWER)
    if (a[key] !== undefined && b[key] !== undefined) out[key] = Math.max(a[key] as number, b[key] as number);
  for (const key of UPPER)
    if (a[key] !== undefined && b[key] !== undefined) out[key] = Math.min(a[key] as number, b[key] as number);
  if (a.multipleOf !== undefined && b.multipleOf !== undefined) out.multipleOf = Math.max(a.multipleOf, b.multipleOf);
  if (a.patterns && b.patterns) out.patterns = [...new Set([...a.patterns, ...b.patterns])];
  if (a.format !== undefined) out.format = a.format;
  return out;
};
