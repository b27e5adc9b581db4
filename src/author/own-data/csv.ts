/** CSV as spreadsheets write it: quotes, line breaks in them, a byte order mark, commas, semicolons or tabs. */

export interface CsvRecord {
  /** 1-based line on which the record begins. */
  line: number;
  cells: string[];
}

export interface CsvText {
  records: CsvRecord[];
  /** Line on which a quote opens that nothing closes. */
  openQuote?: number;
}

const delimiterOf = (text: string): string => {
  const end = text.search(/[\r\n]/);
  const head = (end < 0 ? text : text.slice(0, end)).replace(/"[^"]*"/g, '');
  const counts = [',', ';', '\t'].map((mark) => [mark, head.split(mark).length] as const);
  return counts.sort((a, b) => b[1] - a[1])[0]?.[0] ?? ',';
};

/** Records in order, the header among them; wholly empty lines are skipped. Linear in the text's length. */
export const readCsv = (given: string): CsvText => {
  const text = given.replace(/^\uFEFF/, '');
  const mark = delimiterOf(text);
  const records: CsvRecord[] = [];
  let cells: string[] = [];
  let cell = '';
  let line = 1;
  let begins = 1;
  let at = 0;
  let quoted = false;
  const endRecord = (): void => {
    cells.push(quoted ? cell : cell.trim());
    if (cells.length > 1 || cells[0] !== '' || quoted) records.push({ line: begins, cells });
    [cells, cell, quoted] = [[], '', false];
  };
  while (at < text.length) {
    const c = text.charAt(at);
    if (c === '"' && cell.trim() === '' && !quoted) {
      const opened = line;
      [cell, quoted] = ['', true];
      for (at++; ; at++) {
        const close = text.indexOf('"', at);
        if (close < 0) return { records, openQuote: opened };
        const part = text.slice(at, close);
        for (let i = part.indexOf('\n'); i >= 0; i = part.indexOf('\n', i + 1)) line++;
        cell += part;
        at = close + 1;
        if (text.charAt(at) !== '"') break;
        cell += '"';
      }
    } else if (c === mark) {
      cells.push(quoted ? cell : cell.trim());
      [cell, quoted] = ['', false];
      at++;
    } else if (c === '\n' || c === '\r') {
      endRecord();
      at += c === '\r' && text.charAt(at + 1) === '\n' ? 2 : 1;
      begins = ++line;
    } else {
      cell += c;
      at++;
    }
  }
  if (cell !== '' || cells.length > 0 || quoted) endRecord();
  return { records };
};
