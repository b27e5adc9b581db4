/** The values of a stored row by the words that the API calls them by, also those inside its JSON columns. */
import type { Table } from '../../../artifacts/table.js';
import { isNode } from '../../../document/node.js';
import { snake } from '../../../kit/words.js';
import type { Row } from '../../../world/state/types.js';

export interface Leaf {
  /** `config`, `url`. */
  path: readonly string[];
  /** As stored: truth as 0 and 1 outside JSON; lists as they are. */
  value: unknown;
}

const DEEPEST = 4;
const MOST = 200;

/** What only holds what it is about. */
const WRAPPER =
  /^(data|attributes?|config|configuration|settings|options|properties|details|spec|webhook|hook|webhook_endpoint|endpoint|subscription|delivery|destination|target|transport)$/;

const parsed = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

const within = (path: readonly string[], value: unknown, out: Leaf[]): void => {
  if (out.length >= MOST) return;
  if (!isNode(value) || path.length >= DEEPEST) {
    if (value !== null && value !== undefined) out.push({ path, value });
    return;
  }
  for (const [name, inner] of Object.entries(value)) within([...path, snake(name)], inner, out);
};

/** Of a JSON value; what is inside other things than wrappers speaks of these, and is left out. */
export const leavesOf = (value: unknown): Leaf[] => {
  const out: Leaf[] = [];
  within([], value, out);
  return out.filter(({ path }) => path.slice(0, -1).every((name) => WRAPPER.test(name)));
};

export const leavesOfRow = (row: Row, { cols }: Table): Leaf[] => {
  const out: Leaf[] = [];
  for (const [name, { type, field }] of Object.entries(cols))
    within((field ?? name).split('.').map(snake), type === 'json' ? parsed(row[name]) : row[name], out);
  return out.filter(({ path }) => path.slice(0, -1).every((each) => WRAPPER.test(each)));
};

/** The first whose last word is the first of `names` that any has; the outermost of several. */
export const leafNamed = (
  leaves: readonly Leaf[],
  names: readonly RegExp[],
  fits: (value: unknown) => boolean,
): Leaf | undefined => {
  for (const name of names) {
    const found = leaves.filter(({ path, value }) => name.test(path.at(-1) ?? '') && fits(value));
    if (found.length > 0) return found.reduce((a, b) => (b.path.length < a.path.length ? b : a));
  }
  return undefined;
};
