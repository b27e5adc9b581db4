/** treadle export world-model: (history, action) -> observation rows, for models that predict what software answers. */
import { Command, Option } from 'commander';
import { makeFolder } from '../../corpus/files.js';
import { FILE_FORMATS, type FileFormat } from '../../train/tables/files.js';
import { exportWorld } from '../../train/world-model/export.js';
import {
  FAULTS,
  type Faults,
  type LeftOut,
  SPLIT_BY,
  type SplitBy,
  WHY_LEFT_OUT,
} from '../../train/world-model/select.js';
import { realNumber, shortText, wholeNumber } from '../arguments.js';
import { chosenWorlds } from '../chosen-worlds.js';
import { EXIT } from '../exit.js';
import { DEFAULT_OUT, jsonOption, seedOption, worldOption } from '../options.js';
import { WorldRows } from '../pipeline/world-rows.js';
import { makeUi } from '../ui.js';
import { ownVersion } from '../version.js';

interface Options {
  world?: string;
  out?: string;
  file: FileFormat;
  split: SplitBy;
  validation: number;
  injected: Faults;
  references?: boolean;
  withState?: boolean;
  check?: boolean;
  history: number;
  maxChars: number;
  licence?: string;
  seed: string;
  json?: boolean;
}

const askedBy = (options: Options): string[] => [
  ...(options.injected === 'without' ? [] : [`faults made on purpose: ${options.injected}`]),
  ...(options.references ? ['paths of references that no kept rollout replays are among them'] : []),
  ...(options.withState ? ['the last call comes with rows of the database that it is about'] : []),
  ...(options.check || options.withState ? ['each call was run again and answered the same'] : []),
  ...(options.history < MOST ? [`at most ${options.history} calls of history`] : []),
  `at most ${options.maxChars} characters a row`,
];

const MOST = 1_000_000;

export const exportWorldModelCommand = (): Command =>
  new Command('world-model')
    .description('write rows of (history, action) and observation from the kept rollouts')
    .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
    .addOption(worldOption())
    .addOption(
      new Option('--out <dir>', 'folder of the dataset (default: world-model in the corpus)').argParser(
        shortText('--out', 'rows'),
      ),
    )
    .addOption(new Option('--file <kind>', 'kind of file').choices([...FILE_FORMATS]).default('jsonl'))
    .addOption(
      new Option('--split <by>', 'what validation holds out: task templates, worlds or services')
        .choices([...SPLIT_BY])
        .default('lineage'),
    )
    .addOption(
      new Option('--validation <share>', 'share of rows held out')
        .default(0.1)
        .argParser(realNumber('--validation', 0, 0.9)),
    )
    .addOption(
      new Option('--injected <how>', 'rollouts with faults made on purpose: without them, with, or only the faults')
        .choices([...FAULTS])
        .default('without'),
    )
    .option('--references', 'paths of references too, where no kept rollout replays one')
    .option('--with-state', 'tell the rows of the database that the call is about; runs every call again')
    .option('--check', 'run every call again and leave out what does not answer the same')
    .addOption(
      new Option('--history <n>', 'calls of history told at most (default: all)')
        .default(MOST, 'all')
        .argParser(wholeNumber('--history', MOST, 0)),
    )
    .addOption(
      new Option('--max-chars <n>', 'characters of a row at most')
        .default(60_000)
        .argParser(wholeNumber('--max-chars', 100_000_000)),
    )
    .option('--licence <name>', "the dataset card's licence")
    .addOption(seedOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Failed rollouts count as much as passed ones: what software answers is true either way. Of rows with the same state and action
one is kept.

Examples:
  treadle export world-model treadle-out
  treadle export world-model treadle-out --split service --validation 0.2 --file parquet --out wm
  treadle export world-model treadle-out --references --with-state --history 4`,
    )
    .action(async (dir: string, options: Options) => {
      const ui = makeUi(options.json === true);
      const { corpus, worlds } = chosenWorlds(dir, options.world);
      const out = options.out ?? corpus.path('world-model');
      makeFolder(out);
      const { injected: faults, references = false, withState = false, check = false, history, maxChars } = options;
      const choice = {
        worlds,
        by: options.split,
        faults,
        references,
        withState,
        check: check || withState,
        history,
        maxChars,
      };
      const rows = new WorldRows(corpus, choice, (id) => ui.progress(`pairs of ${id}`));
      const report = await exportWorld(rows.items(), rows.counts, {
        out,
        file: options.file,
        split: { by: options.split, validation: options.validation, seed: options.seed },
        licence: options.licence ?? 'other',
        version: ownVersion(),
        asked: askedBy(options),
      });
      ui.give({ out, ...report });
      const { train, validation } = report.splits;
      ui.say(
        `${report.rows} pairs in ${out} (${train.rows} train, ${validation.rows} validation), ${report.errors} of them errors`,
      );
      for (const [why, n] of Object.entries(report.leftOut))
        ui.say(ui.style('dim', `  ${n} left out: they ${WHY_LEFT_OUT[why as LeftOut]}`));
      if (report.answersDiffer > 0)
        ui.say(ui.style('dim', `  ${report.answersDiffer} pairs answer differently at another time; they are kept`));
      if (report.rows === 0) {
        ui.say('  no pair: roll out first (treadle rollout), or take --references');
        process.exitCode = EXIT.failed;
      }
    });
