/** A YAML page that knows in which line each of its values stands. */
import { isNode, LineCounter, parseDocument } from 'yaml';
import { TreadleError } from '../../errors.js';

export type Path = readonly (string | number)[];

const MOST = 1024 * 1024;

export class Page {
  readonly file: string;
  readonly value: unknown;
  readonly #text: string;
  readonly #lineOf: (path: Path) => number;

  private constructor(file: string, text: string, value: unknown, lineOf: (path: Path) => number) {
    this.file = file;
    this.#text = text;
    this.value = value;
    this.#lineOf = lineOf;
  }

  /** Reads one YAML document. Throws `bad_task` with the line where it is broken. */
  static read(file: string, text: string): Page {
    const refuse = (line: number, why: string, value: unknown): TreadleError =>
      new TreadleError({ code: 'bad_task', message: `${file} line ${line}: ${why}`, value, next: 'Correct the YAML.' });
    if (text.length > MOST) throw refuse(1, `a task has at most ${MOST} characters`, text.length);
    const lines = new LineCounter();
    const document = parseDocument(text.replace(/^\uFEFF/, ''), { lineCounter: lines, logLevel: 'error' });
    const [error] = document.errors;
    if (error) {
      const [message = ''] = error.message.replace(/ at line \d+, column \d+:?/, '').split('\n');
      const line = lines.linePos(error.pos[0]).line;
      throw refuse(line, message, text.split('\n')[line - 1]?.trim() ?? '');
    }
    let value: unknown;
    try {
      value = document.toJS({ maxAliasCount: 20 });
    } catch (thrown) {
      throw refuse(1, thrown instanceof Error ? thrown.message : String(thrown), file);
    }
    const lineOf = (path: Path): number => {
      for (let length = path.length; length > 0; length--) {
        const node = document.getIn(path.slice(0, length), true);
        if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
      }
      return 1;
    };
    return new Page(file, text, value, lineOf);
  }

  /** Line of the value at a path; of the nearest one around it where it is not there. */
  line(path: Path): number {
    return this.#lineOf(path);
  }

  /** The line of `text` in the value at a path, which may span several. */
  lineWith(path: Path, text: string): number {
    const from = this.line(path);
    const at = this.#text
      .split('\n')
      .slice(from - 1)
      .findIndex((line) => line.toLowerCase().includes(text.toLowerCase()));
    return at < 0 ? from : from + at;
  }

  /** Why the page is refused, with the line. */
  refusal(path: Path, why: string, value: unknown, next: string, line = this.line(path)): TreadleError {
    return new TreadleError({ code: 'bad_task', message: `${this.file} line ${line}: ${why}`, value, next });
  }
}
