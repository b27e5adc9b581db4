/** Text of tools, models and users as a terminal may get it: it can show what was in it and do nothing. */

/** Controls, direction and line separators, and characters without a width, behind which text can hide. */
const STEERING =
  /[\p{Cc}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Cs}/gu;

/** C0 as its picture (`␛`), everything else that steers as U+FFFD; line breaks and tabs stay. `\r\n` is a line break. */
export const clean = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(STEERING, (found) => {
    if (found === '\n' || found === '\t') return found;
    const code = found.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? '\u2421' : '\ufffd';
  });

/** The same in one line. */
export const cleanLine = (text: string): string => clean(text.replace(/\s+/g, ' ').trim());

/** As `cleanLine`, at most so many characters. */
export const cleanShort = (text: string, most = 100): string => {
  const line = cleanLine(text);
  return line.length > most ? `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…` : line;
};
