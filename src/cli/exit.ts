/** How a command ends: one line of error, one exit status. */
import { asTreadleError, type TreadleError } from '../errors.js';
import { styled, warn } from './ui.js';

export const EXIT = { done: 0, failed: 1, input: 2, defect: 70, interrupted: 130 } as const;

/** 2 where what was given or the surroundings (disk, network) are at fault, 70 for a defect of ours. */
export const exitStatusOf = (error: TreadleError): number => {
  if (error.code === 'interrupted') return EXIT.interrupted;
  return error.code === 'unexpected' || error.fault === 'world' || error.fault === 'verifier'
    ? EXIT.defect
    : EXIT.input;
};

/** Prints an error in one line (with `json` also as a value on stdout) and sets the exit status. */
export const fail = (thrown: unknown, json: boolean): void => {
  const error = asTreadleError(thrown, 'world');
  process.exitCode = exitStatusOf(error);
  if (json) process.stdout.write(`${JSON.stringify({ error })}\n`);
  warn(`${styled(process.stderr, 'red', 'error')} ${error.code}: ${error.line()}`);
  if (process.env.TREADLE_DEBUG && error.cause instanceof Error) warn(error.cause.stack ?? '');
};

/** A reader that went away ends the command quietly; a full disk behind a redirection is said. */
export const watchOutput = (): void => {
  process.stdout.on('error', (thrown: NodeJS.ErrnoException) => {
    if (thrown.code !== 'EPIPE') {
      warn(`error cannot_print: The output cannot be written (${thrown.code ?? thrown.message}). Send it elsewhere.`);
      process.exitCode = EXIT.input;
    }
    process.exit();
  });
  process.stderr.on('error', () => undefined);
  process.on('uncaughtException', (thrown) => {
    fail(thrown, process.argv.includes('--json'));
    process.exit();
  });
};
