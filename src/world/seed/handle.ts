/** Keys that callers write: what people write for such a key, by its example, its name and its shape. No spaces, safe in a URL. */
import type { Column } from '../../artifacts/table.js';
import { LONGEST, languageOf } from '../../kit/language/language.js';
import type { Rng } from '../../kit/rng.js';
import type { SqlValue } from '../state/types.js';
import { phrasesData } from './data.js';
import { meetsPattern } from './pattern.js';
import type { Cell } from './types.js';

const SAFE = /^[A-Za-z0-9._~:@+-]+$/;
/** Rules whose values are codes or names of machines already. */
const CODED = new Set(
  'sku serial code document_number reference tracking_number username email slug host network_address currency country language timezone phone iban tax_id checksum version external_id mime_type color postal_code'.split(
    ' ',
  ),
);

const slugOf = (text: string): string =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();

const wordsOf = (r: Rng): string[] => {
  const { handle_first: first = ['amber'], handle_second: second = ['otter'] } = phrasesData().lists;
  return [r.pick(first), r.pick(second)];
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Words as keys are written, the usual way first. */
const spelled = (words: readonly string[]): string[] => [
  words.join('-'),
  words.join('_'),
  words.join(''),
  words.map((word, at) => (at === 0 ? word : capital(word))).join(''),
  words.map(capital).join(''),
  words.map((word) => word.toUpperCase()).join('_'),
  words.map((word) => word.toUpperCase()).join('-'),
  words.map((word) => word.toUpperCase()).join(''),
  words.join('.'),
];

const CODE = /code|sku|ref|number|(^|_)no$/;
const SYMBOL = /symbol|ticker|currency|asset|pair/;

const code = (noun: string, r: Rng): string => {
  const head =
    slugOf(noun)
      .replace(/[aeiou ]/g, '')
      .slice(0, 3)
      .toUpperCase() || 'ID';
  return `${head}-${r.int(1_000, 9_999)}`;
};

/** Another value of the example's form: words for words, digits for digits. */
const like = (example: string, r: Rng): string | undefined => {
  if (!SAFE.test(example)) return undefined;
  const parts = example.split(/([._~:@+-])/);
  const isMixed = (part: string): boolean => part.length >= 8 && /\d/.test(part) && /[A-Za-z]/.test(part);
  const words: string[] = [];
  const word = (length: number): string => {
    if (words.length === 0) words.push(...wordsOf(r));
    const next = words.pop() as string;
    return length <= 4 ? next.slice(0, length) : next;
  };
  return parts
    .map((part, at) => {
      if (at % 2 === 1 || part === '') return part;
      if (isMixed(part))
        return part.replace(/\d|[a-f]|[a-z]|[A-Z]/g, (char) =>
          /\d/.test(char)
            ? String(r.int(0, 9))
            : /[A-Z]/.test(char)
              ? r.pick([...'ABCDEFGHJKMNPQRSTVWXYZ'])
              : r.pick([...(/[a-f]/.test(char) && !/[g-z]/.test(part) ? 'abcdef' : 'abcdefghjkmnpqrstvwxyz')]),
        );
      return part.replace(/[A-Za-z]+|\d+/g, (run, from: number) => {
        if (/\d/.test(run)) return [...run].map((_, i) => String(i === 0 ? r.int(1, 9) : r.int(0, 9))).join('');
        // Letters before digits say of what kind the number is.
        if (/\d/.test(example) && (at === 0 || from === 0) && run.length <= 8) return run;
        const made = word(run.length);
        return run === run.toUpperCase() ? made.toUpperCase() : /^[A-Z]/.test(run) ? capital(made) : made;
      });
    })
    .join('');
};

const fits = (text: string, { pattern, minLength = 1, maxLength = 60 }: Column): boolean =>
  text.length >= minLength && text.length <= maxLength && (pattern === undefined || meetsPattern(pattern, text));

/** One of the texts that the pattern leaves, where nobody's words fit. */
const anyOf = ({ pattern = '^[a-z0-9]*$', minLength = 1, maxLength = LONGEST }: Column, r: Rng): string | undefined => {
  const language = languageOf([pattern], minLength, maxLength);
  if (!language) return undefined;
  const lengths: number[] = [];
  for (let length = minLength; length <= Math.min(maxLength, LONGEST) && lengths.length < 8; length++)
    if (language.count(length) > 0n) lengths.push(length);
  // The first length that leaves a choice.
  const length = lengths.find((one) => language.count(one) > 1_000n) ?? lengths.at(-1);
  if (length === undefined) return undefined;
  const all = language.count(length);
  const rank = (BigInt(r.int(0, 2 ** 30)) << 30n) + BigInt(r.int(0, 2 ** 30 - 1));
  return language.nth(length, all > 2n ** 60n ? rank * (all / 2n ** 60n) : rank % all);
};

function* candidates(cell: Cell, usual: SqlValue | undefined, rule: string | undefined): Generator<string> {
  const { col, h, r } = cell;
  const { example, minLength = 1 } = col.column;
  if (example !== undefined) {
    const one = like(example, r);
    if (one !== undefined) yield one;
  }
  if (typeof usual === 'string' && rule !== undefined && CODED.has(rule)) yield usual;
  const words = wordsOf(r);
  const isSymbol = SYMBOL.test(col.norm);
  if (isSymbol) yield (words[1] as string).slice(0, 4).toUpperCase();
  if (CODE.test(col.norm)) yield code(h.plan.noun, r);
  const named = typeof usual === 'string' ? slugOf(usual).split(' ').filter(Boolean) : [];
  if (named.length > 0 && named.join('').length > 2) yield* spelled(named.slice(0, 5));
  const [first = 'amber', second = 'otter'] = words;
  yield* spelled(words);
  const number = String(r.int(10, 99));
  yield* spelled([second, number]);
  yield* spelled([first, second, number]);
  yield second;
  yield second.toUpperCase();
  yield second.slice(0, Math.max(2, col.column.maxLength ?? 4));
  // Digits alone, as many as are wanted.
  for (const length of [4, 6, 9, 12, minLength])
    if (length > 0 && length <= 15) yield String(r.int(10 ** (length - 1), 10 ** length - 1));
  for (let long = spelled(words)[0] as string; long.length <= 60; ) {
    long = `${long}-${wordsOf(r).join('-')}`;
    if (long.length >= minLength) {
      yield long;
      yield long.replaceAll('-', '');
      yield long.slice(0, Math.max(minLength, 20)).replace(/-$/, 'a');
    }
  }
}

/** `usual` is what the rule of the column's name makes. */
export const handleOf = (cell: Cell, usual: SqlValue | undefined, rule: string | undefined): SqlValue | undefined => {
  const { column } = cell.col;
  if (column.enum) return column.enum[(cell.h.meta.index - 1) % column.enum.length];
  for (const one of candidates(cell, usual, rule)) if (SAFE.test(one) && fits(one, column)) return one;
  return anyOf(column, cell.r);
};
