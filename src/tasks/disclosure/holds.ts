/** Whether a text says something: whole words, in any case. */

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[“”"’']/g, "'")
    .replace(/\s+/g, ' ');

const isPart = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}]/u.test(character);

const LEAD = 60;

/** What stands before the words, each time a text says them. `INV-1` is not in `INV-10`, nor 5 in 1.5 or 5,000. */
export const leadsTo = (text: string, words: string): string[] => {
  const [where, what] = [plain(text), plain(words)];
  const out: string[] = [];
  if (what === '') return out;
  const isFigure = /\d/.test(what.at(-1) ?? '') || /\d/.test(what[0] ?? '');
  for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, at + 1)) {
    const [before, after] = [where[at - 1], where[at + what.length]];
    const goesOn = isFigure && /^[.,]\d/.test(where.slice(at + what.length, at + what.length + 2));
    const comesOn = isFigure && /\d[.,]$/.test(where.slice(Math.max(0, at - 2), at));
    const isWhole = !(isPart(before) && isPart(what[0])) && !(isPart(after) && isPart(what.at(-1)));
    if (isWhole && !goesOn && !comesOn) out.push(where.slice(Math.max(0, at - LEAD), at));
  }
  return out;
};

/** `says('Void INV-1, please.', 'inv-1')` */
export const says = (text: string, words: string): boolean => words.trim() === '' || leadsTo(text, words).length > 0;

const pieces = (text: string): string[] =>
  plain(text)
    .match(/\p{L}+|\d+(?:[.,:/-]\d+)*/gu)
    ?.map((piece) => piece.replace(/^0+(?=\d)/, '')) ?? [];

/** The same figure with the same words around it in another order: `24.00 EUR` for `EUR 24.00`, `May 5, 2026` for `5 May 2026`. */
export const saysInOtherOrder = (text: string, words: string): boolean => {
  const wanted = pieces(words).sort();
  if (wanted.length < 2 || wanted.length > 4 || !/\d/.test(words)) return false;
  const said = pieces(text);
  const key = wanted.join(' ');
  return said.some(
    (_, at) =>
      said
        .slice(at, at + wanted.length)
        .sort()
        .join(' ') === key,
  );
};
