/** Arguments of `npm run bench -- serve`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Options {
  part: string;
  small: boolean;
  /** Folder of the corpus, kept for the next time; temporary when absent. */
  corpus: string | undefined;
  /** Built server under test; the repository's own when absent. */
  dist: string | undefined;
  /** Kept connections to the trainers' door. */
  trainers: number;
  /** Of part soak. */
  sessions: number | undefined;
  calls: number | undefined;
  /** Arguments of node's own for the server, such as --cpu-prof. */
  nodeArgs: string[];
  /** Arguments of `treadle serve`. */
  serveArgs: string[];
}

const textOf = (args: readonly string[], flag: string): string | undefined => {
  const at = args.indexOf(flag);
  return at < 0 ? undefined : args[at + 1];
};

const wholeOf = (args: readonly string[], flag: string): number | undefined => {
  const text = textOf(args, flag);
  if (text === undefined) return undefined;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new Error(`${flag} needs a whole number, not ${text}`);
};

const words = (text: string | undefined): string[] => text?.split(' ').filter((word) => word !== '') ?? [];

export const readOptions = (args: readonly string[]): Options => ({
  part: textOf(args, '--part') ?? 'b',
  small: args.includes('--small'),
  corpus: textOf(args, '--corpus'),
  dist: textOf(args, '--dist'),
  trainers: wholeOf(args, '--trainers') ?? 64,
  sessions: wholeOf(args, '--sessions'),
  calls: wholeOf(args, '--calls'),
  nodeArgs: words(textOf(args, '--node-args')),
  serveArgs: words(textOf(args, '--serve-args')),
});

/** A folder for `work`, removed afterwards. */
export const inFolder = async <T>(work: (dir: string) => Promise<T>): Promise<T> => {
  const dir = mkdtempSync(join(tmpdir(), 'treadle-serve-'));
  try {
    return await work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};
