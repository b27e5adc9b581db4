/**
 * What `treadle --help` says of every command, without loading them all, which takes two seconds. `npm run build` leaves it beside the
 * commands as summaries.json; code that was not built loads them.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Command, Help } from 'commander';
import { z } from 'zod';
import { COMMANDS } from './commands.js';

const Summary = z.strictObject({ name: z.string(), term: z.string(), about: z.string() });
export type Summary = z.infer<typeof Summary>;

const FILE = new URL('./summaries.json', import.meta.url);

const read = async (): Promise<Summary[]> => {
  const help = new Help();
  return Promise.all(
    Object.entries(COMMANDS).map(async ([name, load]) => {
      const command: Command = await load();
      return { name, term: help.subcommandTerm(command), about: command.description() };
    }),
  );
};

/** In the order of the commands. */
export const summaries = async (): Promise<Summary[]> =>
  existsSync(FILE) ? z.array(Summary).parse(JSON.parse(readFileSync(FILE, 'utf8'))) : read();

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(FILE, `${JSON.stringify(await read(), null, 2)}\n`);
