/** Lines of a page that is broken at the terminal's width, with long values folded. */

const WIDTH = 110;

/** Breaks at spaces or commas where there are some, and where a word is longer than a line inside it. */
export const broken = (text: string, indent: number): string[] => {
  const room = Math.max(20, WIDTH - indent);
  const before = ' '.repeat(indent);
  return text.split('\n').flatMap((line) => {
    const out: string[] = [];
    let rest = line.replaceAll('\t', '  ');
    while (rest.length > room) {
      // JSON has few spaces and many commas.
      const at = [rest.lastIndexOf(' ', room), rest.lastIndexOf(',', room - 1) + 1].find((n) => n > room / 2) ?? room;
      // Not between the halves of one character.
      const cut = /[\ud800-\udbff]/.test(rest[at - 1] ?? '') ? at - 1 : at;
      out.push(before + rest.slice(0, cut));
      rest = rest.slice(cut).trimStart();
    }
    return [...out, (before + rest).trimEnd()];
  });
};

/** The first lines of a long text and how much is left out; all of it where `most` is absent. */
export const folded = (text: string, indent: number, most: number | undefined): string[] => {
  const all = broken(text, indent);
  if (most === undefined || all.length <= most + 1) return all;
  const left = all.length - most;
  return [...all.slice(0, most), `${' '.repeat(indent)}… ${left.toLocaleString('en')} more lines (--full)`];
};
