/** What a person at a terminal sees: progress on stderr, results on stdout, colour only where there is a terminal. */
import { styleText } from 'node:util';
import { TreadleError } from '../errors.js';

type Style = Parameters<typeof styleText>[0];

const coloured = (stream: NodeJS.WriteStream): boolean =>
  stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';

export interface Ui {
  /** Machine-readable output was asked for: nothing but one JSON value goes to stdout. */
  json: boolean;
  /** A line of progress; overwrites itself on a terminal. */
  progress(line: string): void;
  /** A finished step, kept on the screen. */
  step(line: string): void;
  /** A line of the result. */
  say(line: string): void;
  /** The result as data, when `json`. */
  give(value: unknown): void;
  style(style: Style, text: string): string;
}

export const makeUi = (json: boolean, quiet = false): Ui => {
  const live = coloured(process.stderr);
  let open = false;
  const close = (): void => {
    if (open) process.stderr.write('\r\u001b[K');
    open = false;
  };
  const style = (kind: Style, text: string): string =>
    coloured(process.stdout) ? styleText(kind, text, { validateStream: false }) : text;
  return {
    json,
    progress: (line) => {
      if (quiet || !live) return;
      process.stderr.write(`\r\u001b[K${line.slice(0, (process.stderr.columns ?? 100) - 1)}`);
      open = true;
    },
    step: (line) => {
      close();
      if (!quiet) process.stderr.write(`${line}\n`);
    },
    say: (line) => {
      close();
      if (!json) process.stdout.write(`${line}\n`);
    },
    give: (value) => {
      close();
      if (json) process.stdout.write(`${JSON.stringify(value, null, 1)}\n`);
    },
    style,
  };
};

/** Exit status: 1 the work was done and failed, 2 the input was at fault, 70 a defect of ours. */
export const exitStatusOf = (error: TreadleError): number =>
  error.code === 'unexpected' || error.fault === 'world' || error.fault === 'verifier' ? 70 : 2;

/** Prints an error in one line (or as JSON) and sets the exit status. */
export const fail = (error: TreadleError, json: boolean): void => {
  if (json) process.stdout.write(`${JSON.stringify({ error })}\n`);
  const red = coloured(process.stderr) ? styleText('red', 'error', { validateStream: false }) : 'error';
  process.stderr.write(`${coloured(process.stderr) ? '\r\u001b[K' : ''}${red} ${error.code}: ${error.line()}\n`);
  if (process.env.TREADLE_DEBUG && error.cause instanceof Error) process.stderr.write(`${error.cause.stack}\n`);
  process.exitCode = exitStatusOf(error);
};

/** A positive whole number of an option; throws `bad_option`. */
export const wholeNumber =
  (option: string, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= 1 && value <= most) return value;
    throw new TreadleError({
      code: 'bad_option',
      message: `${option} takes a whole number from 1 to ${most}`,
      value: text,
      next: `Give for example ${option} 3.`,
    });
  };
