/** Names of others' tools, made fit for every protocol that we speak: the same list always gives the same names. */
import { RESERVED_TOOL_NAMES } from '../../artifacts/service.js';
import { sha256 } from '../../kit/hash.js';

const LONGEST = 64;
const reserved: ReadonlySet<string> = new Set(RESERVED_TOOL_NAMES);

const short = (name: string, original: string): string =>
  name.length <= LONGEST ? name : `${name.slice(0, LONGEST - 9)}_${sha256(original).slice(0, 8)}`;

const fitted = (original: string, id: string, prefix: string): string => {
  const plain = original.replace(/[^a-zA-Z0-9_]+/g, '_');
  const prefixed = prefix + plain;
  const isFit = /^[a-zA-Z]/.test(prefixed) && !reserved.has(prefixed.toLowerCase());
  return short(isFit ? prefixed : `${id}_${prefixed}`, original);
};

/**
 * For each of a server's own names one that is `TOOL_NAME`, not reserved, and unique without regard to case: other characters
 * become `_`, reserved ones get `<id>_`, long ones end in a hash, and of two that would be the same the later gets a number.
 */
export const fitNames = (originals: readonly string[], id: string, prefix = ''): string[] => {
  const taken = new Set<string>();
  return originals.map((original) => {
    const name = fitted(original, id, prefix);
    let unique = name;
    for (let n = 2; taken.has(unique.toLowerCase()); n++)
      unique = `${name.slice(0, LONGEST - 1 - String(n).length)}_${n}`;
    taken.add(unique.toLowerCase());
    return unique;
  });
};
