/** Numbers in an answer: what is one, what it says, and what only looks like one (dates, ids, times, list marks). */
import { datesIn } from './answer-date.js';
import type { Span } from './answer-text.js';

export interface FoundNumber extends Span {
  /** The digits with their separators, without sign and unit. */
  digits: string;
  negative: boolean;
  /** By English reading: comma groups, dot decimals; groups of three after blanks or apostrophes; `1.284,50` and `1,5` as meant. */
  value: number;
  percent: boolean;
  /** Plainly context: a year. It may be the answer but is no second answer. */
  aside: boolean;
}

const blank = (text: string, pattern: RegExp): string => text.replace(pattern, (hit) => ' '.repeat(hit.length));
const CODE = new Set(Intl.supportedValuesOf('currency'));

const GROUPED = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?|^\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?/;
const DOTTED = /^\d{1,3}(?:\.\d{3})+,\d+|^\d{1,3}(?:\.\d{3}){2,}/;
const SPACED = /^\d{1,3}(?:[' ]\d{3})+(?:[.,]\d+)?/;
const PLAIN = /^\d+(?:\.\d+|,\d+(?!,?\d))?/;

/** The text with everything blanked out whose digits are no number; offsets stay. */
export const withoutContext = (text: string): string => {
  let left = text;
  for (const date of datesIn(text))
    left = left.slice(0, date.start) + ' '.repeat(date.end - date.start) + left.slice(date.end);
  left = blank(left, /\b(?:https?:\/\/|www\.)\S+/gi);
  left = blank(left, /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g);
  left = blank(left, /(?<!\d)\d{1,2}:\d{2}(?::\d{2})?(?!\d)/g);
  left = blank(left, /(?<![\d.,])\d+(?:st|nd|rd|th)\b/gi);
  // Letters, then digits: an id (INV-100, cus_9A, Q3), unless the letters are a currency.
  left = left.replace(
    /(?<![\p{L}\p{N}_])([\p{L}_][\p{L}_]*)[-/#._]?\d[\p{L}\p{N}_]*(?:[-/][\p{L}\p{N}_]+)*/gu,
    (hit, letters: string) =>
      CODE.has(letters.toUpperCase()) && /^\p{L}{3}-?[\d]/u.test(hit) ? hit : ' '.repeat(hit.length),
  );
  // Digits, letters, digits: a uuid or a hex id.
  left = blank(left, /(?<![\p{L}\p{N}_])\d[\p{L}\p{N}_-]*\p{L}[\p{L}\p{N}_-]*\d[\p{L}\p{N}_-]*/gu);
  left = blank(left, /#\d+\b/g);
  left = left.replace(/(?<![\d.,])\d+(?:\.\d+){2,}(?!\d)/g, (hit) =>
    DOTTED.exec(hit)?.[0] === hit ? hit : ' '.repeat(hit.length),
  );
  const marks = /^[ \t]*\(?\d{1,3}[.)][ \t]+(?=\S)/gm;
  if ((left.match(marks) ?? []).length >= 2) left = blank(left, marks);
  return left;
};

/** The longest number at the start of `text`, as written; it ends where neither a digit nor a further group follows. */
const numeralAt = (text: string, afterComma: boolean): string => {
  if (afterComma) return /^\d+(?:\.\d+)?/.exec(text)?.[0] ?? '';
  for (const form of [GROUPED, DOTTED, SPACED]) {
    const hit = form.exec(text)?.[0];
    if (hit && !/^\d|^[.,]\d/.test(text.slice(hit.length))) return hit;
  }
  return PLAIN.exec(text)?.[0] ?? /^\d+/.exec(text)?.[0] ?? '';
};

const readDigits = (digits: string): number => {
  if (GROUPED.exec(digits)?.[0] === digits) return Number(digits.replaceAll(',', ''));
  if (DOTTED.exec(digits)?.[0] === digits) return Number(digits.replaceAll('.', '').replace(',', '.'));
  return Number(digits.replace(/[' ]/g, '').replace(',', '.'));
};

const SCALE: Record<string, number> = { k: 1e3, m: 1e6, bn: 1e9 };

/** All numbers of a tidied text that stand for themselves. */
export const numbersIn = (text: string): FoundNumber[] => {
  const left = withoutContext(text);
  const found: FoundNumber[] = [];
  for (let at = left.search(/\d/); at >= 0 && at < left.length; ) {
    const digits = numeralAt(left.slice(at, at + 64), /\d,$/.test(left.slice(Math.max(0, at - 2), at)));
    const end = at + digits.length;
    const before = left.slice(Math.max(0, at - 12), at);
    const after = left.slice(end, end + 4);
    const scale = SCALE[/^(k|m|bn)\b/i.exec(after)?.[1]?.toLowerCase() ?? ''] ?? 1;
    found.push({
      start: at,
      end,
      digits,
      negative: /(?:^|[\s(:=€$£¥₹])-(?:[€$£¥₹]|[A-Z]{3})?\s?$/.test(before),
      value: readDigits(digits) * scale,
      percent: /^\s?(?:%|percent)/.test(left.slice(end, end + 9)),
      aside: /^(?:19|20)\d{2}$/.test(digits) && /\b(?:in|since|during|year|of|fy|until|from)\s*$/i.test(before),
    });
    const next = left.slice(end).search(/\d/);
    at = next < 0 ? -1 : end + next;
  }
  return found.map((number) => (number.negative ? { ...number, value: -number.value } : number));
};

const UNITS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const WORDS = new RegExp(
  `\\b(?:(${TENS.join('|')})(?:[- ](${UNITS.slice(1, 10).join('|')}))?|(${UNITS.join('|')}|none))\\b`,
  'gi',
);

/** Numbers written as words, zero to ninety-nine. */
export const wordNumbersIn = (text: string): (Span & { value: number })[] =>
  [...text.matchAll(WORDS)].map((match) => {
    const [hit, ten, unit, small] = match;
    const word = small?.toLowerCase();
    const value = ten
      ? (TENS.indexOf(ten.toLowerCase()) + 2) * 10 + (unit ? UNITS.indexOf(unit.toLowerCase()) : 0)
      : word === 'none'
        ? 0
        : UNITS.indexOf(word ?? 'zero');
    return { start: match.index, end: match.index + hit.length, value };
  });
