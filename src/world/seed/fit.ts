/** Brings a made value into the column's type and bounds; what cannot be met is told by undefined. */
import type { Column } from '../../artifacts/table.js';
import { DAY, isoDate, isoInstant, startOfDay } from '../../kit/calendar.js';
import type { Rng } from '../../kit/rng.js';
import type { SqlValue } from '../state/types.js';
import { meetsPattern, stringOf } from './pattern.js';

const clamp = (value: number, column: Column, r: Rng, whole: boolean): number => {
  const { min, max } = column;
  if ((min === undefined || value >= min) && (max === undefined || value <= max)) return value;
  // Out of range: drawn anew near the bound it broke, so that rows still differ.
  const low = min ?? Math.min(0, (max as number) - 100);
  const high = max ?? low + 100;
  const span = Math.min(high - low, 1_000);
  const at = value > high ? high - Math.floor(r.unit() * span * 0.5) : low + Math.floor(r.unit() * span * 0.5);
  return whole
    ? Math.round(Math.max(Math.ceil(low), Math.min(Math.floor(high), at)))
    : Math.max(low, Math.min(high, at));
};

const cut = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const head = text.slice(0, most);
  const space = head.lastIndexOf(' ');
  return (space > most * 0.6 ? head.slice(0, space) : head).trimEnd() || text.slice(0, most);
};

const fitText = (value: string, column: Column, r: Rng): string | undefined => {
  const most = column.maxLength ?? 10_000;
  let text = cut(value, most);
  if (column.pattern && !meetsPattern(column.pattern, text)) {
    const made = stringOf(column.pattern, r, column.minLength ?? 0, most);
    if (made === undefined) return undefined;
    text = made;
  }
  return text;
};

const FORMATS: Record<string, (seconds: number) => string> = {
  date: isoDate,
  'date-time': isoInstant,
  time: (seconds) => isoInstant(seconds).slice(11, 19),
};

/** A point in time as the column keeps it: date and datetime as unix seconds, int as unix seconds, text as ISO. */
export const storeTime = (seconds: number, column: Column, norm: string): SqlValue => {
  if (column.type === 'date') return startOfDay(seconds);
  if (column.type === 'datetime' || column.type === 'int' || column.type === 'number') {
    const ms = column.type !== 'datetime' && (/_ms$|millis/.test(norm) || (column.min ?? 0) > 1e11);
    return ms ? seconds * 1000 : seconds;
  }
  const format = FORMATS[column.format ?? ''];
  if (format) return format(seconds);
  return /_on$|date|day/.test(norm) && !/time/.test(norm) ? isoDate(seconds) : isoInstant(seconds);
};

/** The value in the column's canonical form, or undefined when type, length or pattern cannot be met. */
export const fitValue = (value: SqlValue, column: Column, r: Rng): SqlValue | undefined => {
  if (value === null) return null;
  if (column.enum) return column.enum.includes(String(value)) ? String(value) : undefined;
  switch (column.type) {
    case 'text':
      return fitText(String(value), column, r);
    case 'json': {
      if (typeof value !== 'string') return JSON.stringify(value);
      try {
        JSON.parse(value);
        return value;
      } catch {
        return JSON.stringify(value);
      }
    }
    case 'bool':
      return Number(value) ? 1 : 0;
    case 'date':
    case 'datetime': {
      if (typeof value !== 'number') return undefined;
      return column.type === 'date' ? Math.floor(value / DAY) * DAY : Math.floor(value);
    }
    default: {
      const number = Number(value);
      if (!Number.isFinite(number)) return undefined;
      const whole = column.type !== 'number';
      const fitted = clamp(whole ? Math.round(number) : number, column, r, whole);
      // A number of a list: the pattern has them all.
      if (column.pattern === undefined || meetsPattern(column.pattern, String(fitted))) return fitted;
      const listed = Number(stringOf(column.pattern, r));
      return Number.isFinite(listed) ? listed : undefined;
    }
  }
};
