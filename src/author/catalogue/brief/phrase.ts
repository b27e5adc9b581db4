/** Phrases of the cue files: compiled once, found in a brief's tokens. */
import { singular } from '../../../kit/words.js';
import { type BriefText, fold } from './text.js';

interface Part {
  word: string;
  one: string;
  prefix: boolean;
  /** `*verleih`: the end of a longer word; with `prefix` too, its middle. */
  suffix: boolean;
  gap: boolean;
}
export interface Phrase {
  text: string;
  parts: Part[];
  /** Scripts without spaces between words are searched as they stand. */
  solid: boolean;
}
export interface Found {
  phrase: string;
  /** Index of the first and after the last token; equal for a solid phrase. */
  from: number;
  to: number;
}

const SOLID = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]/u;
const WORDS = /\*?[\p{L}\p{M}\p{N}]+\*?|\*|[$£€¥₹₺₩₦₫฿₴₪₡₱]/gu;
const cache = new Map<string, Phrase>();

export const phraseOf = (text: string): Phrase => {
  const known = cache.get(text);
  if (known) return known;
  const words = [...fold(text).matchAll(WORDS)].map(([word]) => word);
  const parts = words.map((word) => {
    const bare = word.replaceAll('*', '');
    return {
      word: bare,
      one: /^[a-z]{4,}$/.test(bare) ? singular(bare) : bare,
      prefix: word.length > 1 && word.endsWith('*'),
      suffix: word.length > 1 && word.startsWith('*'),
      gap: word === '*',
    };
  });
  const phrase = { text, parts, solid: SOLID.test(text) };
  cache.set(text, phrase);
  return phrase;
};

const fits = (part: Part, word: string, one: string): boolean => {
  if (part.prefix && part.suffix) return word.includes(part.word);
  if (part.suffix) return word.endsWith(part.word);
  return part.prefix ? word.startsWith(part.word) : word === part.word || one === part.one;
};

const matchFrom = (brief: BriefText, parts: readonly Part[], part: number, token: number): number | undefined => {
  if (part === parts.length) return token;
  const next = parts[part];
  const here = brief.tokens[token];
  if (!next || !here) return undefined;
  if (next.gap) {
    for (let skip = 0; skip <= 3; skip++) {
      const end = matchFrom(brief, parts, part + 1, token + skip);
      if (end !== undefined) return end;
    }
    return undefined;
  }
  if (part > 0 && here.start) return undefined;
  return fits(next, here.word, here.one) || here.alts?.some((alt) => fits(next, alt, alt))
    ? matchFrom(brief, parts, part + 1, token + 1)
    : undefined;
};

const starts = (brief: BriefText, first: Part): number[] => {
  if (!first.prefix && !first.suffix) {
    const exact = brief.at.get(first.word) ?? [];
    const same = first.one === first.word ? [] : (brief.at.get(first.one) ?? []);
    return [...new Set([...exact, ...same])].sort((a, b) => a - b);
  }
  const out: number[] = [];
  const candidates = first.suffix ? brief.at.keys() : (brief.byLetter.get(first.word.charAt(0)) ?? []);
  for (const word of candidates) if (fits(first, word, word)) out.push(...(brief.at.get(word) ?? []));
  return [...new Set(out)].sort((a, b) => a - b);
};

/** Every place where a phrase stands in a brief; phrases never cross the end of a sentence. */
export const findPhrase = (brief: BriefText, text: string): Found[] => {
  const phrase = phraseOf(text);
  if (phrase.solid) {
    const needle = fold(text).replaceAll('*', '');
    return brief.folded.includes(needle) ? [{ phrase: text, from: 0, to: 0 }] : [];
  }
  const [first] = phrase.parts;
  if (!first) return [];
  return starts(brief, first).flatMap((from) => {
    const to = matchFrom(brief, phrase.parts, 0, from);
    return to === undefined ? [] : [{ phrase: text, from, to }];
  });
};

export const hasPhrase = (brief: BriefText, text: string): boolean => findPhrase(brief, text).length > 0;

/** Whether one of `texts` ends right before token `at` (a gap of `slack` words allowed). */
export const precededBy = (brief: BriefText, at: number, texts: readonly string[], slack = 0): string | undefined =>
  texts.find((text) => findPhrase(brief, text).some(({ to }) => to <= at && to >= at - slack));

/** `wedding cakes` are cakes: the singular of a cue in the plural, right before another noun, only says what kind. */
export const modifies = (brief: BriefText, text: string): boolean =>
  /^[a-z]{4,}s$/.test(text) &&
  findPhrase(brief, text).every(({ from, to }) => {
    const here = brief.tokens[from];
    const next = brief.tokens[to];
    return (
      to - from === 1 &&
      here?.word !== text &&
      here?.one === here?.word &&
      next !== undefined &&
      !next.start &&
      !next.pause &&
      /^[a-z]{4,}s$/.test(next.word)
    );
  });
