/** treadle build: brief or document in, certified worlds, gated tasks, verified rows and a report out. */
import { basename } from 'node:path';
import { Command } from 'commander';
import { readDocument } from '../../author/openapi/read.js';
import { TreadleError } from '../../errors.js';
import { EXIT } from '../exit.js';
import { onInterrupt } from '../interrupt.js';
import {
  jobsFor,
  jobsOption,
  jsonOption,
  outOption,
  pinOptions,
  pinsOf,
  seedOption,
  tasksOption,
  worldsOption,
} from '../options.js';
import { type BuildSummary, build } from '../pipeline/build.js';
import { outcomeLines } from '../pipeline/document.js';
import { type Input, readInput, readServer } from '../pipeline/input.js';
import { type ModelOptions, modelOf, modelOptions } from '../pipeline/model-author.js';
import { type OwnOptions, ownLine, ownOptions, withOwn } from '../pipeline/own.js';
import { type Briefs, briefLines, countriesOf, industriesOf, sweep } from '../pipeline/sweep.js';
import { makeUi, type Ui } from '../ui.js';

interface Options extends ModelOptions, OwnOptions {
  mcp?: string;
  worlds: number;
  tasks: number;
  seed: string;
  out: string;
  json?: boolean;
  country?: string;
  industry?: string;
  services?: string;
  jobs?: number;
  countries?: string;
  industries?: string;
  combine?: boolean;
  briefs?: string;
  rows: boolean;
}

const badUsage = (message: string, next: string): TreadleError =>
  new TreadleError({ code: 'bad_usage', message, next });

const swept = (options: Options): Briefs => {
  const { countries = 'all', industries = 'all', seed, country, industry } = options;
  if (country || industry || options.services)
    throw badUsage(
      '--country, --industry and --services go with a brief of yours',
      'With --countries and --industries give the codes there, for example --countries DE --industries 72.',
    );
  return sweep(countriesOf(countries), industriesOf(industries, seed), seed, options.combine === true);
};

/** What to build from: exactly one of a brief or document, a file of briefs, and a sweep. Throws `bad_usage` and what they throw. */
const inputFrom = async (given: string | undefined, options: Options): Promise<Input | Briefs> => {
  const isSwept = options.countries !== undefined || options.industries !== undefined || options.combine === true;
  if ([given, options.mcp, options.briefs, isSwept || undefined].filter((one) => one !== undefined).length > 1)
    throw badUsage(
      'A brief, --mcp, --briefs and --countries/--industries do not go together',
      'Give one of them; --country and --industry pin a brief of yours.',
    );
  if ((options.briefs !== undefined || isSwept) && (options.data !== undefined || options.overrides !== undefined))
    throw badUsage('--data and --overrides go with one brief or document', 'Leave them out, or give one input.');
  if (options.briefs !== undefined) {
    const { text } = await readDocument(options.briefs);
    return briefLines(text, basename(options.briefs), pinsOf(options));
  }
  if (isSwept) return swept(options);
  if (options.mcp !== undefined) return withOwn(await readServer(options.mcp), undefined, options);
  if (given !== undefined) return withOwn(await readInput(given), given, options);
  throw badUsage(
    'There is nothing to build from',
    'Give a brief or document, a file of briefs (--briefs), or --countries 50 --industries all.',
  );
};

const shownInput = (input: Input | Briefs): string => {
  if (input.kind === 'briefs') return `Briefs: ${input.text}`;
  return input.kind === 'document' ? `Document: ${input.name}` : `Brief: ${shortened(input.text)}`;
};

const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 80)} ...` : line;
};

const summarise = (ui: Ui, summary: BuildSummary, asked: number, wantsRows: boolean): void => {
  const good = (text: string): string => ui.style('green', text);
  ui.say('');
  if (summary.document) for (const line of outcomeLines(summary.document)) ui.say(line);
  const rows = wantsRows ? `, ${good(`${summary.rows} verified rows`)}` : '';
  ui.say(
    `${good(`${summary.certified} certified`)} of ${asked} world(s), ${good(`${summary.tasks} gated tasks`)} (${summary.tasksDropped} proposals dropped)${rows}`,
  );
  for (const { what, why } of summary.dropped.slice(0, 5))
    ui.say(ui.style('dim', `  given up: ${what}: ${why.slice(0, 160)}`));
  if (summary.dropped.length > 5)
    ui.say(ui.style('dim', `  and ${summary.dropped.length - 5} more, all in the report`));
  ui.say(`report   ${summary.report}`);
  ui.say(wantsRows ? `rows     ${summary.out}/sft` : `rows     treadle export ${summary.out}`);
  if (asked > 1) ui.say(`figures  treadle stats ${summary.out}`);
  ui.say(`look     treadle show ${summary.out}`);
  ui.say(`serve    treadle serve ${summary.out} --stdio`);
  if (summary.api) ui.say(`API      treadle serve ${summary.out} --rest`);
};

export const buildCommand = (): Command =>
  modelOptions(
    ownOptions(
      pinOptions(
        new Command('build')
          .description('make certified worlds, gated tasks and verified training rows')
          .argument(
            '[input]',
            'a brief in plain words, a file with one (.txt, .md), an OpenAPI document (file or URL), or a list of tools (JSON)',
          ),
      ),
    )
      .addOption(worldsOption())
      .addOption(tasksOption(12))
      .addOption(seedOption())
      .addOption(outOption())
      .addOption(jobsOption())
      .option('--countries <list>', 'without a brief: so many countries, all, or codes (DE,FR)')
      .option('--industries <list>', 'without a brief: all 2,196 of NAICS, or codes (62,7225)')
      .option('--combine', 'without a brief: bring services together that no trade does, by the processes over them')
      .option('--briefs <file>', 'one brief a line, for one world each')
      .option('--mcp <target>', 'without a brief: list the tools of this MCP server (a command or an address)')
      .option('--no-rows', 'leave the training rows to treadle export'),
  )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Interrupted? The same command goes on where it stopped, with any number of jobs; one process at a time builds in a folder. Status 1 when a world or all tasks were given up.

Examples:
  treadle build "bike rental in Utrecht, 4 shops, repairs too"
  treadle build brief.txt --worlds 20 --tasks 10 --seed 7 --out corpora/bikes
  treadle build openapi.yaml --out corpora/api --json
  treadle build openapi.yaml --data customers.csv --overrides fixes.yaml
  treadle build --worlds 4783 --countries 50 --industries all --no-rows --out corpora/world
  treadle build --worlds 20 --combine --out corpora/met
  treadle build --briefs briefs.txt --worlds 50 --out corpora/mine
  treadle build "a bike rental" --base-url http://127.0.0.1:8000/v1 --model NAME --budget-rounds 60`,
    )
    .action(async (given: string | undefined, options: Options) => {
      const ui = makeUi(options.json === true);
      const client = modelOf(options);
      const input = await inputFrom(given, options);
      ui.step(shownInput(input));
      const own = input.kind === 'briefs' ? undefined : ownLine(input);
      if (own) ui.step(own);
      const interrupt = onInterrupt(ui);
      const { worlds, tasks, seed, out, rows } = options;
      const pins = input.kind === 'briefs' ? {} : pinsOf(options);
      const summary = await build({ worlds, tasks, seed, out, input, pins }, ui, interrupt, {
        jobs: jobsFor(options.jobs, worlds),
        rows,
        ...(client ? { model: { client, options } } : {}),
      });
      interrupt.end();
      ui.give(summary);
      summarise(ui, summary, options.worlds, rows);
      const lacksRows = rows && summary.rows === 0;
      if (summary.certified < options.worlds || summary.tasks === 0 || lacksRows) process.exitCode = EXIT.failed;
    });
