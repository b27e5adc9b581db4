/** treadle export: training rows from the kept traces; `treadle export authoring`: construction traces from the worlds. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { makeFolder } from '../../corpus/files.js';
import { TreadleError } from '../../errors.js';
import { WHY } from '../../train/authoring/card.js';
import { exportAuthoring } from '../../train/authoring/export.js';
import { HELD_OUT, heldOutOf } from '../../train/authoring/held-out.js';
import { KINDS, type Kind } from '../../train/authoring/types.js';
import { FORMATS } from '../../train/formats/registry.js';
import type { Exclusion } from '../../train/sft/exclude.js';
import { WHY as WHY_NOT } from '../../train/sft/exclude.js';
import type { RewardShape } from '../../verify/reward.js';
import { realNumber, shortText, wholeNumber } from '../arguments.js';
import { chosenWorlds } from '../chosen-worlds.js';
import { EXIT } from '../exit.js';
import { DEFAULT_OUT, jsonOption, seedOption, worldOption } from '../options.js';
import { openOracle } from '../pipeline/authoring.js';
import { recordExport } from '../pipeline/freeze/record.js';
import { addRowOptions, type RowCliOptions, rowOptionsOf } from '../pipeline/row-options.js';
import { type CorpusRows, exportCorpus } from '../pipeline/rows.js';
import { penaltyOption, rewardOption } from '../reward-options.js';
import { makeUi, type Ui } from '../ui.js';
import { exportPreferencesCommand } from './export-preferences.js';
import { exportRlCommand } from './export-rl.js';
import { exportWorldModelCommand } from './export-world-model.js';

interface Options extends RowCliOptions {
  world?: string;
  out?: string;
  seed: string;
  validation: number;
  reviewed?: 'accepted';
  reward: RewardShape;
  penalty: Record<string, number>;
  json?: boolean;
}

interface AuthoringCliOptions {
  world?: string;
  out?: string;
  kinds: Kind[];
  perWorld: number;
  holdOutArchetypes: string[];
  format: string;
  seed: string;
  licence?: string;
  json?: boolean;
}

const kindsIn = (text: string): Kind[] => {
  const named = text.split(',').map((one) => one.trim());
  const stray = named.find((one) => !(KINDS as readonly string[]).includes(one));
  if (stray === undefined) return KINDS.filter((kind) => named.includes(kind));
  throw new TreadleError({
    code: 'bad_option',
    message: '--kinds takes kinds between commas',
    value: stray.slice(0, 40),
    next: `Choose among ${KINDS.join(', ')}.`,
  });
};

const authoringCommand = (): Command =>
  new Command('authoring')
    .description('write construction traces: samples that teach a model to author worlds')
    .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
    .addOption(worldOption())
    .addOption(
      new Option('--out <dir>', 'folder of the dataset (default: authoring in the corpus)').argParser(
        shortText('--out', 'rows'),
      ),
    )
    .addOption(new Option('--kinds <list>', 'of brief,completion,repair,diff').default([...KINDS]).argParser(kindsIn))
    .addOption(
      new Option('--per-world <n>', 'most samples of one world')
        .default(24)
        .argParser(wholeNumber('--per-world', 1000)),
    )
    .addOption(
      new Option('--hold-out-archetypes <ids>', "no training sample contains these; bench: the benchmark's, or none")
        .default([...HELD_OUT], 'bench')
        .argParser(heldOutOf),
    )
    .addOption(new Option('--format <name>', 'shape of a row').choices(Object.keys(FORMATS)).default('treadle'))
    .option('--licence <name>', "the dataset card's licence")
    .addOption(seedOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  treadle export authoring treadle-out\n  treadle export authoring treadle-out --kinds repair,diff --format openai --out rows',
    )
    .action(async (dir: string, _own: object, command: Command) => {
      const options = command.opts<AuthoringCliOptions>();
      const ui = makeUi(options.json === true);
      const { corpus, worlds } = chosenWorlds(dir, options.world);
      const out = options.out ?? corpus.path('authoring');
      makeFolder(out);
      const oracle = await openOracle((id) => ui.progress(`authoring samples of ${id}`));
      const described = function* () {
        for (const id of worlds) yield corpus.readDescription(id);
      };
      try {
        const { kinds, perWorld, format, seed, licence = 'other', holdOutArchetypes: heldOut } = options;
        const report = await exportAuthoring(
          described(),
          { out, kinds, perWorld, heldOut, format, seed, licence },
          oracle,
        );
        ui.give({ out, ...report });
        const { rows } = report;
        const each = Object.entries(report.kinds).map(([kind, n]) => `${n} ${kind}`);
        ui.say(
          `${rows.train + rows.validation} samples of ${report.worlds.used} worlds in ${out} (${rows.train} train, ${rows.validation} validation)${each.length > 0 ? `: ${each.join(', ')}` : ''}`,
        );
        for (const [why, n] of Object.entries(report.skipped))
          ui.say(ui.style('dim', `  left out: ${n} ${WHY[why] ?? why}`));
        if (report.duplicates > 0) ui.say(ui.style('dim', `  left out: ${report.duplicates} duplicates`));
        if (rows.train === 0) {
          const mixed = (report.skipped.mixes_held_out ?? 0) > 0;
          ui.say(`  no sample to train on${mixed ? ': --hold-out-archetypes none takes those worlds too' : ''}`);
          process.exitCode = EXIT.failed;
        }
      } finally {
        oracle.close();
      }
    });

/** What the rows are and what was left out, in the terminal. */
const say = (ui: Ui, out: string, report: CorpusRows): void => {
  const { rows, splits, subsets = {}, excluded, notes = [], reviewed } = report;
  if (rows > 0) ui.say(`${rows} rows in ${out} (${splits.train.rows} train, ${splits.validation.rows} validation)`);
  else
    ui.say(
      `no row is left, and nothing was written${existsSync(join(out, 'README.md')) ? `: ${out} holds the export before this one` : ''}`,
    );
  for (const [name, subset] of Object.entries(subsets))
    ui.say(`  ${name}: ${subset.rollouts} rollouts, ${subset.rows} rows`);
  for (const [why, n] of Object.entries(excluded))
    ui.say(ui.style('dim', `  ${n} left out: ${WHY_NOT[why as Exclusion]}`));
  for (const note of rows === 0 ? notes : []) ui.say(ui.style('dim', `  ${note}`));
  if (!reviewed) return;
  ui.say(ui.style('dim', `  ${reviewed.accepted} tasks with rollouts were accepted in review`));
  for (const [why, { tasks, rollouts }] of Object.entries(reviewed.leftOut))
    if (tasks > 0)
      ui.say(ui.style('dim', `  ${tasks} tasks (${rollouts} rollouts) left out: ${why.replaceAll('_', ' ')}`));
};

export const exportCommand = (): Command =>
  addRowOptions(
    new Command('export')
      .hook('postAction', (_, action) => {
        // One that wrote nothing left the export before it, with its own record.
        if (!process.exitCode) recordExport(action);
      })
      .addCommand(authoringCommand())
      .addCommand(exportPreferencesCommand())
      .addCommand(exportRlCommand())
      .addCommand(exportWorldModelCommand())
      .description('write SFT rows of the passing rollouts, with a dataset card')
      .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
      .addOption(worldOption())
      .addOption(
        new Option('--out <dir>', 'folder of the dataset (default: sft in the corpus)').argParser(
          shortText('--out', 'rows'),
        ),
      ),
  )
    .addOption(
      new Option('--validation <share>', 'share of lineages held out')
        .default(0.1)
        .argParser(realNumber('--validation', 0, 0.9)),
    )
    .addOption(
      new Option('--reviewed <decision>', 'only tasks that a reviewer accepted as they are now').choices(['accepted']),
    )
    .addOption(rewardOption())
    .addOption(penaltyOption())
    .addOption(seedOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  treadle export treadle-out\n  treadle export treadle-out --format prompt-completion --file parquet --out rows\n  treadle export treadle-out --include-negatives --reward milestones --penalty truncation=0.2\n  treadle export treadle-out --only policy=model --max-turns 40 --dedup near --format sharegpt --out rows --json\n  treadle export treadle-out --mix by=user --sizes 100,1000 --same-tasks --out ablation\n  treadle export authoring --help',
    )
    .action(async (dir: string, options: Options) => {
      const ui = makeUi(options.json === true);
      const rows = rowOptionsOf(options);
      const { corpus, worlds } = chosenWorlds(dir, options.world);
      const out = options.out ?? corpus.path('sft');
      const report = await exportCorpus(corpus, {
        ...rows,
        out,
        seed: options.seed,
        worlds,
        onlyAccepted: options.reviewed === 'accepted',
        validation: options.validation,
        reward: { shape: options.reward, penalties: options.penalty },
      });
      ui.give({ out, ...report });
      say(ui, out, report);
      if (report.rows === 0) process.exitCode = EXIT.failed;
    });
