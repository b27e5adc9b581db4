/** Days and instants in a surface's style. Canonical: unix seconds in UTC, a day at its midnight. */
import type { Surface } from '../../artifacts/surface.js';
import { isoDate, parseIso, startOfDay, wordDate } from '../../kit/calendar.js';
import { badValue, type Codec, shownValue } from './value.js';

/** Years 1 to 9999: what four digits can write. */
const EARLIEST = -62_135_596_800;
const LATEST = 253_402_300_799;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const inRange = (seconds: number): number | undefined =>
  seconds >= EARLIEST && seconds <= LATEST ? seconds : undefined;

/** Seconds of a calendar day that exists (no 31 February), else undefined. */
const day = (iso: string): number | undefined => {
  const seconds = parseIso(iso);
  return seconds !== undefined && isoDate(seconds) === iso ? seconds : undefined;
};
const instant = (iso: string): number | undefined => (day(iso.slice(0, 10)) === undefined ? undefined : parseIso(iso));
const whole = (json: unknown): number | undefined => (Number.isSafeInteger(json) ? (json as number) : undefined);
const numeral = (json: unknown): number | undefined =>
  typeof json === 'string' && /^-?\d{1,15}(\.\d{1,6})?$/.test(json) ? Math.floor(Number(json)) : undefined;
const seconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : Math.floor(ms / 1000));

const fromWords = (text: string): number | undefined => {
  const found = /^(\d{1,2}) ([A-Za-z]{3}) (\d{4})(?: (\d{2}:\d{2}:\d{2}))?$/.exec(text);
  if (!found) return undefined;
  const [, date, name, year, time] = found as unknown as [string, string, string, string, string | undefined];
  const month = MONTHS.indexOf(name.toLowerCase()) + 1;
  if (month === 0) return undefined;
  return instant(`${year}-${String(month).padStart(2, '0')}-${date.padStart(2, '0')}${time ? `T${time}Z` : ''}`);
};
const fromCompact = (text: string): number | undefined => {
  const found = /^(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2}))?$/.exec(text);
  if (!found) return undefined;
  const [, year, month, date, hour, minute, second] = found;
  return instant(`${year}-${month}-${date}${hour ? `T${hour}:${minute}:${second}Z` : ''}`);
};

const MOST_KEPT = 20_000;

/** A service shows the same days over and over, and making the text of one is the dear part of a row. */
const keptDays = (make: (start: number) => string): ((at: number) => string) => {
  const kept = new Map<number, string>();
  return (at) => {
    const start = startOfDay(at);
    const known = kept.get(start);
    if (known !== undefined) return known;
    if (kept.size >= MOST_KEPT) kept.clear();
    const text = make(start);
    kept.set(start, text);
    return text;
  };
};
/** `2024-03-05`, `20240305`, `05 Mar 2024` */
const dayText = keptDays(isoDate);
const compactText = keptDays((start) => isoDate(start).replaceAll('-', ''));
const wordText = keptDays(wordDate);
const TWO_DIGITS = Array.from({ length: 60 }, (_, i) => String(i).padStart(2, '0'));

/** `10:02:03` */
const clock = (at: number, between = ':'): string => {
  const seconds = at - startOfDay(at);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return `${TWO_DIGITS[hours]}${between}${TWO_DIGITS[minutes % 60]}${between}${TWO_DIGITS[seconds % 60]}`;
};
const instantText = (at: number): string => `${dayText(at)}T${clock(at)}`;

interface Form {
  write(at: number): string | number;
  read(json: unknown): number | undefined;
  schema: Codec['schema'];
  hint: string;
}
const text =
  (read: (text: string) => number | undefined) =>
  (json: unknown): number | undefined =>
    typeof json === 'string' ? read(json) : undefined;
const STRING = { type: 'string' };
const unixText: Form = { write: String, read: numeral, schema: STRING, hint: 'unix seconds as text' };
const unix: Form = { write: (at) => at, read: whole, schema: { type: 'integer' }, hint: 'unix seconds' };

const DAYS: Record<Surface['date'], Form> = {
  iso: { write: dayText, read: text(day), schema: { type: 'string', format: 'date' }, hint: 'YYYY-MM-DD' },
  compact: {
    write: compactText,
    read: text((it) => (it.length === 8 ? fromCompact(it) : undefined)),
    schema: STRING,
    hint: 'YYYYMMDD',
  },
  words: { write: wordText, read: text(fromWords), schema: STRING, hint: 'DD Mon YYYY' },
  unix,
  unix_text: unixText,
};

const isoForm = (write: (at: number) => string, hint: string): Form => ({
  write,
  read: text(instant),
  schema: { type: 'string', format: 'date-time' },
  hint,
});
const INSTANTS: Record<Surface['datetime'], Form> = {
  iso: isoForm((at) => `${instantText(at)}Z`, 'YYYY-MM-DDThh:mm:ssZ'),
  iso_offset: isoForm((at) => `${instantText(at)}+00:00`, 'YYYY-MM-DDThh:mm:ss+hh:mm'),
  compact: {
    write: (at) => compactText(at) + clock(at, ''),
    read: text(fromCompact),
    schema: STRING,
    hint: 'YYYYMMDDhhmmss, UTC',
  },
  words: {
    write: (at) => `${wordText(at)} ${clock(at)}`,
    read: text(fromWords),
    schema: STRING,
    hint: 'DD Mon YYYY hh:mm:ss, UTC',
  },
  unix,
  unix_text: unixText,
  unix_ms: {
    write: (at) => at * 1000,
    read: (json) => seconds(whole(json)),
    schema: { type: 'integer' },
    hint: 'unix milliseconds',
  },
  unix_ms_text: {
    write: (at) => `${at * 1000}`,
    read: (json) => seconds(numeral(json)),
    schema: STRING,
    hint: 'unix milliseconds as text',
  },
};

const codec = (form: Form, what: string, settle: (at: number) => number): Codec => ({
  encode: (value) => (typeof value === 'number' && inRange(value) !== undefined ? form.write(value) : value),
  decode: (json) => {
    const at = form.read(json);
    const fits = at === undefined ? undefined : inRange(at);
    if (fits === undefined) throw badValue(`must be ${what} as ${form.hint}, not ${shownValue(json)}`, json);
    return settle(fits);
  },
  schema: form.schema,
  hint: form.hint,
  ...(form === unix && { isPlain: true as const }),
});

export const dateCodec = (style: Surface['date']): Codec => codec(DAYS[style], 'a day', startOfDay);
export const datetimeCodec = (style: Surface['datetime']): Codec => codec(INSTANTS[style], 'a time', (at) => at);
