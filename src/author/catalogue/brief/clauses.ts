/** The statements of a brief: sentences, cut at commas where both sides can stand for themselves. */
import { fold, singularOf } from './text.js';

export interface Clause {
  /** As typed, trimmed. */
  text: string;
  /** Folded words without the frequent ones, in the singular. */
  words: string[];
}

const FREQUENT = new Set(
  'without only though also the a an and or of to we is are for with in our that have has must it be this not can from who all at on they i my us you your their its as by but so if when then them he she his her was were will would there some any also just very than into out up per no yes do does did don dont need want wants needs like get gets us one every each und der die das ein eine wir mit fur im in von le la les des une et avec pour dans el los las de del una un con para que se y e o da do os as com em na no'.split(
    ' ',
  ),
);
const MOST_TEXT = 160;
const MOST_CLAUSES = 80;

/** Content words of a text. */
export const contentWords = (text: string): string[] =>
  [...fold(text).matchAll(/[\p{L}\p{M}\p{N}]+/gu)]
    .map(([word]) => singularOf(word))
    .filter((word) => !FREQUENT.has(word) && (word.length > 1 || /\d/.test(word)));

/** Splits a text; a comma parts only what has two words of content on both sides, and never a number. */
export const clausesOf = (text: string): Clause[] =>
  text
    .replace(/\b(st|mt|dr|approx|ca|no|e\.g|i\.e)\.\s/gi, '$1 ')
    .split(/(?<=[.!?;。])\s+|\n+|(?<=[!?;。])/u)
    .flatMap((sentence) => sentence.split(/,\s+(?=\S+\s+\S+)|\s[-–]\s|:\s+(?=\S+\s+\S+\s)|\s\+\s/u))
    .map((part) => part.trim().replace(/[.,;:!?]+$/, ''))
    .map((part) => ({ text: part.slice(0, MOST_TEXT), words: contentWords(part) }))
    .filter(({ words }) => words.length > 0)
    .slice(0, MOST_CLAUSES);
