/**
 * Answers that lie (P3, P4): what a read gave back, with one thing wrong in it, in a form that still fits the tool's schema. Only
 * values change and rows go missing, so that a second source or the answer's own totals contradict it.
 */
import type { Json } from '../../kit/hash.js';
import type { Rng } from '../../kit/rng.js';

type Path = (string | number)[];
type Leaf = { path: Path; value: number | string | boolean };

/** Where a list of rows lies, and how long it is. */
type List = { path: Path; items: Json[] };

/** Leaves beyond these say nothing new, and answers may be long. */
const MOST_LEAVES = 2_000;

/** Fields that turn pages or name the row: a lie about them is no plausible answer. */
const KEPT =
  /(^|_|\b)(id|key|uuid|ref|href|url|link|cursor|offset|limit|page|pages|next|prev|previous|total|count|size|has_more|object|type)s?$/i;

const isRow = (value: Json): boolean => value !== null && typeof value === 'object' && !Array.isArray(value);

const walk = (value: Json, path: Path, leaves: Leaf[], lists: List[]): void => {
  if (leaves.length >= MOST_LEAVES || path.length > 8) return;
  if (Array.isArray(value)) {
    if (value.length > 0 && value.every(isRow)) lists.push({ path, items: value });
    value.forEach((item, at) => {
      walk(item, [...path, at], leaves, lists);
    });
  } else if (value !== null && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key], leaves, lists);
  } else if (value !== null) {
    const name = path.findLast((part) => typeof part === 'string') ?? '';
    if (!KEPT.test(String(name).replace(/([a-z0-9])([A-Z])/g, '$1_$2'))) leaves.push({ path, value });
  }
};

/** A copy with `put` at the path. */
const withAt = (value: Json, [head, ...rest]: Path, put: Json): Json => {
  if (head === undefined) return put;
  if (Array.isArray(value)) return value.map((item, at) => (at === head ? withAt(item, rest, put) : item));
  const object = value as { [key: string]: Json };
  return { ...object, [head]: withAt(object[head] as Json, rest, put) };
};

const wrongNumber = (value: number, random: Rng): number => {
  const factor = random.pick([0.1, 0.5, 0.8, 1.25, 2, 10]);
  const made = Number.isInteger(value) ? Math.round(value * factor) : Math.round(value * factor * 100) / 100;
  return made === value ? value + random.pick([1, 2, 5]) : made;
};

/** Two neighbouring digits change places, or one digit is another: a date, an amount or a number in text reads plausibly. */
const wrongDigits = (text: string, random: Rng): string | undefined => {
  const [, day, rest] = /^(\d{1,2})( \p{L}{3,} \d{4}\b.*)$/u.exec(text) ?? [];
  // `26 Sep 2022`: another day, not another century.
  if (day !== undefined) return `${((Number(day) + random.int(1, 26)) % 28) + 1}${rest}`;
  const at = [...text.matchAll(/\d/g)].map(({ index }) => index);
  if (at.length === 0) return undefined;
  const swappable = at.filter((i) => /\d/.test(text[i + 1] ?? '') && text[i] !== text[i + 1]);
  // The last digits: of a date they are the day, and the year stays.
  const last = swappable.at(-1);
  if (last !== undefined && !/^\d{4}-\d\d/.test(text))
    return `${text.slice(0, last)}${text[last + 1]}${text[last]}${text.slice(last + 2)}`;
  const end = at.at(/T\d|\d:\d/.test(text) ? 7 : -1) ?? (at.at(-1) as number);
  const digit = String((Number(text[end]) + random.int(1, 8)) % 10);
  return `${text.slice(0, end)}${digit}${text.slice(end + 1)}`;
};

/** What another row says under the same field. */
const neighbourOf = (leaf: Leaf, leaves: readonly Leaf[], random: Rng): Leaf['value'] | undefined => {
  const name = leaf.path.at(-1);
  const others = leaves.filter(
    ({ path, value }) => path.at(-1) === name && typeof value === typeof leaf.value && value !== leaf.value,
  );
  return others.length > 0 ? random.pick(others).value : undefined;
};

const wrongValue = (leaf: Leaf, leaves: readonly Leaf[], random: Rng): Leaf['value'] | undefined => {
  const neighbour = neighbourOf(leaf, leaves, random);
  if (neighbour !== undefined) return neighbour;
  if (typeof leaf.value === 'number') return wrongNumber(leaf.value, random);
  if (typeof leaf.value === 'boolean') return !leaf.value;
  return wrongDigits(leaf.value, random);
};

/** Rows missing from the end of a list; of a list of one, that one. */
const shortened = (result: Json, { path, items }: List, random: Rng): Json =>
  withAt(result, path, items.slice(0, items.length < 2 ? 0 : random.int(1, items.length - 1)));

/** The answer with the value at a path wrong; undefined where it has none, or none that can be wrong. */
const spoiltAt = (result: Json, path: string, leaves: readonly Leaf[], random: Rng): Json | undefined => {
  const leaf = leaves.find((one) => one.path.join('.') === path);
  const wrong = leaf && wrongValue(leaf, leaves, random);
  return leaf && wrong !== undefined && wrong !== leaf.value ? withAt(result, leaf.path, wrong) : undefined;
};

/**
 * The answer with one thing wrong in it; undefined where it holds nothing to lie about. `about`: dotted path of the value that is
 * rather wrong than any other.
 */
export const corrupted = (result: Json, random: Rng, about?: string): Json | undefined => {
  const leaves: Leaf[] = [];
  const lists: List[] = [];
  walk(result, [], leaves, lists);
  const aimed = about === undefined ? undefined : spoiltAt(result, about, leaves, random);
  if (aimed !== undefined) return aimed;
  if (lists.length > 0 && (leaves.length === 0 || random.chance(0.35)))
    return shortened(result, random.pick(lists), random);
  for (const leaf of random.shuffle(leaves)) {
    const wrong = wrongValue(leaf, leaves, random);
    if (wrong !== undefined && wrong !== leaf.value) return withAt(result, leaf.path, wrong);
  }
  return lists.length > 0 ? shortened(result, random.pick(lists), random) : undefined;
};
