/** Whether a text says something: whole words, in any case. */

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[“”"’']/g, "'")
    .replace(/\s+/g, ' ');

const isPart = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}]/u.test(character);

/** `says('Void INV-1, please.', 'inv-1')`; `INV-1` is not in `INV-10`, nor 5 in 1.5 or 5,000. */
export const says = (text: string, words: string): boolean => {
  const [where, what] = [plain(text), plain(words)];
  if (what === '') return true;
  const isFigure = /\d/.test(what.at(-1) ?? '') || /\d/.test(what[0] ?? '');
  for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, at + 1)) {
    const [before, after] = [where[at - 1], where[at + what.length]];
    const goesOn = isFigure && /^[.,]\d/.test(where.slice(at + what.length));
    const comesOn = isFigure && /\d[.,]$/.test(where.slice(0, at));
    const isWhole = !(isPart(before) && isPart(what[0])) && !(isPart(after) && isPart(what.at(-1)));
    if (isWhole && !goesOn && !comesOn) return true;
  }
  return false;
};
