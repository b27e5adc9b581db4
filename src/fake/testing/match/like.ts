/** Whether a value is like what a test expects: objects in part, lists whole, patterns and other libraries' matchers by asking them. */

/** Jest's and vitest's `expect.any(String)` and the like. */
interface Asymmetric {
  asymmetricMatch(value: unknown): boolean;
  toAsymmetricMatcher?(): string;
}

const isAsymmetric = (value: unknown): value is Asymmetric =>
  typeof value === 'object' && value !== null && typeof (value as Asymmetric).asymmetricMatch === 'function';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// Values may come from another realm (jest), where `instanceof` does not hold.
const kindOf = (value: unknown): string => Object.prototype.toString.call(value);

const sameInstant = (expected: Date, actual: unknown): boolean => {
  const time = expected.getTime();
  if (typeof actual === 'number') return actual === time || actual * 1_000 === time;
  return typeof actual === 'string' && Date.parse(actual) === time;
};

/** A property that is expected to be undefined may be absent. */
export const isLike = (expected: unknown, actual: unknown): boolean => {
  if (isAsymmetric(expected)) return expected.asymmetricMatch(actual);
  if (kindOf(expected) === '[object RegExp]')
    return (
      typeof actual === 'string' && new RegExp((expected as RegExp).source, (expected as RegExp).flags).test(actual)
    );
  if (kindOf(expected) === '[object Date]') return sameInstant(expected as Date, actual);
  if (Array.isArray(expected))
    return (
      Array.isArray(actual) && actual.length === expected.length && expected.every((each, i) => isLike(each, actual[i]))
    );
  if (isObject(expected))
    return (
      isObject(actual) &&
      Object.entries(expected).every(([name, value]) =>
        isLike(value, Object.hasOwn(actual, name) ? actual[name] : undefined),
      )
    );
  return Object.is(expected, actual) || (expected === 0 && actual === 0);
};

/** As a message shows it. */
export const shownOf = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (isAsymmetric(value)) return value.toAsymmetricMatcher?.() ?? 'a matcher';
  if (kindOf(value) === '[object RegExp]') return String(value);
  if (kindOf(value) === '[object Date]') return (value as Date).toISOString();
  const seen = new WeakSet<object>();
  const text = JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === 'bigint') return String(each);
    if (typeof each !== 'object' || each === null) return each;
    if (isAsymmetric(each) || kindOf(each) === '[object RegExp]') return `<${shownOf(each)}>`;
    if (seen.has(each)) return '<again>';
    seen.add(each);
    return each;
  });
  return text === undefined ? String(value) : text.length > 300 ? `${text.slice(0, 297)}...` : text;
};
