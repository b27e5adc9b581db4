/** treadle build: brief or document in, certified worlds, gated tasks, verified rows and a report out. */
import { Command } from 'commander';
import { EXIT } from '../exit.js';
import { onInterrupt } from '../interrupt.js';
import { jsonOption, outOption, pinOptions, pinsOf, seedOption, tasksOption, worldsOption } from '../options.js';
import { type BuildSummary, build } from '../pipeline/build.js';
import { outcomeLines } from '../pipeline/document.js';
import { readInput } from '../pipeline/input.js';
import { makeUi, type Ui } from '../ui.js';

interface Options {
  worlds: number;
  tasks: number;
  seed: string;
  out: string;
  json?: boolean;
  country?: string;
  industry?: string;
  services?: string;
}

const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 80)} ...` : line;
};

const summarise = (ui: Ui, summary: BuildSummary, asked: number): void => {
  const good = (text: string): string => ui.style('green', text);
  ui.say('');
  if (summary.document) for (const line of outcomeLines(summary.document)) ui.say(line);
  ui.say(
    `${good(`${summary.certified} certified`)} of ${asked} world(s), ${good(`${summary.tasks} gated tasks`)} (${summary.tasksDropped} proposals dropped), ${good(`${summary.rows} verified rows`)}`,
  );
  for (const { what, why } of summary.dropped.slice(0, 5))
    ui.say(ui.style('dim', `  given up: ${what}: ${why.slice(0, 160)}`));
  if (summary.dropped.length > 5)
    ui.say(ui.style('dim', `  and ${summary.dropped.length - 5} more, all in the report`));
  ui.say(`report   ${summary.report}`);
  ui.say(`rows     ${summary.out}/sft`);
  ui.say(`look     treadle show ${summary.out}`);
  ui.say(`serve    treadle serve ${summary.out} --stdio`);
};

export const buildCommand = (): Command =>
  pinOptions(
    new Command('build')
      .description('make certified worlds, gated tasks and verified training rows')
      .argument('<input>', 'a brief in plain words, a file with one (.txt, .md), or an OpenAPI document (file or URL)'),
  )
    .addOption(worldsOption())
    .addOption(tasksOption(12))
    .addOption(seedOption())
    .addOption(outOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Interrupted? The same command goes on where it stopped. Status 1 when a world or all tasks were given up.

Examples:
  treadle build "bike rental in Utrecht, 4 shops, repairs too"
  treadle build brief.txt --worlds 20 --tasks 10 --seed 7 --out corpora/bikes
  treadle build openapi.yaml --out corpora/api --json`,
    )
    .action(async (given: string, options: Options) => {
      const ui = makeUi(options.json === true);
      const input = await readInput(given);
      ui.step(input.kind === 'document' ? `Document: ${input.name}` : `Brief: ${shortened(input.text)}`);
      const interrupt = onInterrupt(ui);
      const { worlds, tasks, seed, out } = options;
      const summary = await build({ worlds, tasks, seed, out, input, pins: pinsOf(options) }, ui, interrupt);
      interrupt.end();
      ui.give(summary);
      summarise(ui, summary, options.worlds);
      if (summary.certified < options.worlds || summary.tasks === 0 || summary.rows === 0)
        process.exitCode = EXIT.failed;
    });
