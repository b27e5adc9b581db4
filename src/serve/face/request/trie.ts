/** Routes by their segments: fixed text before patterns, patterns with much fixed text before those with little, whole holes last. */
import { fill, fixedLength, type Segment } from './template.js';

/** What is kept at a path; `captured` are the texts in its holes, still percent-encoded. */
export interface Leaf<T> {
  values: T[];
}

interface Branch<T> {
  fixed: Map<string, Branch<T>>;
  patterns: (Ranked & { next: Branch<T> })[];
  hole: Branch<T> | undefined;
  /** Templates that take the rest of the path, slashes and all. */
  rests: (Ranked & { leaf: Leaf<T> })[];
  leaf: Leaf<T> | undefined;
}

const branch = <T>(): Branch<T> => ({ fixed: new Map(), patterns: [], hole: undefined, rests: [], leaf: undefined });

interface Ranked {
  key: string;
  parts: string[];
  length: number;
}

/** More fixed text, then fewer holes; then any order that is always the same. */
const byRank = (a: Ranked, b: Ranked): number =>
  b.length - a.length || a.parts.length - b.parts.length || (a.key < b.key ? -1 : 1);

/** `a`, `{x}:b` and `{+c}` as one row of fixed parts: what stands between the holes, slashes with it. */
const joined = (segments: readonly Segment[]): string[] => {
  const parts = [''];
  segments.forEach((segment, i) => {
    const [first = '', ...rest] = segment.fixed;
    parts[parts.length - 1] += `${i === 0 ? '' : '/'}${first}`;
    parts.push(...rest);
  });
  return parts;
};

export interface Trie<T> {
  add(segments: readonly Segment[], value: T): void;
  /**
   * Leaves that fit, the best first, until `take` says that it has what it wants. Each branch is looked at once at most, so the work is
   * bounded by the path and by how many templates fit it.
   */
  walk(segments: readonly Said[], take: (values: readonly T[], captured: readonly string[]) => boolean): boolean;
}

/** A segment of a request: as sent, and decoded. */
export interface Said {
  raw: string;
  text: string;
}

const addTo = <T>(root: Branch<T>, segments: readonly Segment[], value: T): void => {
  let at = root;
  for (const [i, segment] of segments.entries()) {
    const key = segment.fixed.join('\0');
    if (segment.wild) {
      const parts = joined(segments.slice(i));
      const whole = parts.join('\0');
      const known = at.rests.find((rest) => rest.key === whole);
      if (known) known.leaf.values.push(value);
      else {
        const length = parts.reduce((sum, part) => sum + part.length, 0);
        at.rests.push({ key: whole, parts, length, leaf: { values: [value] } });
        at.rests.sort(byRank);
      }
      return;
    }
    if (segment.holes.length === 0) {
      const next = at.fixed.get(key) ?? branch<T>();
      at.fixed.set(key, next);
      at = next;
    } else if (segment.holes.length === 1 && fixedLength(segment) === 0) {
      at.hole ??= branch<T>();
      at = at.hole;
    } else {
      let known = at.patterns.find((pattern) => pattern.key === key);
      if (!known) {
        known = { key, parts: segment.fixed, length: fixedLength(segment), next: branch<T>() };
        at.patterns.push(known);
        at.patterns.sort(byRank);
      }
      at = known.next;
    }
  }
  at.leaf ??= { values: [] };
  at.leaf.values.push(value);
};

/** Fixed parts may be sent encoded (`%3A` for a colon); what is sent plain is tried first, so that encoded separators stay values. */
const filled = (parts: readonly string[], said: Said): string[] | undefined => {
  const plain = fill(parts, said.raw);
  if (plain || said.raw === said.text) return plain;
  return fill(parts, said.text)?.map(encodeURIComponent);
};

const walkFrom = <T>(
  at: Branch<T>,
  segments: readonly Said[],
  index: number,
  captured: string[],
  take: (values: readonly T[], captured: readonly string[]) => boolean,
): boolean => {
  const said = segments[index];
  if (said === undefined) return at.leaf !== undefined && take(at.leaf.values, captured);
  const known = at.fixed.get(said.text);
  if (known && walkFrom(known, segments, index + 1, captured, take)) return true;
  for (const pattern of at.patterns) {
    const texts = filled(pattern.parts, said);
    if (texts && walkFrom(pattern.next, segments, index + 1, [...captured, ...texts], take)) return true;
  }
  if (at.hole && said.raw !== '' && walkFrom(at.hole, segments, index + 1, [...captured, said.raw], take)) return true;
  if (at.rests.length === 0) return false;
  const raw = segments
    .slice(index)
    .map((segment) => segment.raw)
    .join('/');
  return at.rests.some((rest) => {
    const texts = fill(rest.parts, raw);
    return texts !== undefined && take(rest.leaf.values, [...captured, ...texts]);
  });
};

export const trieOf = <T>(): Trie<T> => {
  const root = branch<T>();
  return {
    add: (segments, value) => addTo(root, segments, value),
    walk: (segments, take) => walkFrom(root, segments, 0, [], take),
  };
};
