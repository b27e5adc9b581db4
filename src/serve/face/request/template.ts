/** A path as a document writes it, cut into segments; each segment into fixed text and holes. */

export interface Segment {
  /** Fixed text around the holes, decoded: one more than there are holes. */
  fixed: string[];
  /** Names of the holes, in order. */
  holes: string[];
  /** `{+name}`, `{name+}`, `{name*}`: its holes take slashes too. */
  wild: boolean;
}

/** What a path with a query or a fragment asks of the request besides: `?action=y`, `#Action=List`, `?city={city}`. */
export interface Need {
  key: string;
  /** Exact value; absent where any will do. */
  value?: string;
  /** The hole that its value fills. */
  hole?: string;
}

export interface Template {
  segments: Segment[];
  needs: Need[];
  /** Ends with a slash, as few do. */
  slash: boolean;
}

/** `undefined` where the percent signs make no sense. */
export const decoded = (text: string): string | undefined => {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

const HOLE = /\{([^{}]*)\}/g;

export const segmentOf = (text: string): Segment => {
  const fixed: string[] = [];
  const holes: string[] = [];
  let wild = false;
  let from = 0;
  for (const match of text.matchAll(HOLE)) {
    const written = match[1] as string;
    const name = written.replace(/^\+|[+*]$/g, '');
    wild ||= name !== written;
    fixed.push(text.slice(from, match.index));
    holes.push(name);
    from = match.index + match[0].length;
  }
  fixed.push(text.slice(from));
  return { fixed: fixed.map((part) => decoded(part) ?? part), holes, wild };
};

const needsOf = (text: string): Need[] =>
  text
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=');
      const key = decoded(at < 0 ? part : part.slice(0, at)) ?? part;
      const written = at < 0 ? '' : part.slice(at + 1);
      const hole = /^\{([^{}]+)\}$/.exec(written)?.[1];
      if (hole !== undefined) return { key, hole };
      return at < 0 ? { key } : { key, value: decoded(written) ?? written };
    });

/** Slashes inside braces belong to the name. */
const split = (path: string): string[] => path.split(/\/(?![^{}]*\})/);

export const templateOf = (path: string): Template => {
  const cut = path.search(/[?#](?![^{}]*\})/);
  const bare = cut < 0 ? path : path.slice(0, cut);
  const needs = cut < 0 ? [] : needsOf(path.slice(cut + 1).replaceAll('#', '&'));
  const parts = split(bare.startsWith('/') ? bare.slice(1) : bare);
  const slash = parts.length > 1 && parts.at(-1) === '';
  if (slash || bare === '/' || bare === '') parts.pop();
  return { segments: parts.map(segmentOf), needs, slash };
};

/** Characters of fixed text: the more there are, the more a segment says. */
export const fixedLength = (segment: Segment): number => segment.fixed.reduce((sum, part) => sum + part.length, 0);

/** Two holes with nothing between them (`{id}{extension}`): the second begins at the last dot, or is one character. */
const beforeEnding = (text: string, from: number, end: number): number => {
  const dot = text.lastIndexOf('.', end - 1);
  return dot > from ? dot : end - 1;
};

/**
 * Texts in the holes of `fixed`, or undefined where `text` does not fit; no hole is empty. Each hole but the last takes as little as it
 * can, which finds a fit wherever there is one.
 */
export const fill = (fixed: readonly string[], text: string): string[] | undefined => {
  const first = fixed[0] as string;
  const last = fixed[fixed.length - 1] as string;
  if (fixed.length === 1) return text === first ? [] : undefined;
  if (!text.startsWith(first) || !text.endsWith(last)) return undefined;
  const end = text.length - last.length;
  const found: string[] = [];
  let at = first.length;
  for (let i = 1; i < fixed.length - 1; i++) {
    const part = fixed[i] as string;
    const isLast = i === fixed.length - 2;
    const next = part === '' && isLast ? beforeEnding(text, at, end) : text.indexOf(part, at + 1);
    if (next <= at || next + part.length > end) return undefined;
    found.push(text.slice(at, next));
    at = next + part.length;
  }
  if (at >= end) return undefined;
  found.push(text.slice(at, end));
  return found;
};
