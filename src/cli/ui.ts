/** What a person at a terminal sees: progress on stderr, results on stdout, colour only where there is a terminal. */
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

const isTerminal = (stream: NodeJS.WriteStream): boolean => stream.isTTY === true && process.env.TERM !== 'dumb';
const coloured = (stream: NodeJS.WriteStream): boolean => isTerminal(stream) && !process.env.NO_COLOR;

/** The line that progress overwrites is the process's, not a Ui's: whoever writes next clears it. */
let isLineOpen = false;
const clearLine = (): void => {
  if (isLineOpen) process.stderr.write('\r\u001b[K');
  isLineOpen = false;
};

/** Colour, if the stream takes it. */
export const styled = (stream: NodeJS.WriteStream, kind: Style, text: string): string =>
  coloured(stream) ? styleText(kind, text, { validateStream: false }) : text;

/** A colour sequence whole, or a control or direction character alone. */
const CONTROLS = /\p{Cc}\[[\d;]*m|[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Text as it may be printed: what came from a brief or a document must not steer the terminal. Our own colours stay. */
export const printable = (stream: NodeJS.WriteStream, text: string): string =>
  text.replace(CONTROLS, (found) => {
    if (found === '\n' || found === '\t') return found;
    return found.startsWith('\u001b[') && coloured(stream) ? found : '\ufffd';
  });

/** JSON escapes the controls below a space; those above and what turns a line's direction are the same text as references. */
const escaped = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

export interface Ui {
  /** Machine-readable output was asked for: nothing but one JSON value goes to stdout. */
  json: boolean;
  /** A line of progress; overwrites itself on a terminal and is not shown elsewhere. */
  progress(line: string): void;
  /** A finished step, kept on the screen. */
  step(line: string): void;
  /** A line of the result. */
  say(line: string): void;
  /** The result as data, when `json`. */
  give(value: unknown): void;
  style(style: Style, text: string): string;
}

export const makeUi = (json: boolean, quiet = false): Ui => ({
  json,
  progress: (line) => {
    if (quiet || !isTerminal(process.stderr)) return;
    const width = Math.max(20, (process.stderr.columns ?? 100) - 1);
    process.stderr.write(`\r\u001b[K${printable(process.stderr, line.replace(/\s+/g, ' ')).slice(0, width)}`);
    isLineOpen = true;
  },
  step: (line) => {
    clearLine();
    if (!quiet) process.stderr.write(`${printable(process.stderr, line)}\n`);
  },
  say: (line) => {
    clearLine();
    if (!json && !quiet) process.stdout.write(`${printable(process.stdout, line)}\n`);
  },
  give: (value) => {
    clearLine();
    if (json) process.stdout.write(`${escaped(JSON.stringify(value, null, 1))}\n`);
  },
  style: (kind, text) => styled(process.stdout, kind, text),
});

/** A line on stderr that no `quiet` keeps back. */
export const warn = (line: string): void => {
  clearLine();
  process.stderr.write(`${printable(process.stderr, line)}\n`);
};
