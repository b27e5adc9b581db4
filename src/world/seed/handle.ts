/** Keys that callers write: what people write for such a key, by its example, its name and its shape. No spaces, safe in a URL. */
import type { Column } from '../../artifacts/table.js';
import { LONGEST, languageOf } from '../../kit/language/language.js';
import type { Rng } from '../../kit/rng.js';
import type { SqlValue } from '../state/types.js';
import { phrasesData } from './data.js';
import { meetsPattern } from './pattern.js';
import type { Cell, Handle } from './types.js';

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
const FILE = /file|path|document_name/;
const ID = /(^|_)(id|uid|gid|sid|guid|uuid|oid)$/;

const code = (noun: string, r: Rng): string => {
  const head =
    slugOf(noun)
      .replace(/[aeiou ]/g, '')
      .slice(0, 3)
      .toUpperCase() || 'ID';
  return `${head}-${r.int(1_000, 9_999)}`;
};

const TOP = /^(com|net|org|io|dev|app|co|eu|de|uk)$/;
const isMixed = (part: string): boolean => part.length >= 8 && /\d/.test(part) && /[A-Za-z]{2}/.test(part);

/** Letters and digits as random as they seem: hex stays hex. */
const scrambled = (part: string, r: Rng): string => {
  const small = /[g-z]/.test(part) ? 'abcdefghjkmnpqrstvwxyz' : 'abcdef';
  return part.replace(/\d|[a-z]|[A-Z]/g, (char) =>
    /\d/.test(char) ? String(r.int(0, 9)) : r.pick([...(/[A-Z]/.test(char) ? 'ABCDEFGHJKMNPQRSTVWXYZ' : small)]),
  );
};

/** Another value of the example's form: words for words, digits for digits. */
const like = (example: string, r: Rng): string | undefined => {
  if (!SAFE.test(example)) return undefined;
  const parts = example.split(/([._~:@+-])/);
  if (parts.length >= 3 && TOP.test(parts.at(-1) as string)) return `${wordsOf(r).join('-')}.example`;
  const isNumbered = /\d/.test(example);
  const isKept = (part: string, at: number): boolean =>
    /\d/.test(part) || (isNumbered && (at === 0 || part.length <= 3));
  // One word alone is a noun.
  const wanted = parts.filter((part, at) => at % 2 === 0 && part !== '' && !isMixed(part) && !isKept(part, at)).length;
  let words: string[] = wordsOf(r).slice(wanted === 1 ? 1 : 0);
  const word = (): string => {
    if (words.length === 0) words = wordsOf(r);
    return words.shift() as string;
  };
  return parts
    .map((part, at) => {
      if (at % 2 === 1 || part === '') return part;
      if (isMixed(part)) return scrambled(part, r);
      // What stands beside a number says of what kind it is.
      if (isKept(part, at))
        return part.replace(/\d+/g, (run) => [...run].map((_, i) => String(r.int(i === 0 ? 1 : 0, 9))).join(''));
      const made = word();
      if (part !== part.toUpperCase()) return /^[A-Z]/.test(part) ? capital(made) : made;
      return part.length <= 5 ? made.slice(0, part.length).toUpperCase() : made.toUpperCase();
    })
    .join('');
};

/** Things of this name that the phrases know; of the others they would only say where or whose they are. */
const isKnown = ({ plan }: Handle): boolean => {
  const { names, titles } = phrasesData();
  const nouns = [plan.words, plan.noun, plan.noun.split(' ').at(-1) ?? ''];
  return (
    ['person', 'company', 'place', 'product'].includes(plan.kind) || nouns.some((one) => names[one] ?? titles[one])
  );
};

const fits = (text: string, { pattern, minLength = 1, maxLength = 120 }: Column): boolean =>
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
  // A revision's hash is of forty digits.
  if (typeof usual === 'string' && rule !== undefined && CODED.has(rule))
    yield rule === 'checksum' && /(^|_)sha$/.test(col.norm) ? usual.slice(0, 40) : usual;
  const words = wordsOf(r);
  const isSymbol = SYMBOL.test(col.norm);
  if (isSymbol) yield (words[1] as string).slice(0, 4).toUpperCase();
  if (CODE.test(col.norm)) yield code(h.plan.noun, r);
  if (ID.test(col.norm))
    yield Array.from({ length: 12 }, () => r.pick([...'0123456789abcdefghijklmnopqrstuvwxyz'])).join('');
  if (FILE.test(col.norm)) yield `${words.join('-')}.txt`;
  const named =
    typeof usual === 'string' && rule !== 'pair' && isKnown(h) ? slugOf(usual).split(' ').filter(Boolean) : [];
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
