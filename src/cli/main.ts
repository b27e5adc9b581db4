#!/usr/bin/env node
/** The executable. One file a command in commands/, one line in commands.ts. */
import { Command, CommanderError, Help } from 'commander';
import { TreadleError } from '../errors.js';
import { COMMANDS } from './commands.js';
import { fail, watchOutput } from './exit.js';
import { ownVersion } from './version.js';

const program = new Command('treadle')
  .description('Makes, serves, verifies and harvests worlds for tool-using LLM agents.')
  .version(ownVersion())
  .exitOverride()
  // What stands behind a nested command's name is that command's, also where both have an option of the name.
  .enablePositionalOptions()
  // What commander would print of a mistake goes through fail() like every other error; help is printed as it is.
  .configureOutput({ outputError: () => undefined })
  .addHelpText(
    'after',
    `
Start here:
  treadle build "a family bakery with 3 shops in Lyon"     one certified world, gated tasks, verified rows
  treadle build petstore.yaml --tasks 20                   the same from an API document
  treadle show treadle-out                                 what is in the folder
  treadle review treadle-out                               read a sample of the tasks and decide
  treadle serve treadle-out                                a server for agents and trainers; --stdio: for one client
  treadle serve api.yaml --rest --port 4010                a stateful fake of an API from its document
  treadle doctor --sessions 100 --against URL              what a server takes

Exit status: 0 done; 1 done, and something failed its checks; 2 bad input, disk or network; 70 a defect of Treadle;
130 interrupted (the same command goes on). TREADLE_DEBUG=1 adds the stack of a defect.`,
  );

const [first = '', second = ''] = process.argv.slice(2);
const named = first === 'help' ? second : first;
const load = Object.hasOwn(COMMANDS, named) ? COMMANDS[named] : undefined;
if (load) {
  const command = (await load()).copyInheritedSettings(program);
  for (const nested of command.commands) nested.copyInheritedSettings(program);
  program.addCommand(command);
} else {
  // Nothing will run: a name and a line each are enough for the help, and for what a mistaken name is near.
  const { summaries } = await import('./summaries.js');
  const terms = new Map((await summaries()).map((each) => [each.name, each]));
  program.configureHelp({
    subcommandTerm: (command) => terms.get(command.name())?.term ?? new Help().subcommandTerm(command),
  });
  for (const { name, about } of terms.values()) program.addCommand(new Command(name).description(about));
}

const wantsJson = process.argv.includes('--json');
watchOutput();

try {
  await program.parseAsync();
} catch (thrown) {
  // A command that failed ends, whatever it left open.
  setTimeout(() => process.exit(), 1000).unref();
  if (!(thrown instanceof CommanderError)) fail(thrown, wantsJson);
  else if (thrown.exitCode !== 0 && thrown.code === 'commander.help') process.exitCode = 2;
  else if (thrown.exitCode !== 0) {
    const message = thrown.message.replace(/^error: /, '').replaceAll('\n', ' ');
    const next = `See treadle ${load ? `${named} ` : ''}--help.`;
    fail(new TreadleError({ code: 'bad_usage', message, next, cause: thrown }), wantsJson);
  }
}
