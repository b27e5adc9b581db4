/** The little English that sentences need. */
import { withArticle } from '../../kit/words.js';

/** `invoice` -> `an invoice`; `hourly rate` -> `an hourly rate` */
export const article = (noun: string): string =>
  /^(hour|honou?r|[FHLMNRSX][A-Z])/.test(noun)
    ? `an ${noun}`
    : /^(U[A-Z]|once)/.test(noun)
      ? `a ${noun}`
      : withArticle(noun);

/** Items as a list in a sentence: `a, b and c`. */
export const joined = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Columns whose values are names: said without quotes. */
const NAMES =
  /(^|_)(name|city|country|village|district|department|location|depot|place|centre|owner|brand|model|crop|merchant|buyer|recipient|phone|email|company|trade|zone|room)$/;

/** A text value as it stands in a sentence: quoted where it would run into it. */
export const quoted = (words: string, col: string): string =>
  /\s/.test(words) && !(NAMES.test(col) && !/[.?!;:]/.test(words)) && !/^“.*”$/.test(words) ? `“${words}”` : words;

/** Closes a sentence that may already end in a quoted stop. */
export const closed = (sentence: string, mark: '.' | '?' = '.'): string =>
  /[.?!]”?$/.test(sentence) ? sentence : `${sentence}${mark}`;
