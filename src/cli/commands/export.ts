/** treadle export: training rows from the kept traces. */
import { Command, Option } from 'commander';
import { FORMATS } from '../../train/formats/registry.js';
import { realNumber, shortText } from '../arguments.js';
import { EXIT } from '../exit.js';
import { chosenWorlds, DEFAULT_OUT, jsonOption, seedOption, worldOption } from '../options.js';
import { exportCorpus } from '../pipeline/rows.js';
import { makeUi } from '../ui.js';

interface Options {
  world?: string;
  out?: string;
  format: string;
  seed: string;
  validation: number;
  all?: boolean;
  licence?: string;
  json?: boolean;
}

export const exportCommand = (): Command =>
  new Command('export')
    .description('write SFT rows of the passing rollouts, with a dataset card')
    .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
    .addOption(worldOption())
    .addOption(
      new Option('--out <dir>', 'folder of the dataset (default: sft in the corpus)').argParser(
        shortText('--out', 'rows'),
      ),
    )
    .addOption(new Option('--format <name>', 'shape of a row').choices(Object.keys(FORMATS)).default('treadle'))
    .addOption(
      new Option('--validation <share>', 'share of lineages held out')
        .default(0.1)
        .argParser(realNumber('--validation', 0, 0.9)),
    )
    .option('--all', 'failed rollouts too, marked by their verdict')
    .option('--licence <name>', "the dataset card's licence")
    .addOption(seedOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  treadle export treadle-out\n  treadle export treadle-out --format sharegpt --out rows --json',
    )
    .action(async (dir: string, options: Options) => {
      const ui = makeUi(options.json === true);
      const { corpus, worlds } = chosenWorlds(dir, options.world);
      const out = options.out ?? corpus.path('sft');
      const report = await exportCorpus(corpus, {
        out,
        seed: options.seed,
        format: options.format,
        worlds,
        includeFailed: options.all === true,
        validation: options.validation,
        ...(options.licence ? { licence: options.licence } : {}),
      });
      ui.give({ out, ...report });
      ui.say(
        `${report.rows} rows in ${out} (${report.splits.train.rows} train, ${report.splits.validation.rows} validation)`,
      );
      for (const [why, n] of Object.entries(report.excluded))
        ui.say(ui.style('dim', `  ${n} left out: ${why.replaceAll('_', ' ')}`));
      if (report.rows === 0) process.exitCode = EXIT.failed;
    });
