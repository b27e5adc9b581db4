/** What parses as JSON and still must not get further in: everything behind this may recurse, copy keys and compute. */

const DEEPEST = 64;

/** Says what is wrong with a parsed value, or undefined. Checks depth, `__proto__` keys, and numbers beyond a double (1e999). */
export const hazardOf = (value: unknown, depth = 0): string | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'A number is out of range';
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= DEEPEST) return `Nested deeper than ${DEEPEST} levels`;
  if (Object.hasOwn(value, '__proto__')) return 'The key __proto__ is not allowed';
  for (const item of Object.values(value)) {
    const hazard = hazardOf(item, depth + 1);
    if (hazard !== undefined) return hazard;
  }
  return undefined;
};
