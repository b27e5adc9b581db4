/** treadle export preferences: of rollouts of one scenario, the reply that led to a pass over the one that did not. */
import { Command, Option } from 'commander';
import type { EventSource } from '../../artifacts/trace.js';
import { makeFolder } from '../../corpus/files.js';
import { WHY_LEFT_OUT } from '../../train/preference/card.js';
import { exportPairs, type LeftOut } from '../../train/preference/export.js';
import { PAIR_FORMATS, type PairFormat } from '../../train/preference/formats.js';
import { FILE_FORMATS, type FileFormat } from '../../train/tables/files.js';
import { realNumber, shortText, wholeNumber } from '../arguments.js';
import { chosenWorlds } from '../chosen-worlds.js';
import { EXIT } from '../exit.js';
import { DEFAULT_OUT, jsonOption, seedOption, worldOption } from '../options.js';
import { pairItems } from '../pipeline/pairs.js';
import { noticesOption, sourceOption } from '../pipeline/row-options.js';
import { makeUi } from '../ui.js';
import { ownVersion } from '../version.js';

interface Options {
  world?: string;
  out?: string;
  format: string;
  file: FileFormat;
  source?: EventSource[];
  notices: 'keep' | 'merge';
  perScenario: number;
  validation: number;
  licence?: string;
  seed: string;
  json?: boolean;
}

export const exportPreferencesCommand = (): Command =>
  new Command('preferences')
    .description(
      'write preference pairs of rollouts of the same scenario: what was done after an event, and what should be',
    )
    .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
    .addOption(worldOption())
    .addOption(
      new Option('--out <dir>', 'folder of the dataset (default: preferences in the corpus)').argParser(
        shortText('--out', 'rows'),
      ),
    )
    .addOption(new Option('--format <name>', 'shape of a row').choices(Object.keys(PAIR_FORMATS)).default('trl'))
    .addOption(new Option('--file <kind>', 'kind of file').choices([...FILE_FORMATS]).default('jsonl'))
    .addOption(sourceOption('--source', 'only pairs before which an event of one of these sources fired'))
    .addOption(noticesOption())
    .addOption(
      new Option('--per-scenario <n>', 'pairs of one scenario at most')
        .default(4)
        .argParser(wholeNumber('--per-scenario', 1000)),
    )
    .addOption(
      new Option('--validation <share>', 'share of rows held out, by lineage')
        .default(0.1)
        .argParser(realNumber('--validation', 0, 0.9)),
    )
    .option('--licence <name>', "the dataset card's licence")
    .addOption(seedOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
A pair has one history, past an event that fired, and the first reply in which a rollout that passed and one that failed differ.

Examples:
  treadle rollout treadle-out --scenarios --policy reference
  treadle rollout treadle-out --scenarios --policy stale
  treadle export preferences treadle-out
  treadle export preferences treadle-out --format sharegpt --source requirement --out pairs`,
    )
    .action(async (dir: string, options: Options) => {
      const ui = makeUi(options.json === true);
      const { corpus, worlds } = chosenWorlds(dir, options.world);
      const out = options.out ?? corpus.path('preferences');
      makeFolder(out);
      const { source: sources, perScenario, notices } = options;
      const leftOut = new Map<LeftOut, number>();
      const choice = { worlds, perScenario, ...(sources ? { sources } : {}) };
      const report = await exportPairs(
        pairItems(corpus, choice, leftOut, (id) => ui.progress(`pairs of ${id}`)),
        leftOut,
        {
          out,
          format: PAIR_FORMATS[options.format] as PairFormat,
          file: options.file,
          mergesNotices: notices === 'merge',
          split: { validation: options.validation, seed: options.seed },
          licence: options.licence ?? 'other',
          version: ownVersion(),
          asked: [
            `at most ${perScenario} pairs of a scenario`,
            ...(sources ? [`an event of source ${sources.join(' or ')} had fired`] : []),
            ...(notices === 'merge'
              ? ['what a user says behind a result is in that result, behind `[Message from the user]`']
              : []),
          ],
        },
      );
      ui.give({ out, ...report });
      const { train, validation } = report.splits;
      ui.say(`${report.rows} pairs in ${out} (${train.rows} train, ${validation.rows} validation)`);
      for (const [who, n] of Object.entries(report.who)) ui.say(`  ${n} of ${who}`);
      for (const [why, n] of Object.entries(report.leftOut))
        ui.say(ui.style('dim', `  ${n} pairs of rollouts left out: they ${WHY_LEFT_OUT[why as LeftOut]}`));
      if (report.rows > 0) return;
      ui.say('  no pair: roll scenarios out with a policy that passes and one that fails (--policy reference, stale)');
      process.exitCode = EXIT.failed;
    });
