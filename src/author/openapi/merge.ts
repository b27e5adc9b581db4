/** Several documents of one product read as one: HubSpot, Twilio and Klaviyo ship a file for each corner of theirs. */

import { isNode, type Node } from '../../document/node.js';
import type { ParsedDocument } from '../../document/parse.js';
import { canonicalJson } from '../../kit/hash.js';
import { snake } from '../../kit/words.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

type Names = Map<string, string>;

/** The tree with every `$ref` that `names` knows pointed at the new name. */
const renamed = (value: unknown, names: Names): unknown => {
  if (Array.isArray(value)) return value.map((item) => renamed(item, names));
  if (!isNode(value)) return value;
  const out: Node = {};
  for (const [key, inner] of Object.entries(value))
    Object.defineProperty(out, key, {
      value: key === '$ref' && typeof inner === 'string' ? (names.get(inner) ?? inner) : renamed(inner, names),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  return out;
};

const partsOf = (root: Node): [string, string, unknown][] => {
  const components = isNode(root.components) ? root.components : {};
  return Object.entries(components).flatMap(([kind, parts]) =>
    isNode(parts) ? Object.entries(parts).map(([name, part]): [string, string, unknown] => [kind, name, part]) : [],
  );
};

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** References whose name another document uses for something else. */
const clashes = (root: Node, taken: ReadonlyMap<string, string>, tag: string): Names => {
  const out: Names = new Map();
  for (const [kind, name, part] of partsOf(root)) {
    const known = taken.get(`${kind}/${name}`);
    if (known === undefined || known === canonicalJson(part)) continue;
    let fresh = `${name}_${tag}`;
    for (let n = 2; taken.has(`${kind}/${fresh}`); n++) fresh = `${name}_${tag}_${n}`;
    out.set(`#/components/${kind}/${escaped(name)}`, `#/components/${kind}/${escaped(fresh)}`);
  }
  return out;
};

const holds = (item: unknown, other: unknown): boolean =>
  isNode(item) && isNode(other) && METHODS.some((method) => isNode(item[method]) && isNode(other[method]));

export interface NamedDocument {
  name: string;
  document: ParsedDocument;
}

/**
 * One document out of many: components of one name and different content are told apart, a path that two documents use for the same
 * method stands under the second one's name. The title is the first's. Takes at least one document.
 */
export const mergeDocuments = (documents: readonly NamedDocument[]): ParsedDocument => {
  const [first] = documents;
  if (!first) throw new RangeError('There is no document to merge.');
  if (documents.length === 1) return first.document;
  const components: Record<string, Node> = {};
  const taken = new Map<string, string>();
  const paths: Node = Object.create(null) as Node;
  for (const { name, document } of documents) {
    const tag = snake(name) || 'other';
    const names = clashes(document.root, taken, tag);
    const root = names.size === 0 ? document.root : (renamed(document.root, names) as Node);
    for (const [kind, part, body] of partsOf(root)) {
      const now = names.get(`#/components/${kind}/${escaped(part)}`);
      const label =
        now === undefined
          ? part
          : now.slice(`#/components/${kind}/`.length).replaceAll('~1', '/').replaceAll('~0', '~');
      components[kind] ??= Object.create(null) as Node;
      (components[kind] as Node)[label] = body;
      taken.set(`${kind}/${label}`, canonicalJson(body));
    }
    for (const [path, item] of Object.entries(isNode(root.paths) ? root.paths : {})) {
      const there = paths[path];
      if (there === undefined) paths[path] = item;
      else if (holds(there, item)) paths[`/${tag}${path}`] = item;
      else if (isNode(there) && isNode(item)) paths[path] = { ...there, ...item };
    }
  }
  const { root, version, title } = first.document;
  return { root: { ...root, paths, components }, version, title };
};
