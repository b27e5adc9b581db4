/** Path of the row that an answer is about, where the document's own paths tell. */
import type { HttpOperation } from '../../../document/http.js';
import { isNode, type Node } from '../../../document/node.js';
import type { Json } from '../../../kit/hash.js';

const isParam = (part: string | undefined): boolean => /\{[^}]+\}$/.test(part ?? '');

/** Needs no encoding. */
const SAFE = /^[\w.~-]*$/;

const parents = new WeakMap<Node, Set<string>>();

/** Paths of the document that a parameter ends, without it. */
const collections = (root: Node): Set<string> => {
  const known = parents.get(root);
  if (known) return known;
  const paths = Object.keys(isNode(root.paths) ? root.paths : {});
  const made = new Set(paths.filter((path) => isParam(path)).map((path) => path.slice(0, path.lastIndexOf('/'))));
  parents.set(root, made);
  return made;
};

/** The path of a request on a row, that of a row of a requested collection, or undefined. */
export const ownPaths = (
  operation: HttpOperation,
  root: Node,
): ((requested: string, key: Json | undefined) => string | undefined) => {
  if (isParam(operation.path.split('/').at(-1))) return (requested) => requested;
  if (!collections(root).has(operation.path)) return () => undefined;
  // A list asks for every row of it.
  let last = '';
  let stem = '/';
  return (requested, key) => {
    if (typeof key !== 'string' && typeof key !== 'number') return undefined;
    if (requested !== last) {
      last = requested;
      stem = `${requested.replace(/\/+$/, '')}/`;
    }
    return stem + (typeof key === 'number' || SAFE.test(key) ? key : encodeURIComponent(key));
  };
};
