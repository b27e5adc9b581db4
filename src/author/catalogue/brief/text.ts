/** A brief as tokens: folded to lower case without accents, sentence ends kept, so that cues of many languages can be found. */
import { singular } from '../../../kit/words.js';

/** Characters of a brief that are considered; what comes after is left out, and said. */
export const MAX_CONSIDERED = 12_000;

const LETTERS: Record<string, string> = { ł: 'l', ø: 'o', đ: 'd', ı: 'i', æ: 'ae', œ: 'oe', ß: 'ss', þ: 'th', ð: 'd' };

/** Lower case, compatibility forms folded, accents of Latin letters dropped. */
export const fold = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/(?<=[a-z])[\u0300-\u036f]+/g, '')
    .normalize('NFC')
    .replace(/[łøđıæœßþð]/g, (letter) => LETTERS[letter] ?? letter)
    .replace(/['’`´]/g, '');

export interface Token {
  word: string;
  one: string;
  /** A sentence or list item ends before this token. */
  start: boolean;
  /** A comma or bracket stands before it. */
  pause?: boolean;
  /** Said not to be: `no payroll` refuses, `not a farm` denies. */
  denied?: 'refused' | 'denied';
  /** Other words it may be meant as: a correction, a translation. */
  alts?: string[];
  /** Of a word that was added for another one: where that one stands. */
  origin?: number;
}

export interface BriefText {
  /** What the user typed, cut to what is considered. */
  raw: string;
  folded: string;
  tokens: Token[];
  /** Positions of each word. */
  at: Map<string, number[]>;
  /** The different words by their first letter, for cues that match a beginning. */
  byLetter: Map<string, string[]>;
  truncated: boolean;
}

const TOKEN = /[\p{L}\p{M}\p{N}]+|[$£€¥₹₺₩₦₫฿₴₪₡₱]|[.!?;\n。]+|[,:()、，]/gu;

export const singularOf = (word: string): string => (/^[a-z]{4,}$/.test(word) ? singular(word) : word);

const SUFFIXED = /(\p{L}{3,})['’](?:[dt][ea]n?|[dt][ea]ki|n?[iıuü]n|y[ea])(?!\p{L})/gu;

export const readText = (text: string): BriefText => {
  const truncated = text.length > MAX_CONSIDERED;
  const raw = truncated ? text.slice(0, MAX_CONSIDERED).replace(/[\ud800-\udbff]$/, '') : text;
  // `St. Gallen` ends no sentence; `İzmir'de` is a place with its ending.
  const folded = fold(raw.replace(SUFFIXED, '$1 ')).replace(/\b(st|mt|ft|sta|ste)\. ?/g, '$1 ');
  const tokens: Token[] = [];
  let start = true;
  let pause = false;
  for (const [word] of folded.matchAll(TOKEN)) {
    if (/^[.!?;\n。]+$/.test(word)) start = true;
    else if (/^[,:()、，]$/.test(word)) pause = true;
    else {
      tokens.push({ word, one: singularOf(word), start, ...(pause ? { pause } : {}) });
      start = false;
      pause = false;
    }
  }
  return indexed({ raw, folded, tokens, at: new Map(), byLetter: new Map(), truncated });
};

/** Fills the index of words, alternatives included. */
export const indexed = (brief: BriefText): BriefText => {
  const at = new Map<string, number[]>();
  brief.tokens.forEach(({ word, one, alts = [] }, i) => {
    for (const key of new Set([word, one, ...alts])) {
      const list = at.get(key);
      if (list) list.push(i);
      else at.set(key, [i]);
    }
  });
  const byLetter = new Map<string, string[]>();
  for (const word of at.keys()) byLetter.set(word.charAt(0), [...(byLetter.get(word.charAt(0)) ?? []), word]);
  return { ...brief, at, byLetter };
};
