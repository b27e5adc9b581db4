/** Which kinds of values a flat schema is about, where it does not say it by `type`. */
import type { Flat, Type } from './flat.js';

/** Types that values of the schema have, most telling first; empty for any. */
export const kindsOf = (flat: Flat): Type[] => {
  if (flat.types) return [...flat.types].filter((type) => type !== 'null');
  if (flat.properties.size > 0 || flat.required.size > 0 || flat.extras.length > 0 || flat.patterns.length > 0)
    return ['object'];
  if (flat.items !== undefined || flat.prefix.length > 0 || flat.bounds.minItems !== undefined) return ['array'];
  const { format, patterns, minLength, maxLength, minimum, maximum, multipleOf } = flat.bounds;
  if (patterns || minLength !== undefined || maxLength !== undefined) return ['string'];
  if (minimum !== undefined || maximum !== undefined || multipleOf !== undefined) return ['number'];
  if (format !== undefined && /^(date|date-time|email|uri|uuid|hostname|ipv4|byte)$/.test(format)) return ['string'];
  return [];
};

export const isScalar = (flat: Flat): boolean => {
  const kinds = kindsOf(flat);
  return (
    flat.choices.length === 0 &&
    (flat.listed !== undefined || (kinds.length > 0 && !kinds.includes('object') && !kinds.includes('array')))
  );
};

/** The kind among `kinds` that a value already has. */
export const kindOfValue = (value: unknown, kinds: readonly Type[]): Type | undefined => {
  if (Array.isArray(value)) return kinds.find((kind) => kind === 'array');
  switch (typeof value) {
    case 'string':
      return kinds.find((kind) => kind === 'string');
    case 'boolean':
      return kinds.find((kind) => kind === 'boolean');
    case 'number':
      return (
        (Number.isInteger(value) ? kinds.find((kind) => kind === 'integer') : undefined) ??
        kinds.find((kind) => kind === 'number')
      );
    case 'object':
      return value === null ? undefined : kinds.find((kind) => kind === 'object');
    default:
      return undefined;
  }
};
