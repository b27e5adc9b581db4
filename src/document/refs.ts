/** Lazy `$ref` resolution: one hop chain at a time, never the whole document, never the network. */
import { isNode, type Node } from './node.js';

const MAX_HOPS = 32;
const MAX_PROBLEMS = 50;

export interface Resolved {
  node: Node;
  /** Name of the last component referenced: `Invoice`. */
  name: string | undefined;
}

export interface Refs {
  /** Follows `$ref` to the object behind it; an empty object where there is none (the problem is recorded). */
  resolve(value: unknown): Resolved;
  problems(): { ref: string; why: string }[];
}

const decode = (part: string): string => {
  const raw = part.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
};

const lookUp = (root: Node, pointer: string): unknown => {
  let at: unknown = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = decode(part);
    if (Array.isArray(at)) at = at[Number(key)];
    else if (isNode(at) && Object.hasOwn(at, key)) at = at[key];
    else return undefined;
  }
  return at;
};

const whyNot = (ref: string): string | undefined => {
  if (/^[a-z][a-z0-9+.-]*:/i.test(ref)) return 'remote reference, not fetched';
  if (!ref.startsWith('#'))
    return ref.split('#')[0]?.endsWith('/') || !/\.[a-z]+(#|$)/i.test(ref)
      ? 'reference to a folder or a name, not to a part of this document'
      : 'reference to another file, not read';
  return undefined;
};

export const refsOf = (root: Node): Refs => {
  const problems = new Map<string, string>();
  const found = new Map<string, unknown>();
  const note = (ref: string, why: string): void => {
    if (problems.size < MAX_PROBLEMS) problems.set(ref, why);
  };
  const target = (ref: string): unknown => {
    if (!found.has(ref)) {
      const refused = whyNot(ref);
      const value = refused ? undefined : ref === '#' ? root : lookUp(root, ref.slice(1));
      if (!isNode(value)) note(ref, refused ?? 'nothing is there');
      found.set(ref, value);
    }
    return found.get(ref);
  };
  const resolve = (value: unknown): Resolved => {
    let at = value;
    let name: string | undefined;
    for (let hops = 0; isNode(at) && typeof at.$ref === 'string'; hops++) {
      if (hops === MAX_HOPS) {
        note(at.$ref, 'references go round in a circle');
        return { node: {}, name };
      }
      name = decode(at.$ref.slice(at.$ref.lastIndexOf('/') + 1));
      at = target(at.$ref);
    }
    return { node: isNode(at) ? at : {}, name };
  };
  return { resolve, problems: () => [...problems].map(([ref, why]) => ({ ref, why })) };
};
