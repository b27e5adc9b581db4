/** Between canonical values and those CEL works with: ints are bigints inside, safe numbers outside. */
import type { Column } from '../../artifacts/table.js';
import { TreadleError } from '../../errors.js';
import { startOfDay } from '../../kit/calendar.js';
import { canonicalJson } from '../../kit/hash.js';
import type { Row, SqlValue } from '../state/types.js';
import type { Bound } from './run.js';
import { type Scalar, type Scope, scalarOf, stepTable } from './scope.js';

const anything = (value: unknown): unknown => {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(anything);
  if (typeof value !== 'object' || value === null) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, anything(item)]));
};

const parsed = (value: Bound): unknown => {
  if (typeof value !== 'string') return anything(value);
  try {
    return anything(JSON.parse(value));
  } catch {
    return value;
  }
};

const SCALARS: Record<Scalar, (value: Bound) => unknown> = {
  string: (value) => value,
  int: (value) => BigInt(value as number),
  double: (value) => value,
  bool: (value) => value === 1 || value === true,
  json: parsed,
  dyn: anything,
};

export const intoCel = (scalar: Scalar): ((value: Bound) => unknown) => {
  const into = SCALARS[scalar];
  return (value) => (value === null || value === undefined ? null : into(value));
};

/** Writes the fields an expression reads of a row (`*`: all) into the object that stands for it. */
export const rowIntoCel = (scope: Scope, tableName: string, fields: ReadonlySet<string>): ((row: Row) => unknown) => {
  const table = stepTable(scope, tableName);
  const names = fields.has('*')
    ? Object.keys(table.cols)
    : [...fields].filter((name) => Object.hasOwn(table.cols, name));
  const parts = names.map((name) => ({ name, into: intoCel(scalarOf((table.cols[name] as Column).type)) }));
  const Maker = scope.site.environments.rows.get(tableName) as new () => Record<string, unknown>;
  return (row) => {
    const out = new Maker();
    for (const { name, into } of parts) out[name] = into(row[name] as SqlValue);
    return out;
  };
};

const outOfRange = (value: unknown): TreadleError =>
  new TreadleError({
    code: 'invalid_argument',
    message: 'A number in this call is too large',
    value: String(value),
    fault: 'agent',
  });

/** A CEL value as it is bound: ints as safe numbers, everything else as it is. Throws `invalid_argument` beyond 2^53. */
export const fromCel = (value: unknown): Bound => {
  if (typeof value === 'bigint') {
    const number = Number(value);
    if (!Number.isSafeInteger(number)) throw outOfRange(value);
    return number;
  }
  if (Array.isArray(value)) return value.map(fromCel);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [key, fromCel(item)])) as Row;
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromCel(item)])) as Row;
  return value as Bound;
};

/** A bound value as the column stores it: a fraction rounds in a whole-number column, a time becomes its day in a date. */
export const storedIn = (col: Column): ((value: Bound) => SqlValue) => {
  const settle = (value: Bound): SqlValue => {
    if (value === undefined || value === null) return null;
    if (typeof value === 'boolean') return value ? 1 : 0;
    if (typeof value === 'object') return canonicalJson(value);
    if (typeof value === 'number' && !Number.isFinite(value)) throw outOfRange(value);
    return value;
  };
  const whole = (value: SqlValue): SqlValue => {
    if (typeof value !== 'number') return value;
    const rounded = Math.round(value);
    if (!Number.isSafeInteger(rounded)) throw outOfRange(value);
    return rounded;
  };
  switch (col.type) {
    case 'int':
    case 'money':
    case 'datetime':
      return (value) => whole(settle(value));
    case 'date':
      return (value) => {
        const at = whole(settle(value));
        return typeof at === 'number' ? startOfDay(at) : at;
      };
    case 'text':
    case 'json':
      return (value) => {
        const text = settle(value);
        return typeof text === 'number' ? String(text) : text;
      };
    default:
      return settle;
  }
};
