/** treadle rebuild: makes the exports of a lockfile again, byte for byte, with the rollouts that are gone. */
import { Command, Option } from 'commander';
import { Corpus } from '../../corpus/corpus.js';
import { corpusDifferences } from '../../corpus/freeze/compare.js';
import { readLock } from '../../corpus/freeze/lock.js';
import { shortText } from '../arguments.js';
import { EXIT } from '../exit.js';
import { jsonOption } from '../options.js';
import { gather } from '../pipeline/freeze/gather.js';
import { rebuild } from '../pipeline/freeze/rebuild.js';
import { makeUi } from '../ui.js';
import { corpusOf, sayDifferences } from './freeze.js';

interface Options {
  corpus?: string;
  out?: string;
  rollouts?: boolean;
  json?: boolean;
}

/** What rebuilding sees to by itself. */
const SEEN_TO = new Set(['scenario', 'rollout', 'order', 'version']);

export const rebuildCommand = (): Command =>
  new Command('rebuild')
    .description('make the exports of a lockfile again, byte for byte')
    .argument('<lock>', 'what treadle freeze wrote')
    .addOption(new Option('--corpus <dir>', "corpus folder (default: the lockfile's folder)"))
    .addOption(
      new Option('--out <dir>', 'folder for the exports (default: where they were in the corpus)').argParser(
        shortText('--out', 'again'),
      ),
    )
    .option('--rollouts', 'put the rollouts and scenarios that were made again back into the corpus, too')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Worlds and tasks must be as they were frozen. Scenarios and rollouts that are gone, or were made since, do not matter: those that
no model had a part in are made again from their seeds, and only the frozen ones are read. The corpus is not changed
(but by --rollouts), nothing is written over, and what does not come out identical is named and not kept.

Examples:
  treadle rebuild treadle-out/treadle.lock.json
  treadle rebuild rows.lock.json --corpus treadle-out --out again`,
    )
    .action(async (file: string, options: Options) => {
      const ui = makeUi(options.json === true);
      const lock = readLock(file);
      const corpus = Corpus.open(options.corpus ?? corpusOf(file));
      const { body, broken } = gather(corpus, { onWorld: (id) => ui.progress(`reading ${id}`) });
      const found = corpusDifferences(lock, body, broken);
      const inTheWay = found.filter(({ what }) => !SEEN_TO.has(what));
      if (inTheWay.length > 0) {
        ui.give({ lock: file, exports: [], differences: inTheWay });
        ui.say(`Not rebuilt: ${inTheWay.length} things differ from ${file}:`);
        sayDifferences(ui, inTheWay);
        process.exitCode = EXIT.failed;
        return;
      }
      const report = await rebuild(corpus, lock, {
        out: options.out,
        putBack: options.rollouts === true,
        onWorld: (id) => ui.progress(`rollouts of ${id}`),
      });
      ui.give({ lock: file, version: { frozen: lock.version, now: body.version }, ...report });
      const { kept, again } = report.traces;
      ui.say(`${kept} rollouts kept, ${again} made again`);
      if (report.scenarios.again > 0) ui.say(`${report.scenarios.again} scenarios made again`);
      for (const { dir, files, isThere } of report.exports)
        ui.say(`${files} files in ${dir} ${isThere ? 'are there already' : 'as they were frozen'}`);
      if (report.differences.length > 0) {
        ui.say(`${report.differences.length} things do not come out the same:`);
        sayDifferences(ui, report.differences);
        process.exitCode = EXIT.failed;
      }
    });
