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
const WORD = '(?:(?![\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}])[\\p{L}\\p{N}_])';
const STRICT = { before: `(?<!${WORD}|${WORD}[-./@])`, after: `(?!${WORD}|[-./@]${WORD})` };
const LOOSE = { before: `(?<!${WORD}|${WORD}-)`, after: `(?!${WORD}|-${WORD})` };

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

const patternOf = (name: string, reading: Reading): RegExp => {
  const words = reading.exact ? [name] : name.split(/[\s_-]+/).filter(Boolean);
  const body = words.map((word) => escaped(word).replaceAll(' ', '\\s+')).join('[\\s_-]*') || escaped(name);
  const borders = reading.borders === 'strict' ? STRICT : LOOSE;
  const flags = reading.exact && isMixedCase(name) ? 'gu' : 'giu';
  return new RegExp(borders.before + body + borders.after, flags);
};

/** All places where `name` stands in `text` (both tidied) and nothing before it has claimed. */
export const mentionsOf = (text: string, name: string, reading: Reading, claimed: readonly Span[] = []): Mention[] => {
  const looked = bare(name);
  const [first = looked] = looked.split(/[\s_-]+/).filter(Boolean);
  // Most candidates are not in the answer at all, and building a pattern costs more than looking.
  if (looked === '' || !text.toLowerCase().includes(first.toLowerCase())) return [];
  const found: Mention[] = [];
  for (const match of text.matchAll(patternOf(looked, reading))) {
    const span = { start: match.index, end: match.index + match[0].length };
    if (!claimed.some((other) => other.start < span.end && span.start < other.end)) found.push({ ...span, name });
  }
  return found;
};

/**
 * Mentions of every name, longest first, so that `Acme` is not seen inside `Acme Holding` where both are known. `strict` names
 * are read with strict borders, the others loosely.
 */
export const scan = (
  text: string,
  names: readonly string[],
  strict: ReadonlySet<string>,
  exact: boolean,
): Mention[] => {
  const ordered = [...new Set(names)].sort(
    (a, b) => b.length - a.length || Number(strict.has(b)) - Number(strict.has(a)),
  );
  const found: Mention[] = [];
  for (const name of ordered) {
    const borders = strict.has(name) ? 'strict' : 'loose';
    found.push(...mentionsOf(text, name, { exact, borders }, found));
  }
  return found.sort((a, b) => a.start - b.start);
};

/** Whether two names mean the same to a reader. */
export const same = (a: string, b: string, exact: boolean): boolean => {
  const [left, right] = [bare(a), bare(b)];
  if (exact && (isMixedCase(left) || isMixedCase(right))) return left === right;
  const fold = (text: string) => (exact ? text : text.replace(/[\s_-]+/g, ' ')).toLowerCase();
  return fold(left) === fold(right);
};
