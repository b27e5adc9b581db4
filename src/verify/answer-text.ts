/** Reading names, ids and words in an answer: one spelling for what means the same, and mentions at word borders only. */

/** Where something stands in the tidied text: [start, end). */
export interface Span {
  start: number;
  end: number;
}

export interface Mention extends Span {
  name: string;
}

/** One form for compatible characters, dashes, quotes, blanks and markdown emphasis. Keeps line ends. */
export const tidy = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\u200b-\u200f\u2060\ufeff\u00ad]/g, '')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u2018\u2019\u201a\u2032`\u00b4]/g, "'")
    .replace(/[\u201c-\u201e\u00ab\u00bb]/g, '"')
    .replace(/\*+|__+|~~/g, ' ')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\S\n]+/g, ' ')
    .trim();

/** Letters without their accents: `Müller` -> `Muller`. */
export const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC');

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

// Scripts written without blanks border on nothing, so their letters do not count as word characters.
const WORD = /^(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}_]/u;
const JOINTS = { strict: '-./@', loose: '-' };

/** Whether a name may end beside `near`, where `far` is the character beyond that. */
const isBorder = (near: string | undefined, far: string | undefined, joints: string): boolean => {
  if (near === undefined) return true;
  if (WORD.test(near)) return false;
  return !(joints.includes(near) && far !== undefined && WORD.test(far));
};

const standsAlone = (text: string, { start, end }: Span, borders: keyof typeof JOINTS): boolean => {
  const before = [...text.slice(Math.max(0, start - 4), start)];
  const after = [...text.slice(end, end + 4)];
  return isBorder(before.at(-1), before.at(-2), JOINTS[borders]) && isBorder(after[0], after[1], JOINTS[borders]);
};

const isMixedCase = (name: string): boolean => /\p{Ll}/u.test(name) && /\p{Lu}/u.test(name);

export interface Reading {
  /** Ids are compared letter by letter; words may be joined in any style (`in_progress`, `In progress`, `in-progress`). */
  exact: boolean;
  /** Names an expected value must not be a part of a longer name; a candidate counts beside a slash or dot, too. */
  borders: 'strict' | 'loose';
}

/** The name as it is looked for: tidied, without punctuation around it. */
export const bare = (name: string): string =>
  tidy(name).replace(/^["'([{<.,;:!?\s]+|["')\]}>.,;:!?\s]+$/g, '') || tidy(name);

/** The name itself; borders are looked at apart, since patterns with borders cost milliseconds each to compile. */
const patternOf = (name: string, { exact, borders }: Reading): RegExp => {
  // A candidate such as IT, IS or OR must not be seen in ordinary words.
  const isCode = borders === 'loose' && /^\p{Lu}{1,3}$/u.test(name);
  const words = exact ? [name] : name.split(/[\s_-]+/).filter(Boolean);
  const body = words.map((word) => escaped(word).replaceAll(' ', '\\s+')).join('[\\s_-]*') || escaped(name);
  return new RegExp(body, isCode || (exact && isMixedCase(name)) ? 'gu' : 'giu');
};

/** A name made ready to be looked for. */
export interface Sought {
  name: string;
  reading: Reading;
  /** As it is looked for. */
  looked: string;
  /** Its words in lower case: a text that lacks one of them does not hold the name. */
  words: string[];
  pattern?: RegExp;
}

export const seek = (name: string, reading: Reading): Sought => {
  const looked = bare(name);
  return {
    name,
    reading,
    looked,
    words: looked
      .toLowerCase()
      .split(/[\s_-]+/)
      .filter(Boolean),
  };
};

/** All places where the name stands in `text` and nothing before it has claimed. */
const mentionsOf = (text: string, lower: string, sought: Sought, claimed: readonly Span[]): Mention[] => {
  // Most candidates are not in the answer at all, and building a pattern costs more than looking.
  if (sought.looked === '' || !sought.words.every((word) => lower.includes(word))) return [];
  sought.pattern ??= patternOf(sought.looked, sought.reading);
  const found: Mention[] = [];
  for (const match of text.matchAll(sought.pattern)) {
    const span = { start: match.index, end: match.index + match[0].length };
    const isFree = !claimed.some((other) => other.start < span.end && span.start < other.end);
    if (isFree && standsAlone(text, span, sought.reading.borders)) found.push({ ...span, name: sought.name });
  }
  return found;
};

/** The order in which names claim their places: longest first, so that `Acme` is not seen inside a known `Acme Holding`. */
export const byClaim = (a: Sought, b: Sought): number =>
  b.looked.length - a.looked.length || Number(b.reading.borders === 'strict') - Number(a.reading.borders === 'strict');

/** Mentions of every name (sorted `byClaim`) in a tidied text, in the order of the text. */
export const scan = (text: string, names: readonly Sought[]): Mention[] => {
  const lower = text.toLowerCase();
  const found: Mention[] = [];
  for (const sought of names) found.push(...mentionsOf(text, lower, sought, found));
  return found.sort((a, b) => a.start - b.start);
};

/** Whether two names mean the same to a reader. */
export const same = (a: string, b: string, exact: boolean): boolean => {
  const [left, right] = [bare(a), bare(b)];
  if (exact && (isMixedCase(left) || isMixedCase(right))) return left === right;
  const fold = (text: string) => (exact ? text : text.replace(/[\s_-]+/g, ' ')).toLowerCase();
  return fold(left) === fold(right);
};
