/** Numbers whose last digits follow from the others, so that they look right and belong to nobody. */
import type { Rng } from '../../kit/rng.js';

/** Fills a pattern: # digit, ! digit 1-9, @ capital letter; anything else stands for itself. */
export const fillPattern = (pattern: string, r: Rng): string =>
  pattern.replace(/[#!@]/g, (mark) =>
    mark === '#'
      ? String(r.int(0, 9))
      : mark === '!'
        ? String(r.int(1, 9))
        : ('ABCDEFGHJKLMNPRSTUVWXYZ'[r.int(0, 22)] as string),
  );

const digits = (length: number, r: Rng): string => {
  let out = '';
  for (let i = 0; i < length; i++) out += r.int(0, 9);
  return out;
};

/** Thirteen digits of the in-store range (prefix 20-29, never given to an article). */
export const ean13 = (r: Rng): string => {
  const body = `2${digits(11, r)}`;
  const sum = [...body].reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 1 : 3), 0);
  return body + ((10 - (sum % 10)) % 10);
};

/** Appends the Luhn digit. */
export const luhn = (body: string): string => {
  let sum = 0;
  [...body].reverse().forEach((digit, i) => {
    const value = Number(digit) * (i % 2 === 0 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  });
  return body + ((10 - (sum % 10)) % 10);
};

/** Fifteen digits of the test range 00. */
export const imei = (r: Rng): string => luhn(`00${digits(12, r)}`);

const mod97 = (text: string): number => {
  let rest = 0;
  for (const char of text) {
    const value = /[A-Z]/.test(char) ? String(char.charCodeAt(0) - 55) : char;
    for (const digit of value) rest = (rest * 10 + Number(digit)) % 97;
  }
  return rest;
};

/** An IBAN with right check digits over a bank that does not exist. */
export const ibanOf = (country: string, bban: string): string =>
  `${country}${String(98 - mod97(`${bban}${country}00`)).padStart(2, '0')}${bban}`;

const VIN_VALUES = '0123456789.ABCDEFGH..JKLMN.P.R..STUVWXYZ';
const VIN_WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
const VIN_CHARS = 'ABCDEFGHJKLMNPRSTUVWXYZ0123456789';

/** Seventeen characters with a right check digit, of a maker code that is not given out (`ZZZ`). */
export const vin = (r: Rng): string => {
  const chars = [...'ZZZ', ...Array.from({ length: 14 }, () => VIN_CHARS[r.int(0, VIN_CHARS.length - 1)] as string)];
  const sum = chars.reduce((total, char, i) => total + (VIN_VALUES.indexOf(char) % 10) * (VIN_WEIGHTS[i] as number), 0);
  chars[8] = sum % 11 === 10 ? 'X' : String(sum % 11);
  return chars.join('');
};
