/** `a[b][0][c]=1`, `a[]=1`, `a[][b]=1`: names with brackets, as PHP, Rails and Stripe write nested values, to a tree. */
import type { Json } from '../../../kit/hash.js';

/** A leaf is text, or what came as a file. */
export type Tree = string | { file: Json } | Inner;

export interface Inner {
  named: Map<string, Tree>;
  listed: Tree[];
}

const DEEPEST = 64;

export const inner = (): Inner => ({ named: new Map(), listed: [] });

export const isInner = (tree: Tree | undefined): tree is Inner =>
  typeof tree === 'object' && 'named' in tree && tree.named instanceof Map;

/** `a[b][c]` to `['a', 'b', 'c']`; a name whose brackets do not close is one key. */
export const keysOf = (name: string): string[] => {
  const open = name.indexOf('[');
  if (open <= 0 || !name.endsWith(']')) return [name];
  const keys = name.slice(open + 1, -1).split('][');
  if (keys.length > DEEPEST || keys.some((key) => key.includes('[') || key.includes(']'))) return [name];
  return [name.slice(0, open), ...keys];
};

/** Rails: `a[][x]=1&a[][y]=2&a[][x]=3` are two items; a key that the last item has already begins the next. */
const itemFor = (at: Inner, rest: readonly string[]): Inner => {
  const last = at.listed.at(-1);
  const [key, next] = rest;
  if (isInner(last) && key !== undefined && key !== '' && (next === '' || !holds(last, rest))) return last;
  const made = inner();
  at.listed.push(made);
  return made;
};

const holds = (at: Inner, keys: readonly string[]): boolean => {
  const [key, ...rest] = keys;
  const there = key === undefined ? undefined : at.named.get(key);
  return there !== undefined && (rest.length === 0 || !isInner(there) || holds(there, rest));
};

const put = (at: Inner, keys: readonly string[], value: Tree): void => {
  const [key = '', ...rest] = keys;
  if (rest.length === 0) {
    if (key === '') at.listed.push(value);
    else {
      const there = at.named.get(key);
      // The same name twice is a list: `a=1&a=2`.
      if (there === undefined) at.named.set(key, value);
      else if (isInner(there)) there.listed.push(value);
      else at.named.set(key, { named: new Map(), listed: [there, value] });
    }
    return;
  }
  if (key === '') {
    put(itemFor(at, rest), rest, value);
    return;
  }
  const there = at.named.get(key);
  const next = isInner(there) ? there : { named: new Map(), listed: there === undefined ? [] : [there] };
  if (next !== there) at.named.set(key, next);
  put(next, rest, value);
};

/** `__proto__` is left out, as in JSON (json.ts). */
export const grow = (root: Inner, name: string, value: Tree): void => {
  const keys = keysOf(name);
  if (!keys.includes('__proto__')) put(root, keys, value);
};

const isIndex = (key: string): boolean => /^\d{1,9}$/.test(key);

/** Its items in order, or undefined where its names are not those of a list. */
export const itemsOf = (tree: Inner): Tree[] | undefined => {
  const names = [...tree.named.keys()];
  if (!names.every(isIndex)) return undefined;
  const indexed = names.sort((a, b) => Number(a) - Number(b)).map((name) => tree.named.get(name) as Tree);
  return [...indexed, ...tree.listed];
};
