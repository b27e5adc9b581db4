/** treadle freeze: a lockfile from which the same rows are made again, byte for byte; --check holds a corpus against one. */
import { dirname, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { Corpus } from '../../corpus/corpus.js';
import { exists } from '../../corpus/files.js';
import { corpusDifferences, type Difference, differenceWords, exportDifferences } from '../../corpus/freeze/compare.js';
import { LOCK_FILE, readLock, writeLock } from '../../corpus/freeze/lock.js';
import { datasetHashes, inputHashes, lockedExport } from '../../corpus/freeze/record.js';
import { TreadleError } from '../../errors.js';
import { shortText } from '../arguments.js';
import { chosenWorlds } from '../chosen-worlds.js';
import { EXIT } from '../exit.js';
import { DEFAULT_OUT, jsonOption } from '../options.js';
import { gather, ownExports } from '../pipeline/freeze/gather.js';
import { makeUi, type Ui } from '../ui.js';

interface Options {
  out?: string;
  check?: string;
  export: string[];
  seeds: string[];
  json?: boolean;
}

/** Lines printed of one kind. */
const SHOWN = 40;

export const sayDifferences = (ui: Ui, differences: readonly Difference[]): void => {
  for (const difference of differences.slice(0, SHOWN)) ui.say(`  ${differenceWords(difference)}`);
  if (differences.length > SHOWN)
    ui.say(ui.style('dim', `  and ${differences.length - SHOWN} more (--json names them all)`));
};

const freeze = (dir: string, options: Options, ui: Ui): void => {
  const { corpus } = chosenWorlds(dir, undefined);
  const folders = options.export.length > 0 ? options.export.map((each) => resolve(each)) : ownExports(corpus);
  const exports = folders.map((folder) => lockedExport(resolve(corpus.dir), resolve(folder)));
  const { body, broken } = gather(corpus, { seeds: options.seeds, onWorld: (id) => ui.progress(`reading ${id}`) });
  const [first] = broken;
  if (first)
    throw new TreadleError({
      code: 'changed_file',
      message: `A world cannot be frozen as it is: ${first.why}`,
      value: first.world,
      next: 'Restore it or build it again first.',
    });
  const file = options.out ?? corpus.path(LOCK_FILE);
  const lock = writeLock(file, { ...body, exports });
  const worlds = Object.values(lock.worlds);
  const tasks = worlds.reduce((sum, world) => sum + Object.keys(world.tasks).length, 0);
  const traces = worlds.flatMap((world) => world.traces);
  const scenarios = worlds.reduce((sum, world) => sum + Object.keys(world.scenarios?.scenarios ?? {}).length, 0);
  const fixed = traces.filter(({ again }) => again === undefined).length;
  ui.give({
    lock: file,
    address: lock.address,
    worlds: worlds.length,
    tasks,
    scenarios,
    rollouts: traces.length,
    toKeep: fixed,
    exports: exports.map((each) => ({ dir: each.dir, files: Object.keys(each.files).length })),
  });
  const dynamic = scenarios > 0 ? `${scenarios} scenarios, ` : '';
  ui.say(
    `${worlds.length} worlds, ${tasks} tasks, ${dynamic}${traces.length} rollouts and ${exports.length} exports in ${file}`,
  );
  if (fixed > 0)
    ui.say(ui.style('yellow', `  ${fixed} rollouts cannot be made again from seeds: keep the corpus's traces/`));
  if (exports.length === 0)
    ui.say(ui.style('yellow', '  no export is frozen: there is none in the corpus (--export names one elsewhere)'));
};

const check = (dir: string | undefined, file: string, ui: Ui): void => {
  const lock = readLock(file);
  const corpus = Corpus.open(dir ?? corpusOf(file));
  const { body, broken } = gather(corpus, { onWorld: (id) => ui.progress(`reading ${id}`) });
  const differences = [
    ...corpusDifferences(lock, body, broken),
    ...lock.exports.flatMap((locked) => {
      const files = datasetHashes(resolve(corpus.dir, locked.dir));
      return exportDifferences(locked, files && { files, inputs: inputHashes(locked.command) });
    }),
  ];
  ui.give({ lock: file, same: differences.length === 0, differences });
  if (differences.length === 0) ui.say(`${corpus.dir} is as it was frozen`);
  else {
    ui.say(`${differences.length} things differ from ${file}:`);
    sayDifferences(ui, differences);
    process.exitCode = EXIT.failed;
  }
};

/** The folder that a lockfile lies in, where that is a corpus. */
export const corpusOf = (file: string): string => {
  const dir = dirname(resolve(file));
  return exists(`${dir}/treadle.json`) ? dir : DEFAULT_OUT;
};

export const freezeCommand = (): Command =>
  new Command('freeze')
    .description('write a lockfile from which the same rows are made again, or check one')
    .argument('[corpus]', `corpus folder (default: ${DEFAULT_OUT}, or the lockfile's folder)`)
    .addOption(
      new Option('--out <file>', `the lockfile (default: ${LOCK_FILE} in the corpus)`).argParser(
        shortText('--out', LOCK_FILE),
      ),
    )
    .addOption(
      new Option('--export <dir>', 'a dataset to freeze; repeatable (default: those in the corpus)')
        .default([], 'those in the corpus')
        .argParser((text: string, before: string[]) => [...before, text]),
    )
    .addOption(
      new Option('--seeds <list>', 'seeds of runs whose rollouts name none, between commas')
        .default(['1', '0'], '1,0')
        .argParser((text: string) => text.split(',')),
    )
    .addOption(new Option('--check <lock>', 'name everything that differs from this lockfile'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Holds the hashes of worlds, services, tasks, scenarios, rollouts, reviews and of every file of the exports, with the commands that made
them, seeds and version. treadle rebuild makes the exports again from it. Exit status 1 when something differs.

Examples:
  treadle freeze treadle-out
  treadle freeze treadle-out --export rows --out rows.lock.json
  treadle freeze --check treadle-out/treadle.lock.json`,
    )
    .action((dir: string | undefined, options: Options) => {
      const ui = makeUi(options.json === true);
      if (options.check === undefined) freeze(dir ?? DEFAULT_OUT, options, ui);
      else check(dir, options.check, ui);
    });
