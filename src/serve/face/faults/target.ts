/** Which operations a rule means: by path with `*` for a segment and `**` for any number, by operationId, or all. */
import { TreadleError } from '../../../errors.js';
import { nearNames } from '../../../kit/near.js';
import type { FaceOperation } from '../types.js';

/** Whether a request's path is meant, of an operation that is. */
export type FitsPath = (path: string) => boolean;

const always: FitsPath = () => true;
const METHODS = new Set(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE', '*']);

const segments = (path: string): string[] => path.split('/').filter((part) => part !== '');
const isParam = (part: string): boolean => part.includes('{');

/** Values that a pattern asks of the request, counted from the end of the path; undefined where the template is another. */
const alignment = (pattern: readonly string[], template: readonly string[]): [number, string][] | undefined => {
  const [first, ...rest] = pattern;
  if (first === undefined) return template.length === 0 ? [] : undefined;
  if (first === '**') {
    for (let skipped = 0; skipped <= template.length; skipped++) {
      const found = alignment(rest, template.slice(skipped));
      if (found) return found;
    }
    return undefined;
  }
  const [part, ...others] = template;
  if (part === undefined) return undefined;
  const after = alignment(rest, others);
  if (!after) return undefined;
  if (first === '*' || first === part || (isParam(first) && isParam(part))) return after;
  return isParam(part) ? [[template.length, first], ...after] : undefined;
};

const fitsValues = (values: readonly [number, string][]): FitsPath => {
  if (values.length === 0) return always;
  return (path) => {
    const parts = segments(path);
    return values.every(([fromEnd, value]) => parts[parts.length - fromEnd] === value);
  };
};

const byPath = (method: string, path: string, operations: readonly FaceOperation[]): Map<FaceOperation, FitsPath> => {
  const found = new Map<FaceOperation, FitsPath>();
  const byValue = new Map<FaceOperation, FitsPath>();
  const pattern = segments(path);
  for (const operation of operations) {
    if (method !== '*' && operation.http.method.toUpperCase() !== method) continue;
    const values = alignment(pattern, segments(operation.http.path));
    if (values) (values.length > 0 ? byValue : found).set(operation, fitsValues(values));
  }
  // `/customers/search` is the row `search` only where no operation is called that.
  return found.size > 0 ? found : byValue;
};

const nearest = (target: string, operations: readonly FaceOperation[]): string => {
  const names = operations.flatMap(({ http }) => (target.includes('/') ? [http.label] : [http.id ?? http.label]));
  return nearNames(target, names).join(', ') || 'none';
};

/** Throws `unknown_operation`, which names the nearest. */
export const targetsOf = (target: string, operations: readonly FaceOperation[]): Map<FaceOperation, FitsPath> => {
  if (target === '*') return new Map(operations.map((operation) => [operation, always]));
  const [, method, path] = /^(?:([A-Za-z]+|\*)\s+)?(\/\S*)$/.exec(target) ?? [];
  const word = (method ?? '*').toUpperCase();
  const found =
    path === undefined
      ? new Map(operations.filter(({ http }) => http.id === target).map((one) => [one, always]))
      : METHODS.has(word)
        ? byPath(word, path, operations)
        : new Map<FaceOperation, FitsPath>();
  if (found.size > 0) return found;
  throw new TreadleError({
    code: 'unknown_operation',
    message: 'The document has no such operation',
    value: target,
    next: `Nearest: ${nearest(target, operations)}. A segment may be *, any number of them **.`,
  });
};
