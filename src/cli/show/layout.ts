/** Lines of a page in the terminal: headings, and text that is broken at the width. */

export interface Section {
  title: string;
  lines: string[];
}

const WIDTH = 110;

/** Breaks a text at spaces; what follows the first line hangs by `hang` more. Longer words stay whole. */
export const wrapped = (text: string, indent = 2, hang = 0): string[] =>
  text.split('\n').flatMap((line) => {
    const out: string[] = [];
    let at = ' '.repeat(indent);
    let isEmpty = true;
    for (const word of line.split(' ')) {
      if (!isEmpty && at.length + 1 + word.length > WIDTH) {
        out.push(at);
        at = ' '.repeat(indent + hang);
        isEmpty = true;
      }
      at += isEmpty ? word : ` ${word}`;
      isEmpty = false;
    }
    return [...out, at.trimEnd()];
  });

/** `name   text`, the text broken and hanging behind the name. */
export const entry = (name: string, text: string, width: number, indent = 2): string[] => {
  const [first = '', ...rest] = wrapped(text, indent + width, 0);
  return [`${' '.repeat(indent)}${name.padEnd(width)}${first.trimStart()}`, ...rest];
};

/** Entries whose names stand in one column. */
export const entries = (items: readonly (readonly [string, string])[], indent = 2): string[] => {
  const width = Math.max(0, ...items.map(([name]) => name.length)) + 2;
  return items.flatMap(([name, text]) => entry(name, text, width, indent));
};
