#!/usr/bin/env node
/** The executable. One file a command in commands/, one line here. */
import { Command, CommanderError } from 'commander';
import { TreadleError } from '../errors.js';
import { fail, watchOutput } from './exit.js';
import { ownVersion } from './version.js';

/** Loaded when it is asked for: a command's own rooms are read and no others. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  build: async () => (await import('./commands/build.js')).buildCommand(),
  author: async () => (await import('./commands/author.js')).authorCommand(),
  import: async () => (await import('./commands/import.js')).importCommand(),
  certify: async () => (await import('./commands/certify.js')).certifyCommand(),
  tasks: async () => (await import('./commands/tasks.js')).tasksCommand(),
  'add-task': async () => (await import('./commands/add-task.js')).addTaskCommand(),
  dynamics: async () => (await import('./commands/dynamics.js')).dynamicsCommand(),
  'add-scenario': async () => (await import('./commands/add-scenario.js')).addScenarioCommand(),
  serve: async () => (await import('./commands/serve.js')).serveCommand(),
  explain: async () => (await import('./commands/explain.js')).explainCommand(),
  sessions: async () => (await import('./commands/sessions.js')).sessionsCommand(),
  rollout: async () => (await import('./commands/rollout.js')).rolloutCommand(),
  gateway: async () => (await import('./commands/gateway.js')).gatewayCommand(),
  sample: async () => (await import('./commands/sample.js')).sampleCommand(),
  test: async () => (await import('./commands/test.js')).testCommand(),
  harness: async () => (await import('./commands/harness.js')).harnessCommand(),
  difficulty: async () => (await import('./commands/difficulty.js')).difficultyCommand(),
  score: async () => (await import('./commands/score.js')).scoreCommand(),
  review: async () => (await import('./commands/review.js')).reviewCommand(),
  freeze: async () => (await import('./commands/freeze.js')).freezeCommand(),
  rebuild: async () => (await import('./commands/rebuild.js')).rebuildCommand(),
  export: async () => (await import('./commands/export.js')).exportCommand(),
  doctor: async () => (await import('./commands/doctor.js')).doctorCommand(),
  stats: async () => (await import('./commands/stats.js')).statsCommand(),
  'bench-author': async () => (await import('./commands/bench-author.js')).benchAuthorCommand(),
  show: async () => (await import('./commands/show.js')).showCommand(),
};

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

const named = process.argv[2] ?? '';
const wanted = Object.hasOwn(COMMANDS, named) ? [named] : Object.keys(COMMANDS);
for (const name of wanted) {
  const command = (await COMMANDS[name]?.())?.copyInheritedSettings(program) as Command;
  for (const nested of command.commands) nested.copyInheritedSettings(program);
  program.addCommand(command);
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
    const next = `See treadle ${wanted.length === 1 ? `${named} ` : ''}--help.`;
    fail(new TreadleError({ code: 'bad_usage', message, next, cause: thrown }), wantsJson);
  }
}
