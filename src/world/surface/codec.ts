/** Picks the codec of a column or argument: one canonical value (what is stored) to its surface form and back. */
import type { Surface } from '../../artifacts/surface.js';
import type { ColumnType } from '../../artifacts/table.js';
import type { Json } from '../../kit/hash.js';
import { canonicalJson } from '../../kit/hash.js';
import { dateCodec, datetimeCodec } from './dates.js';
import { enumCodec } from './enums.js';
import { moneyCodec } from './money.js';
import { badValue, type Codec, MAX_TEXT, shownValue } from './value.js';

/** What a codec is made from: a column, or an argument with the enum of its column. */
export interface Coded {
  type: ColumnType;
  enum?: readonly string[] | undefined;
  /** For money: the table says each row's currency itself. */
  ownCurrency?: boolean;
}

const integer: Codec = {
  encode: (value) => value,
  decode: (json) => {
    if (Number.isSafeInteger(json)) return json as number;
    throw badValue(`must be a whole number, not ${shownValue(json)}`, json);
  },
  schema: { type: 'integer' },
  isPlain: true,
};
const float: Codec = {
  encode: (value) => value,
  decode: (json) => {
    if (typeof json === 'number' && Number.isFinite(json)) return json;
    throw badValue(`must be a number, not ${shownValue(json)}`, json);
  },
  schema: { type: 'number' },
  isPlain: true,
};
const bool: Codec = {
  encode: (value) => (value === null ? null : value === 1),
  decode: (json) => {
    if (typeof json === 'boolean') return json ? 1 : 0;
    throw badValue(`must be true or false, not ${shownValue(json)}`, json);
  },
  schema: { type: 'boolean' },
};
/** What SQLite would not give back as it came: it ends a text at NUL, and UTF-8 has no half surrogates. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

const text: Codec = {
  encode: (value) => value,
  decode: (json) => {
    if (typeof json !== 'string') throw badValue(`must be a text, not ${shownValue(json)}`, json);
    if (json.length > MAX_TEXT) throw badValue(`is longer than ${MAX_TEXT} characters`, json.slice(0, 40));
    return UNSTORABLE.test(json) ? json.replaceAll('\u0000', '').replaceAll(/\p{Surrogate}/gu, '\ufffd') : json;
  },
  schema: { type: 'string' },
  isPlain: true,
};
const parsed = (stored: string): Json => {
  try {
    return JSON.parse(stored) as Json;
  } catch {
    return stored;
  }
};
const json: Codec = {
  encode: (value) => (typeof value === 'string' ? parsed(value) : value),
  decode: (value) => {
    const written = canonicalJson(value);
    if (written.length > MAX_TEXT) throw badValue(`is longer than ${MAX_TEXT} characters`, written.slice(0, 40));
    return written;
  },
  schema: {},
};

/** The codec of a column or argument on a surface. */
export const codecOf = (surface: Surface, coded: Coded): Codec => {
  switch (coded.type) {
    case 'text':
      return coded.enum ? enumCodec(surface.enums, coded.enum) : text;
    case 'int':
      return integer;
    case 'number':
      return float;
    case 'bool':
      return bool;
    case 'json':
      return json;
    case 'date':
      return dateCodec(surface.date);
    case 'datetime':
      return datetimeCodec(surface.datetime);
    case 'money':
      return moneyCodec(surface.money, surface.currency, coded.ownCurrency ?? false);
  }
};
