/** How a person says a stored value: dates in words, money with its currency, enums as words. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Column, Table } from '../../artifacts/table.js';
import { isoInstant, longDate } from '../../kit/calendar.js';
import { wordsOf } from '../../kit/words.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { minorDigits } from '../../world/surface/money.js';

const grouped = (whole: string): string => whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',');

/** 128450, EUR -> `EUR 1,284.50` */
export const sayMoney = (minor: number, currency: string): string => {
  const digits = minorDigits(currency);
  const [whole = '0', part] = (Math.abs(minor) / 10 ** digits).toFixed(digits).split('.');
  return `${minor < 0 ? '-' : ''}${currency} ${grouped(whole)}${part ? `.${part}` : ''}`;
};

/** The currency of a row: its own column where it has one, else the service's. */
export const currencyOf = (spec: ServiceSpec, table: Table, row: Row | undefined): string => {
  const own = table.cols.currency && row ? row.currency : undefined;
  return typeof own === 'string' && own ? own.toUpperCase() : (spec.surface.currency ?? 'USD');
};

const sayNumber = (value: number): string => {
  const [whole = '', part] = String(value).split('.');
  return part ? `${whole}.${part}` : whole;
};

/** A value in words; text stays as it is. `undefined` for null and for JSON, which nobody says aloud. */
export const sayValue = (column: Column, value: SqlValue | undefined, currency: string): string | undefined => {
  if (value === null || value === undefined || value === '') return undefined;
  switch (column.type) {
    case 'json':
      return undefined;
    case 'money':
      return sayMoney(Number(value), currency);
    case 'date':
    case 'datetime':
      return longDate(Number(value));
    case 'bool':
      return value ? 'yes' : 'no';
    case 'int':
    case 'number':
      return sayNumber(Number(value));
    case 'text':
      return column.enum ? wordsOf(String(value)).join(' ') : String(value);
  }
};

/** `5 March 2024 at 10:15 UTC`: a moment that an agent has to write to the minute. */
export const sayMoment = (seconds: number): string =>
  `${longDate(seconds)} at ${isoInstant(seconds).slice(11, 16)} UTC`;

/** How the label of a row reads behind its noun: numbers and names bare, titles in quotes. */
export const sayLabel = (table: Table, row: Row): string | undefined => {
  const label = table.label ? row[table.label] : undefined;
  if (label === null || label === undefined || label === '') return undefined;
  const text = String(label);
  const bare = table.label !== undefined && /(name|number|no|code|sku|email|ref|reference)$/.test(table.label);
  return bare || text.length <= 12 ? text : `“${text}”`;
};
