/**
 * Text that looks like a control token (a tool result with `<|im_end|>` in it) must not become one: it would end a turn in the
 * training data that nobody ended. Before rendering, a mark goes behind the first character of each such text; after it the text
 * is cut at the marks and each piece is encoded by itself, so that no piece holds a whole one. The ids decode to the text as it was.
 */
import type { Tokenizer } from '@huggingface/tokenizers';

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

export interface Guard {
  mark: string;
  /** The value with marks in all of its texts; keys too. */
  guarded<T>(value: T): T;
  hits: number;
}

/** A character of the private use areas that the text does not hold. */
const unused = (text: string): string => {
  for (let code = 0xe000; code < 0xf8ff; code++) {
    const mark = String.fromCharCode(code);
    if (!text.includes(mark)) return mark;
  }
  throw new Error('the text holds every private use character');
};

/** `text` is everything that will be guarded, as one text. */
export const guardFor = (control: readonly string[], text: string): Guard => {
  const mark = unused(text);
  // A token of one character cannot be taken apart; such tokens are no tags.
  const tokens = control.filter((token) => token.length > 1).map(escaped);
  const starts = tokens.length > 0 ? new RegExp(`(?=${tokens.join('|')})[\\s\\S]`, 'g') : undefined;
  const guard: Guard = {
    mark,
    hits: 0,
    guarded: <T>(value: T): T => {
      const on = (one: unknown): unknown => {
        if (typeof one === 'string')
          return starts
            ? one.replace(starts, (first) => {
                guard.hits++;
                return first + mark;
              })
            : one;
        if (Array.isArray(one)) return one.map(on);
        if (one === null || typeof one !== 'object') return one;
        return Object.fromEntries(Object.entries(one).map(([key, inner]) => [on(key), on(inner)]));
      };
      return on(value) as T;
    },
  };
  return guard;
};

export const withoutMarks = (text: string, mark: string): string => text.replaceAll(mark, '');

/** Ids of a rendered text, cut at its marks. */
export const encode = (tokenizer: Tokenizer, text: string, mark: string): number[] =>
  text
    .split(mark)
    .filter((piece) => piece !== '')
    .flatMap((piece) => tokenizer.encode(piece, { add_special_tokens: false }).ids);

/** The text of ids, control tokens as they are written. */
export const decode = (tokenizer: Tokenizer, ids: readonly number[]): string =>
  ids.length === 0
    ? ''
    : tokenizer.decode([...ids], { skip_special_tokens: false, clean_up_tokenization_spaces: false });
