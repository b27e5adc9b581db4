/** Names and references of records: `name`, `name@version`, or a content address. */
import { TreadleError } from '../../errors.js';

/** One to four parts divided by `/`; no part can be `..`, hidden or a prototype's key, and no name looks like a hash. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}(\/[A-Za-z0-9][A-Za-z0-9_.-]{0,127}){0,3}$/;
const HASH = /^[0-9a-f]{64}$/;
const VERSIONED = /^([^@]+)@([1-9][0-9]{0,8})$/;
const LONGEST = 255;

export type Reference = { hash: string } | { name: string; version?: number };

export const isHash = (text: unknown): text is string => typeof text === 'string' && HASH.test(text);

const isName = (text: string): boolean => text.length <= LONGEST && NAME.test(text) && !HASH.test(text);

/** Throws `bad_name`. */
export const checkName = (name: unknown): string => {
  if (typeof name === 'string' && isName(name)) return name;
  throw new TreadleError({
    code: 'bad_name',
    message: 'This cannot name a record',
    value: typeof name === 'string' ? name.slice(0, 80) : typeof name,
    next: 'Use letters, digits, "_", "-" and ".", in one to four parts divided by "/", 255 characters at most.',
  });
};

/** Undefined for a text that no record can answer to. */
export const parseReference = (text: unknown): Reference | undefined => {
  if (typeof text !== 'string' || text.length > LONGEST + 10) return undefined;
  if (HASH.test(text)) return { hash: text };
  const [, name = text, version] = VERSIONED.exec(text) ?? [];
  if (!isName(name)) return undefined;
  return version === undefined ? { name } : { name, version: Number(version) };
};

/** What follows the last `/`. */
export const lastPart = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

/** Pairs of neighbouring characters, by which two names are compared. */
const pairs = (text: string): Set<string> => {
  const lower = ` ${text.toLowerCase()} `;
  return new Set(Array.from({ length: lower.length - 1 }, (_, i) => lower.slice(i, i + 2)));
};

/** How many names are compared, and how many looked at: a registry of a hundred thousand must still answer at once. */
const MOST_COMPARED = 200;
const MOST_SEEN = 50_000;

/** Whether a comparison is worth its time: about as long, and the same beginning or end. */
const mayBeLike = (wanted: string, name: string): boolean =>
  Math.abs(wanted.length - name.length) <= 4 &&
  (name.startsWith(wanted.slice(0, 3)) || name.endsWith(wanted.slice(-3)));

/** The names most like `wanted`, best first: Dice's coefficient over pairs of characters, of the whole or of the last part. */
export const nearNames = (wanted: string, names: Iterable<string>, most = 3): string[] => {
  const own = pairs(wanted);
  const likeness = (text: string): number => {
    const other = pairs(text);
    let shared = 0;
    for (const pair of own) if (other.has(pair)) shared++;
    return (2 * shared) / (own.size + other.size);
  };
  const found: { name: string; like: number }[] = [];
  let seen = 0;
  let compared = 0;
  for (const name of names) {
    if (++seen > MOST_SEEN || compared >= MOST_COMPARED) break;
    const text = wanted.includes('/') ? name : lastPart(name);
    if (!mayBeLike(wanted, text)) continue;
    compared++;
    const like = likeness(text);
    if (like > 0.5) found.push({ name, like });
  }
  found.sort((a, b) => b.like - a.like || (a.name < b.name ? -1 : 1));
  return found.slice(0, most).map(({ name }) => name);
};
