/** Amounts in a surface's style. Canonical: whole minor units of the row's, else the surface's currency. */
import type { Surface } from '../../artifacts/surface.js';
import type { Json } from '../../kit/hash.js';
import { badValue, type Codec, shownValue } from './value.js';

/** ISO 4217 currencies whose minor unit is not a hundredth. */
const WHOLE = new Set('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '));
const THOUSANDTHS = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '));

/** Decimals of a currency's major unit: 2 unless ISO 4217 says otherwise. */
export const minorDigits = (currency: string | undefined): number => {
  const code = currency?.toUpperCase() ?? '';
  if (WHOLE.has(code)) return 0;
  return THOUSANDTHS.has(code) ? 3 : 2;
};

/** `1234`, 2 -> `12.34` */
export const majorText = (minor: number, digits: number): string => {
  if (digits === 0) return String(minor);
  const all = String(Math.abs(minor)).padStart(digits + 1, '0');
  return `${minor < 0 ? '-' : ''}${all.slice(0, -digits)}.${all.slice(-digits)}`;
};

/** Minor units of a decimal text; undefined when it is none or has too many decimals. */
export const minorOf = (text: string, digits: number): number | undefined => {
  const found = /^([+-]?)(\d{1,15})(?:\.(\d{1,12}))?$/.exec(text);
  if (!found) return undefined;
  const [, sign, major, fraction = ''] = found as unknown as [string, string, string, string | undefined];
  if (/[1-9]/.test(fraction.slice(digits))) return undefined;
  const minor = Number(major + fraction.slice(0, digits).padEnd(digits, '0'));
  if (!Number.isSafeInteger(minor)) return undefined;
  return sign === '-' && minor !== 0 ? -minor : minor;
};

/** The decimal text and, where it is said, the currency. */
interface Said {
  amount: string;
  currency?: string | undefined;
}

interface Form {
  write(text: string, currency: string | undefined): Json;
  read(json: Json): Said | undefined;
  schema: Codec['schema'];
  example(text: string, currency: string): string;
}

const asNumber: Form = {
  write: (text) => Number(text),
  read: (json) => (typeof json === 'number' ? { amount: String(json) } : undefined),
  schema: { type: 'number' },
  example: (text) => `${Number(text)}`,
};
const split = (json: Json, pattern: RegExp): Said | undefined => {
  const found = typeof json === 'string' ? pattern.exec(json)?.groups : undefined;
  return found ? { amount: found.amount as string, currency: found.currency } : undefined;
};
const FORMS: Record<Exclude<Surface['money'], 'minor'>, Form> = {
  decimal: asNumber,
  number: asNumber,
  text: {
    write: (text) => text,
    read: (json) => (typeof json === 'string' ? { amount: json } : undefined),
    schema: { type: 'string' },
    example: (text) => `'${text}'`,
  },
  text_currency: {
    write: (text, currency) => (currency ? `${text} ${currency}` : text),
    read: (json) => split(json, /^(?<amount>[+-]?[\d.]+)(?: (?<currency>[A-Za-z]{3}))?$/),
    schema: { type: 'string' },
    example: (text, currency) => `'${text} ${currency}'`,
  },
  currency_text: {
    write: (text, currency) => (currency ? `${currency} ${text}` : text),
    read: (json) => split(json, /^(?:(?<currency>[A-Za-z]{3}) )?(?<amount>[+-]?[\d.]+)$/),
    schema: { type: 'string' },
    example: (text, currency) => `'${currency} ${text}'`,
  },
  object: {
    write: (text, currency): Json => (currency ? { amount: text, currency } : { amount: text }),
    read: (json) => {
      if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined;
      const { amount, currency } = json as { amount?: Json; currency?: Json };
      if (currency !== undefined && typeof currency !== 'string') return undefined;
      return typeof amount === 'string' || typeof amount === 'number'
        ? { amount: String(amount), currency }
        : undefined;
    },
    schema: {
      type: 'object',
      properties: { amount: { type: 'string' }, currency: { type: 'string' } },
      required: ['amount'],
      additionalProperties: false,
    },
    example: (text, currency) => `{amount: '${text}', currency: '${currency}'}`,
  },
};

const minorCodec: Codec = {
  encode: (value) => value,
  decode: (json) => {
    if (Number.isSafeInteger(json)) return json as number;
    throw badValue(`must be a whole number of minor units (cents), not ${shownValue(json)}`, json);
  },
  schema: { type: 'integer' },
  hint: 'in minor units (cents)',
  isPlain: true,
};

/** `fallback`: the surface's currency, for rows that do not say one; `own`: the table's rows say theirs, so any is taken. */
export const moneyCodec = (style: Surface['money'], fallback: string | undefined, own: boolean): Codec => {
  if (style === 'minor') return minorCodec;
  const form = FORMS[style];
  return {
    encode: (value, currency = fallback) =>
      typeof value === 'number' ? form.write(majorText(value, minorDigits(currency)), currency) : value,
    decode: (json, sibling) => {
      const read = form.read(json);
      const said = read?.currency?.toUpperCase();
      const currency = sibling ?? (own ? said : undefined) ?? fallback;
      if (said && currency && said !== currency.toUpperCase())
        throw badValue(`must be in ${currency}, not ${said}`, json);
      const digits = minorDigits(currency ?? said);
      const minor = read && minorOf(read.amount, digits);
      if (minor !== undefined) return minor;
      const example = form.example(majorText(128450, digits), currency ?? 'EUR');
      throw badValue(`must be an amount like ${example}, not ${shownValue(json)}`, json);
    },
    schema: form.schema,
    ...(style === 'text' && { hint: `decimal text, e.g. ${majorText(128450, minorDigits(fallback))}` }),
    ...((style === 'text_currency' || style === 'currency_text') && {
      hint: `e.g. ${form.example(majorText(128450, minorDigits(fallback)), fallback ?? 'EUR')}`,
    }),
  };
};
