/**
 * Opaque ids: a keyed permutation of a counter, written in a service's own style. Two unbalanced Feistel halves span the
 * style's space exactly, so that no two counters meet and the order of creation cannot be read off.
 */
import { createHash } from 'node:crypto';
import type { IdStyle } from '../artifacts/table.js';
import { type Language, LONGEST, languageOf } from '../kit/language/language.js';

const DIGITS = '0123456789';
const LOWER = `${DIGITS}abcdefghijklmnopqrstuvwxyz`;
const ALPHABET: Record<Exclude<IdStyle['style'], 'uuid' | 'pattern'>, string> = {
  base62: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  base36: LOWER,
  digits: DIGITS,
  integer: DIGITS,
  upper: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  hex: LOWER.slice(0, 16),
};
const LENGTH: Record<IdStyle['style'], number> = {
  base62: 14,
  base36: 12,
  digits: 8,
  integer: 6,
  upper: 10,
  hex: 24,
  uuid: 30,
  pattern: 0,
};
const ROUNDS = 8;
const WORD = 2 ** 32;
/** Each half stays below this, so that a sum of two fits a double exactly. */
const HALF_LIMIT = 2 ** 52;
const MAX_CACHED = 4096;

/** 52 keyed bits of `x` (murmur3's finaliser over both words, crosswise). */
const mix = (key: Int32Array, at: number, x: number): number => {
  let a = ((x % WORD) | 0) ^ key[at]!;
  let b = Math.floor(x / WORD) ^ key[at + 1]!;
  for (let i = 0; i < 2; i++) {
    a = Math.imul(a ^ (a >>> 16), 0x85ebca6b);
    a ^= (a >>> 13) + b;
    b = Math.imul(b ^ (b >>> 15), 0xc2b2ae35);
    b ^= (b >>> 16) + Math.imul(a, 0x9e3779b1);
  }
  return ((a ^ b) >>> 12) * WORD + (b >>> 0);
};

const roundKeys = (secret: string, label: string): Int32Array => {
  const words: number[] = [];
  for (let block = 0; words.length < ROUNDS * 2 + 2; block++) {
    const digest = createHash('sha256').update(`${label}\u0000${block}\u0000${secret}`).digest();
    for (let i = 0; i < 32; i += 4) words.push(digest.readInt32LE(i));
  }
  return Int32Array.from(words);
};

const power = (base: number, exponent: number): number => {
  let out = 1;
  for (let i = 0; i < exponent; i++) out *= base;
  return out;
};

const write = (value: number, length: number, alphabet: string): string => {
  let out = '';
  for (let i = 0; i < length; i++) {
    out = alphabet[value % alphabet.length] + out;
    value = Math.floor(value / alphabet.length);
  }
  return out;
};

/** A permutation of one length of one alphabet: `write(n)` for n below `space`. */
interface Space {
  space: number;
  write(n: number): string;
}

const spaceOf = (alphabet: string, length: number, noLeadingZero: boolean, secret: string): Space => {
  const base = alphabet.length;
  // Characters beyond what two halves hold are keyed filler: they follow from the permuted ones, so ids stay distinct.
  const most = 2 * Math.floor(Math.log(HALF_LIMIT) / Math.log(base));
  const core = Math.min(length, most);
  const leftLength = Math.ceil(core / 2);
  const rightLength = core - leftLength;
  const left = noLeadingZero ? (base - 1) * power(base, leftLength - 1) : power(base, leftLength);
  const right = power(base, rightLength);
  const key = roundKeys(secret, `${base}/${length}`);
  return {
    space: left * right,
    write: (n) => {
      let l = Math.floor(n / right);
      let r = n % right;
      for (let round = 0; round < ROUNDS; round += 2) {
        l = (l + (mix(key, round * 2, r) % left)) % left;
        r = (r + (mix(key, round * 2 + 2, l) % right)) % right;
      }
      let text = write(noLeadingZero ? l + power(base, leftLength - 1) : l, leftLength, alphabet);
      text += write(r, rightLength, alphabet);
      for (let i = core; i < length; i++) text += alphabet[mix(key, ROUNDS * 2, l + r + i) % base];
      return text;
    },
  };
};

const asUuid = (hex: string): string => {
  const variant = '89ab'[Number.parseInt(hex[15]!, 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-${variant}${hex.slice(16, 19)}-${hex.slice(19, 31)}`;
};

/** Permutes the numbers below `space` (at most 2^50): halves that span a little more, walked until one is inside. */
const permuted = (space: number, secret: string): ((n: number) => number) => {
  const left = Math.ceil(Math.sqrt(space));
  const right = Math.ceil(space / left);
  const key = roundKeys(secret, `below ${space}`);
  const once = (n: number): number => {
    let l = Math.floor(n / right);
    let r = n % right;
    for (let round = 0; round < ROUNDS; round += 2) {
      l = (l + (mix(key, round * 2, r) % left)) % left;
      r = (r + (mix(key, round * 2 + 2, l) % right)) % right;
    }
    return l * right + r;
  };
  return (n) => {
    let at = once(n);
    while (at >= space) at = once(at);
    return at;
  };
};

interface Writer {
  /** How many ids there are; beyond it they begin again. */
  capacity: number;
  write(n: number): string | number;
}

const MOST = 2 ** 50;

const between = (min: number, max: number, secret: string): Writer => {
  const capacity = Math.max(1, Math.min(MOST, max - min + 1));
  const at = permuted(capacity, secret);
  return { capacity, write: (n) => min + at(n % capacity) };
};

/** As many as no service will ever give out: longer ids than this many need are not made. */
const ENOUGH = 10n ** 12n;
const LONGER = 4;

/** Texts of one length, each once. */
const ofLength = (language: Language, length: number, secret: string): { space: number; write(n: number): string } => {
  const all = language.count(length);
  const space = all > BigInt(MOST) ? MOST : Number(all);
  const at = permuted(space, `${secret}/${length}`);
  const stride = all / BigInt(space);
  const key = roundKeys(secret, `filler ${length}`);
  const filler = (x: number): bigint => {
    let out = 0n;
    // Characters beyond what is permuted follow from it, so that ids stay distinct.
    for (let have = 1n, i = 0; have < stride && i < 24; have <<= 52n, i++)
      out = (out << 52n) + BigInt(mix(key, (2 * i) % ROUNDS, x + i));
    return out % stride;
  };
  return {
    space,
    write: (n) => {
      const x = at(n);
      return language.nth(length, BigInt(x) * stride + (stride > 1n ? filler(x) : 0n));
    },
  };
};

const meeting = ({ pattern = '', minLength = 0, maxLength = LONGEST }: IdStyle, secret: string): Writer | undefined => {
  const language = languageOf([pattern], minLength, maxLength);
  if (!language) return undefined;
  const most = Math.min(maxLength, LONGEST);
  const lengths = Array.from({ length: most - minLength + 1 }, (_, i) => minLength + i);
  const first = lengths.find((length) => language.count(length) >= ENOUGH);
  // A few more characters look like ids; where one is fixed, there are none.
  const longer = first === undefined ? 0n : first + LONGER > most ? 0n : language.count(first + LONGER);
  const enough = first !== undefined && longer > 0n ? first + LONGER : first;
  const used = (enough === undefined ? lengths : [enough]).filter((length) => language.count(length) > 0n);
  const spaces = used.map((length) => ofLength(language, length, secret)).sort((a, b) => b.space - a.space);
  const capacity = Math.min(
    MOST,
    spaces.reduce((sum, { space }) => sum + space, 0),
  );
  return {
    capacity,
    write: (n) => {
      let rest = n % capacity;
      let i = 0;
      for (let space = spaces[0]!.space; rest >= space; space = spaces[i]!.space) {
        rest -= space;
        i++;
      }
      return spaces[i]!.write(rest);
    },
  };
};

const growing = (style: IdStyle, alphabet: string, secret: string): Writer => {
  const numeric = alphabet === DIGITS;
  const first = style.length ?? LENGTH[style.style];
  const integer = style.style === 'integer';
  const prefix = integer ? '' : (style.prefix ?? '');
  const longest = integer ? 15 : 32;
  const spaces: Space[] = [];
  const spaceAt = (i: number): Space => {
    spaces[i] ??= spaceOf(alphabet, Math.min(first + i, longest), numeric, secret);
    return spaces[i];
  };
  const write = (n: number): string | number => {
    // A full space goes on one character longer, as a busy service's ids do.
    let i = 0;
    let rest = n;
    while (rest >= spaceAt(i).space) rest -= spaceAt(i++).space;
    const text = spaceAt(i).write(rest);
    return integer ? Number(text) : prefix + text;
  };
  return { capacity: Number.POSITIVE_INFINITY, write };
};

const writerOf = (style: IdStyle, secret: string): Writer => {
  if (style.style === 'uuid') {
    const { write } = spaceOf(ALPHABET.hex, 31, false, secret);
    return { capacity: Number.POSITIVE_INFINITY, write: (n) => asUuid(write(n)) };
  }
  const isNumber = style.style === 'integer';
  if (style.style === 'pattern' || style.pattern !== undefined) {
    const writer =
      meeting(style, secret) ?? growing({ style: isNumber ? 'integer' : 'base36' }, isNumber ? DIGITS : LOWER, secret);
    return isNumber ? { ...writer, write: (n) => Number(writer.write(n)) } : writer;
  }
  if (style.min !== undefined && style.max !== undefined) {
    const writer = between(style.min, style.max, secret);
    return isNumber ? writer : { ...writer, write: (n) => String(writer.write(n)) };
  }
  return growing(style, ALPHABET[style.style], secret);
};

const cache = new WeakMap<IdStyle, Map<string, Writer>>();

const writerFor = (style: IdStyle, secret: string): Writer => {
  const writers = cache.get(style) ?? new Map<string, Writer>();
  const known = writers.get(secret);
  if (known) return known;
  if (writers.size >= MAX_CACHED) writers.clear();
  const writer = writerOf(style, secret);
  writers.set(secret, writer);
  cache.set(style, writers);
  return writer;
};

/** How many ids the style has; infinite where they grow longer as they are needed. */
export const capacityOf = (style: IdStyle): number =>
  style.pattern === undefined && style.max === undefined ? Number.POSITIVE_INFINITY : writerFor(style, '').capacity;

/**
 * The id of the `n`-th row (n >= 0, a safe integer) under `secret` (`${world.seed}/${service.id}/${table}`): text, or a number
 * for style `integer`. Injective in n below the style's capacity, beyond which ids begin again; the same arguments always give the
 * same id.
 */
export const idOf = (style: IdStyle, secret: string, n: number): string | number => writerFor(style, secret).write(n);
