#!/usr/bin/env node
/** The executable. One file a command in commands/, one line here. */
import { Command, CommanderError } from 'commander';
import { asTreadleError, TreadleError } from '../errors.js';
import { authorCommand } from './commands/author.js';
import { buildCommand } from './commands/build.js';
import { certifyCommand } from './commands/certify.js';
import { exportCommand } from './commands/export.js';
import { rolloutCommand } from './commands/rollout.js';
import { serveCommand } from './commands/serve.js';
import { showCommand } from './commands/show.js';
import { tasksCommand } from './commands/tasks.js';
import { fail } from './ui.js';
import { ownVersion } from './version.js';

const program = new Command('treadle')
  .description('Makes, serves, verifies and harvests worlds for tool-using LLM agents.')
  .version(ownVersion())
  .showHelpAfterError('(add --help for examples)')
  .exitOverride()
  .addHelpText(
    'after',
    `
Start here:
  treadle build "a family bakery with 3 shops in Lyon"     one certified world, gated tasks, verified rows
  treadle build petstore.yaml --tasks 20                   the same from an API document
  treadle show treadle-out                                 what is in the folder
  treadle serve treadle-out --stdio                        the world as an MCP server

Exit status: 0 done, 1 done and something failed its checks, 2 bad input, 70 a defect of Treadle, 130 interrupted.`,
  );

for (const command of [
  buildCommand,
  authorCommand,
  certifyCommand,
  tasksCommand,
  serveCommand,
  rolloutCommand,
  exportCommand,
  showCommand,
]) {
  program.addCommand(command());
}

const wantsJson = process.argv.includes('--json');

try {
  await program.parseAsync();
} catch (thrown) {
  if (thrown instanceof CommanderError) {
    process.exitCode = thrown.exitCode === 0 ? 0 : 2;
  } else {
    const error = asTreadleError(thrown, 'world');
    fail(error, wantsJson);
    if (thrown instanceof TreadleError && error.code === 'interrupted') process.exitCode = 130;
  }
}
