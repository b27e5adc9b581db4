/** Texts: what is stored brought into the form that the schema asks for, what is missing made. */
import { isoDate, isoInstant, parseIso } from '../../../kit/calendar.js';
import type { Json } from '../../../kit/hash.js';
import type { Rng } from '../../../kit/rng.js';
import { drawAt } from './draw.js';
import type { Flat } from './flat.js';
import { hasFormat, makeFormat, token } from './formats.js';
import { alike, isAddress, isIdentifier, textMaker } from './names.js';
import { patternOf } from './patterns.js';
import type { Scope } from './scope.js';

export interface Scalar {
  accepts(value: Json): boolean;
  /** Undefined where the value has no such form. */
  from(value: Json): Json | undefined;
  make(place: number, scope: Scope): Json;
}

const MOST_CHARACTERS = 10_000;
const TRIES = 12;
const MOST_KEPT = 64;
const MS = 100_000_000_000;

const sizeOf = (text: string): number => (/[\ud800-\udbff]/.test(text) ? [...text].length : text.length);

const secondsOf = (value: Json): number | undefined => {
  if (typeof value === 'number') return Math.abs(value) >= MS ? Math.floor(value / 1000) : Math.floor(value);
  if (typeof value !== 'string') return undefined;
  return /^\d{9,13}$/.test(value) ? secondsOf(Number(value)) : parseIso(value);
};

const LAST_SECOND = 253_402_300_799;

/** An instant in the usual ways of writing it, commonest first. */
function* timesIn(format: string | undefined, seconds: number | undefined): Generator<string> {
  if (seconds === undefined || Math.abs(seconds) > LAST_SECOND) return;
  if (format === 'date') yield isoDate(seconds);
  if (format !== 'date-time') return;
  const instant = isoInstant(seconds);
  yield instant;
  const bare = instant.slice(0, -1);
  for (const ending of ['.000Z', '+00:00', '.000000Z', '.000+00:00', '.000000+00:00']) yield `${bare}${ending}`;
}

const plainText = (value: Json): string | undefined => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) {
    const parts = value.map((item) => (typeof item === 'object' ? undefined : plainText(item)));
    return parts.includes(undefined) ? JSON.stringify(value) : parts.join(',');
  }
  if (value === null) return undefined;
  return typeof value.id === 'string' || typeof value.id === 'number' ? String(value.id) : JSON.stringify(value);
};

/** Longer or shorter, for texts that mean nothing. */
const sized = (text: string, low: number, high: number, r: Rng): string => {
  const long = text.length >= low ? text : text + token(Math.min(low, MOST_CHARACTERS) - text.length, r);
  return long.length > high ? long.slice(0, high).trimEnd().padEnd(Math.min(low, high), 'x') : long;
};

export const textScalar = (flat: Flat, name: string): Scalar => {
  const { format, minLength = 0, maxLength = Number.POSITIVE_INFINITY, patterns: written = [] } = flat.bounds;
  const patterns = written.map(patternOf);
  const free = format === undefined && patterns.length === 0;
  const bounded = minLength > 0 || maxLength !== Number.POSITIVE_INFINITY;
  const has = (text: string): boolean => {
    if (bounded) {
      const size = sizeOf(text);
      if (size < minLength || size > maxLength) return false;
    }
    return free || (hasFormat(format, text) && patterns.every((pattern) => pattern.has(text)));
  };
  const accepts = (value: Json): boolean => typeof value === 'string' && (free && !bounded ? true : has(value));
  const maker = textMaker(name);
  const examples = flat.examples.filter((example): example is string => typeof example === 'string' && has(example));
  const varied = isIdentifier(name) && format !== 'date-time' && format !== 'date';
  const linked = isAddress(name);
  const made = function* (r: Rng, scope: Scope): Generator<string | undefined> {
    const [example] = examples;
    if (linked) {
      const address = maker(r, scope);
      yield address;
      if (scope.own !== undefined) yield address.slice(scope.origin.length);
    }
    if (example !== undefined && varied) yield alike(example, r);
    if (example !== undefined) yield example;
    for (const pattern of patterns)
      for (let tries = format === undefined ? 1 : TRIES; tries > 0; tries--)
        yield pattern.make(r, minLength, Math.min(maxLength, MOST_CHARACTERS));
    if (format !== undefined) {
      const formed = makeFormat(format, r);
      yield formed;
      yield formed?.toUpperCase();
      if (format === 'date-time') yield* timesIn(format, parseIso(formed ?? ''));
    }
    const named = maker(r, scope);
    yield named;
    yield sized(named, minLength, maxLength, r);
    if (format !== undefined) yield sized(makeFormat(format, r) ?? '', minLength, maxLength, r);
    yield sized('', minLength, maxLength, r);
    for (const other of ['', '0', '1', 'a', 'A', '/', '1.0', 'true', '-', '{}', 'en', 'x'.repeat(16)]) yield other;
  };
  /** The same rows are read over and over. */
  const kept = new Map<number, string>();
  const first = (place: number, scope: Scope): string => {
    let last = '';
    for (const text of made(drawAt(place), scope)) {
      if (text === undefined) continue;
      if (has(text)) return text;
      last = text;
    }
    return last;
  };
  return {
    accepts,
    from(value) {
      if (accepts(value)) return value;
      for (const timed of timesIn(format, secondsOf(value))) if (has(timed)) return timed;
      const text = plainText(value);
      if (text === undefined) return undefined;
      if (has(text)) return text;
      const short = text.slice(0, maxLength);
      if (short !== text && has(short)) return short;
      const escaped = format === 'uri' ? encodeURI(text.trim()) : text.trim();
      return escaped !== text && has(escaped) ? escaped : undefined;
    },
    make(place, scope) {
      if (linked) return first(place, scope);
      const known = kept.get(place);
      if (known !== undefined) return known;
      if (kept.size >= MOST_KEPT) kept.clear();
      const text = first(place, scope);
      kept.set(place, text);
      return text;
    },
  };
};
