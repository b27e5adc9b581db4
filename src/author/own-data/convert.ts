/** A given value as its column stores it. */
import type { Surface } from '../../artifacts/surface.js';
import type { Column } from '../../artifacts/table.js';
import { parseIso, startOfDay } from '../../kit/calendar.js';
import { snake } from '../../kit/words.js';
import type { SqlValue } from '../../world/state/types.js';
import { minorDigits, minorOf } from '../../world/surface/money.js';

export interface Ways {
  money: Surface['money'];
  currency: string;
}

type Converted = { value: SqlValue } | { why: string };
const YES = /^(true|yes|y|1|t)$/i;
const NO = /^(false|no|n|0|f)$/i;

const numberOf = (given: unknown): number | undefined => {
  if (typeof given === 'number') return Number.isFinite(given) ? given : undefined;
  if (typeof given !== 'string') return undefined;
  const text = given.trim();
  const bare = /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(',', '') : text;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(bare) ? Number(bare) : undefined;
};

const instantOf = (given: unknown): number | undefined => {
  if (typeof given === 'number')
    return Number.isFinite(given) ? Math.floor(Math.abs(given) > 1e11 ? given / 1000 : given) : undefined;
  if (typeof given !== 'string') return undefined;
  const text = given.trim();
  return /^\d{9,13}$/.test(text) ? instantOf(Number(text)) : parseIso(text);
};

const moneyOf = (given: unknown, { money, currency }: Ways): number | undefined => {
  if (money === 'minor' && typeof given === 'number' && Number.isSafeInteger(given)) return given;
  const text = typeof given === 'number' ? String(given) : typeof given === 'string' ? given.trim() : '';
  const bare = text.replace(new RegExp(`^${currency}\\s*|\\s*${currency}$`), '').trim();
  const number = /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(bare) ? bare.replaceAll(',', '') : bare;
  return minorOf(number, minorDigits(currency));
};

const textOf = (given: unknown): string | undefined =>
  typeof given === 'string'
    ? given
    : typeof given === 'number' || typeof given === 'boolean'
      ? String(given)
      : undefined;

const enumOf = (text: string, values: readonly string[]): string | undefined =>
  values.includes(text) ? text : values.filter((value) => snake(value) === snake(text) && snake(text) !== '')[0];

const typed = (given: unknown, column: Column, ways: Ways): Converted => {
  const as = (value: SqlValue | undefined, what: string): Converted =>
    value === undefined ? { why: `is no ${what}` } : { value };
  switch (column.type) {
    case 'int': {
      const number = numberOf(given);
      return as(number !== undefined && Number.isSafeInteger(number) ? number : undefined, 'whole number');
    }
    case 'number':
      return as(numberOf(given), 'number');
    case 'bool': {
      const text = textOf(given) ?? '';
      return as(YES.test(text) ? 1 : NO.test(text) ? 0 : undefined, 'yes or no');
    }
    case 'date': {
      const instant = instantOf(given);
      return as(instant === undefined ? undefined : startOfDay(instant), 'date (2026-11-30)');
    }
    case 'datetime':
      return as(instantOf(given), 'point in time (2026-11-30T09:00:00Z)');
    case 'money':
      return as(moneyOf(given, ways), `amount in ${ways.currency}`);
    case 'json':
      return typeof given === 'string' && isJson(given) ? { value: given } : { value: JSON.stringify(given) };
    default:
      return as(textOf(given), 'text');
  }
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** The stored value, or what is wrong with it. `given` is neither null nor undefined. */
export const convert = (given: unknown, column: Column, ways: Ways): Converted => {
  const read = typed(given, column, ways);
  if ('why' in read) return read;
  const { value } = read;
  if (column.enum && column.type === 'text') {
    const fit = enumOf(String(value), column.enum);
    return fit === undefined ? { why: `is none of ${column.enum.slice(0, 12).join(', ')}` } : { value: fit };
  }
  if (typeof value === 'number' && column.min !== undefined && value < column.min)
    return { why: `is below ${column.min}` };
  if (typeof value === 'number' && column.max !== undefined && value > column.max)
    return { why: `is above ${column.max}` };
  if (typeof value === 'string' && column.maxLength !== undefined && [...value].length > column.maxLength)
    return { why: `has more than ${column.maxLength} characters` };
  return { value };
};
