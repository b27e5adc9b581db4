/** Text formats of API documents: whether a text has one, and a text that has it. */
import { isoDate, isoInstant } from '../../../kit/calendar.js';
import type { Rng } from '../../../kit/rng.js';

/** 2023-01-01; made instants lie in the three years after it, whatever the clock says, so that they read the same for ever. */
const EPOCH = 1_672_531_200;
const SPAN = 3 * 365 * 86_400;

export const madeInstant = (r: Rng): number => EPOCH + r.int(0, SPAN);

const HEX = '0123456789abcdef';
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const from = (alphabet: string, size: number, r: Rng): string => {
  let out = '';
  for (let n = 0; n < size; n++) out += alphabet[r.int(0, alphabet.length - 1)];
  return out;
};
export const hex = (size: number, r: Rng): string => from(HEX, size, r);
export const token = (size: number, r: Rng): string => from(`${LETTERS}0123456789`, size, r);

const uuid = (r: Rng): string =>
  `${hex(8, r)}-${hex(4, r)}-4${hex(3, r)}-${'89ab'[r.int(0, 3)]}${hex(3, r)}-${hex(12, r)}`;
const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'harbor', 'iris', 'juniper', 'kestrel'];
export const word = (r: Rng): string => r.pick(WORDS);
const host = (r: Rng): string => `${word(r)}.example.com`;
const clock = (r: Rng): string => isoInstant(madeInstant(r)).slice(11);

const MAKE: Record<string, (r: Rng) => string> = {
  date: (r) => isoDate(madeInstant(r)),
  'date-time': (r) => isoInstant(madeInstant(r)),
  'iso-date-time': (r) => isoInstant(madeInstant(r)),
  time: clock,
  'iso-time': clock,
  duration: (r) => `P${r.int(1, 28)}D`,
  email: (r) => `${word(r)}.${token(4, r)}@example.com`,
  'idn-email': (r) => `${word(r)}.${token(4, r)}@example.com`,
  hostname: host,
  'idn-hostname': host,
  ipv4: (r) => `192.0.2.${r.int(1, 254)}`,
  ipv6: (r) => `2001:db8::${hex(4, r)}`,
  ip: (r) => `192.0.2.${r.int(1, 254)}`,
  uri: (r) => `https://example.com/${word(r)}/${token(6, r)}`,
  url: (r) => `https://example.com/${word(r)}/${token(6, r)}`,
  iri: (r) => `https://example.com/${word(r)}/${token(6, r)}`,
  'uri-reference': (r) => `/${word(r)}/${token(6, r)}`,
  'iri-reference': (r) => `/${word(r)}/${token(6, r)}`,
  'uri-template': (r) => `/${word(r)}/{id}`,
  uuid,
  guid: uuid,
  byte: (r) => Buffer.from(token(12, r)).toString('base64'),
  base64: (r) => Buffer.from(token(12, r)).toString('base64'),
  'json-pointer': (r) => `/${word(r)}`,
  'relative-json-pointer': (r) => `0/${word(r)}`,
  regex: (r) => `^${word(r)}$`,
  int32: (r) => String(r.int(1, 9999)),
  int64: (r) => String(r.int(1, 999_999)),
  decimal: (r) => (r.int(100, 99_999) / 100).toFixed(2),
};

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** Days that every month has, as most answers have them: told without taking the text apart. */
const PLAIN_DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/;
const PLAIN_INSTANT = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
const isDate = (text: string): boolean => {
  if (PLAIN_DATE.test(text)) return true;
  const found = /^(\d\d\d\d)-(\d\d)-(\d\d)$/.exec(text);
  if (!found) return false;
  const [year, month, day] = found.slice(1).map(Number) as [number, number, number];
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month >= 1 && month <= 12 && day >= 1 && day <= (month === 2 && !leap ? 28 : (DAYS[month - 1] as number));
};
const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(z|[+-]\d\d(:?\d\d)?)$/i;
const isDateTime = (text: string): boolean => {
  if (PLAIN_INSTANT.test(text)) return true;
  const [day = '', time = '', more] = text.split(/t|\s/i);
  return more === undefined && isDate(day) && TIME.test(time);
};
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const HOST = new RegExp(`^(?=.{1,253}\\.?$)${LABEL}(?:\\.${LABEL})*\\.?$`, 'i');
const EMAIL = new RegExp(
  `^[a-z0-9!#$%&'*+/=?^_\`{|}~-]+(?:\\.[a-z0-9!#$%&'*+/=?^_\`{|}~-]+)*@${LABEL}(?:\\.${LABEL})+$`,
  'i',
);
const URI = /^[a-z][a-z0-9+\-.]*:(\/\/)?([a-z0-9\-._~!$&'()*+,;=:@/?#[\]]|%[0-9a-f]{2})+$/i;
const REFERENCE = /^([a-z0-9\-._~!$&'()*+,;=:@/?#]|%[0-9a-f]{2})*$/i;
const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';
const IPV4 = new RegExp(`^(?:${OCTET}\\.){3}${OCTET}$`);
const IPV6 = /^(?=.*:)[0-9a-f:.]{2,45}$/i;
const UUID = /^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Those that validators know; texts of any other format fit. Stricter than they are where that is simpler. */
const HAS: Record<string, (text: string) => boolean> = {
  date: isDate,
  'date-time': isDateTime,
  time: (text) => TIME.test(text),
  duration: (text) => /^P(?=.)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)$/.test(text),
  email: (text) => text.length < 255 && EMAIL.test(text),
  hostname: (text) => text.length < 254 && HOST.test(text),
  ipv4: (text) => IPV4.test(text),
  ipv6: (text) => IPV6.test(text),
  uri: (text) => text.length < 5_000 && URI.test(text),
  url: (text) => text.length < 5_000 && /^(https?|ftp):\/\/([a-z0-9-]+\.)+[a-z]{2,}(:\d{2,5})?([/?#]\S*)?$/i.test(text),
  'uri-reference': (text) => text.length < 5_000 && REFERENCE.test(text),
  'uri-template': (text) => text.length < 5_000 && /^[^\s<>"\\^`|]*$/.test(text),
  uuid: (text) => UUID.test(text),
  byte: (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text),
  'json-pointer': (text) => /^(\/([^~/]|~[01])*)*$/.test(text),
  'relative-json-pointer': (text) => /^(0|[1-9]\d*)(#|(\/([^~/]|~[01])*)*)$/.test(text),
  regex: (text) => text.length < 200 && !/[\\()[\]{}]/.test(text),
};

export const hasFormat = (format: string | undefined, text: string): boolean =>
  format === undefined || !Object.hasOwn(HAS, format) || (HAS[format]?.(text) ?? true);

/** Undefined for a format that nothing is known of. */
export const makeFormat = (format: string | undefined, r: Rng): string | undefined =>
  format !== undefined && Object.hasOwn(MAKE, format) ? MAKE[format]?.(r) : undefined;
