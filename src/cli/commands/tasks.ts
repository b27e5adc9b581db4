/** treadle tasks: makes the task library of each world anew. */
import { Command, Option } from 'commander';
import { rebuildIndex } from '../../corpus/catalog.js';
import type { Corpus } from '../../corpus/corpus.js';
import { type ModelTally, readLibrary } from '../../corpus/library.js';
import { TreadleError } from '../../errors.js';
import { generateTasks } from '../../tasks/generate.js';
import type { TaskModels } from '../../tasks/model/models.js';
import { sampleWithModel } from '../../tasks/model/sampled.js';
import { loadWorld, unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { realNumber, shortText, wholeNumber } from '../arguments.js';
import { chosenWorlds } from '../chosen-worlds.js';
import { EXIT } from '../exit.js';
import { onInterrupt } from '../interrupt.js';
import { DEFAULT_OUT, jobsFor, jobsOption, jsonOption, worldOption } from '../options.js';
import { withByHand } from '../pipeline/by-hand.js';
import { makeLibraries } from '../pipeline/library/crew.js';
import {
  authorOf,
  spentLine,
  type TaskModelOptions,
  tallyLines,
  taskModelOptions,
  taskModelsOf,
} from '../pipeline/task-models.js';
import { addVariants, VARIANTS } from '../pipeline/variants.js';
import { makeUi, type Ui } from '../ui.js';

interface Options extends TaskModelOptions {
  world?: string;
  coverage?: number;
  rounds?: number;
  tasks?: number;
  jobs?: number;
  seed?: string;
  json?: boolean;
  variants?: string | true;
  composed?: string | true;
  profiles?: string;
  mix?: string;
}

interface Made {
  world: string;
  tasks: { id: string; family: string; brief: string }[];
  dropped: number;
  /** Share of the world's tools that the library's tasks call; absent where they were sampled. */
  coverage?: number;
  /** What a model said of the tasks. */
  byModel?: ModelTally;
}

const alone = (name: string, value: string): TreadleError =>
  new TreadleError({
    code: 'bad_option',
    message: `--${name} is about composed tasks`,
    value,
    next: 'Add --composed.',
  });

const unjudged = new TreadleError({
  code: 'bad_option',
  message: 'Variants are neither judged nor reworded by a model',
  value: '--variants',
  next: 'Leave --judge and --rewrite out, or --variants.',
});

const COVERAGE = 0.9;
const ROUNDS = 4;
/** A model writes few tasks at a time. */
const MODEL_ROUNDS = 8;

const listed = (corpus: Corpus, world: string, said: ModelTally | undefined): Made => {
  const { tasks, dropped } = corpus.listTasks(world);
  const { coverage, byModel = said } = readLibrary(corpus, world) ?? {};
  return {
    world,
    tasks: tasks.map(({ id, family, brief }) => ({ id, family, brief })),
    dropped: dropped.length,
    ...(coverage === undefined ? {} : { coverage }),
    ...(byModel ? { byModel } : {}),
  };
};

/** So many tasks a world, drawn as a build draws them. */
const sample = async (
  corpus: Corpus,
  worlds: readonly string[],
  count: number,
  seed: string | undefined,
  ui: Ui,
  models: TaskModels | undefined,
): Promise<Map<string, ModelTally>> => {
  const said = new Map<string, ModelTally>();
  const engine = await Engine.start();
  try {
    for (const id of worlds) {
      const world = loadWorld(engine, corpus.readWorld(id));
      const onTry = (kept: number, tried: number): void =>
        ui.progress(`${id}: ${kept} of ${count} tasks, ${tried} tried`);
      const wanted = { count, seed: seed ?? world.spec.seed, onTry };
      const library = models ? await sampleWithModel(world, wanted, models) : generateTasks(world, wanted);
      if (models) said.set(id, models.take());
      unloadWorld(world);
      const files = {
        tasks: library.tasks.map(({ task }) => task),
        certificates: Object.fromEntries(library.tasks.map(({ task, certificate }) => [task.id, certificate])),
        dropped: library.dropped,
      };
      corpus.writeTasks(id, withByHand(corpus, id, world.hash, files));
    }
  } finally {
    engine.close();
  }
  return said;
};

const makeAll = async (
  corpus: Corpus,
  worlds: readonly string[],
  options: Options,
  ui: Ui,
  models: TaskModels | undefined,
): Promise<void> => {
  const { seed, tasks, coverage = COVERAGE, judge = false, rewrite = false } = options;
  const author = authorOf(options);
  const { rounds = author === 'embedded' ? ROUNDS : MODEL_ROUNDS } = options;
  const interrupt = onInterrupt(ui);
  let done = 0;
  try {
    await makeLibraries({
      dir: corpus.dir,
      worlds,
      wanted: {
        coverage,
        rounds,
        ...(seed === undefined ? {} : { seed }),
        ...(tasks === undefined ? {} : { tasks }),
        ...(models ? { model: { name: models.model, author, judge, rewrite } } : {}),
      },
      ...(models ? { models } : {}),
      jobs: jobsFor(options.jobs, worlds.length),
      interrupt,
      onMade: (made) => {
        const before = made.isOld ? ', made before' : '';
        ui.step(
          `  ${++done} of ${worlds.length}: ${made.world}: ${made.tasks} tasks call ${percent(made.coverage)} of its tools${before}`,
        );
      },
      onStep: (line) => ui.progress(line),
    });
  } finally {
    interrupt.end();
  }
};

const vary = async (
  corpus: Corpus,
  worlds: readonly string[],
  asked: string | true,
  seed: string | undefined,
  ui: Ui,
): Promise<void> => {
  const count = asked === true ? VARIANTS : wholeNumber('--variants', 10_000)(asked);
  const engine = await Engine.start();
  try {
    for (const id of worlds) {
      const onMade = (made: number): void => ui.progress(`${id}: ${made} of ${count} variants`);
      const made = addVariants(corpus, engine, id, { count, onMade, ...(seed === undefined ? {} : { seed }) });
      ui.step(`  ${id}: ${made} of ${count} variants`);
    }
  } finally {
    engine.close();
  }
};

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** Briefs are printed for a world or two; of many, the numbers. */
const MOST_PRINTED = 2;

const tell = (ui: Ui, made: readonly Made[]): void => {
  for (const { world, tasks, dropped, coverage, byModel } of made) {
    const covers = coverage === undefined ? '' : `, ${percent(coverage)} of its tools called`;
    ui.say(`${ui.style('bold', world)}: ${tasks.length} tasks${covers}, ${dropped} proposals dropped`);
    if (byModel) for (const line of tallyLines(byModel)) ui.say(`  ${line}`);
    if (made.length <= MOST_PRINTED) for (const { family, brief } of tasks) ui.say(`  ${family.padEnd(8)} ${brief}`);
  }
};

export const tasksCommand = (): Command =>
  taskModelOptions(
    new Command('tasks')
      .description('make the task library of each world of a corpus, in place of the tasks it has')
      .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
      .addOption(worldOption())
      .option(
        '--coverage <share>',
        `stop when tasks call this share of a service's tools (${COVERAGE})`,
        realNumber('--coverage', 0, 1),
      )
      .option('--rounds <n>', `rounds of proposing a service gets at most (${ROUNDS})`, wholeNumber('--rounds', 100))
      .addOption(
        new Option(
          '--tasks <n>',
          'tasks a world: sampled, as build does; with --coverage or --rounds a library and, where it holds fewer, sampled ones beside it',
        ).argParser(wholeNumber('--tasks', 10_000)),
      )
      .option(
        '--variants [n]',
        `and this many variants a world (default ${VARIANTS}): the same structures about other rows, in other words`,
      )
      .option('--composed [n]', 'compose this many tasks of many stages over several services (default 10) instead')
      .option('--profiles <file>', 'ranges and shares of the composed profiles, like data/profiles.yaml')
      .option('--mix <shares>', 'shares of the composed profiles in place of the file: simple=1,expert=2')
      .addOption(jobsOption())
      .addOption(new Option('--seed <seed>', "another seed than the world's own").argParser(shortText('--seed', '7')))
      .addOption(jsonOption()),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  treadle tasks treadle-out\n  treadle tasks treadle-out --coverage 0.95 --rounds 6 --jobs 2\n  treadle tasks treadle-out --tasks 40 --seed 2 --json\n  treadle tasks treadle-out --tasks 8 --variants 10\n  treadle tasks treadle-out --composed 20\n  treadle tasks treadle-out --composed 5 --mix expert=1\n  TREADLE_API_KEY=... treadle tasks treadle-out --model qwen3 --base-url http://127.0.0.1:8000/v1 --budget-rounds 40 --judge\n  treadle tasks treadle-out --tasks 20 --author embedded --rewrite --judge --model qwen3 --base-url http://127.0.0.1:8000/v1\n  treadle tasks treadle-out --composed 20 --model qwen3 --base-url http://127.0.0.1:8000/v1',
    )
    .action(async (dir: string, options: Options) => {
      if (options.composed !== undefined) {
        const { composedTasks } = await import('./tasks-composed.js');
        const asked = options.composed === true ? '10' : options.composed;
        return composedTasks(dir, { ...options, composed: wholeNumber('--composed', 100_000)(asked) });
      }
      for (const name of ['profiles', 'mix'] as const)
        if (options[name] !== undefined) throw alone(name, options[name]);
      if (options.variants !== undefined && (options.judge || options.rewrite)) throw unjudged;
      const ui = makeUi(options.json === true);
      const { corpus, worlds } = chosenWorlds(dir, options.world);
      const { tasks, coverage, rounds } = options;
      const models = taskModelsOf(options, [worlds, tasks, coverage, rounds, options.seed], ui);
      const isDrawn = coverage === undefined && rounds === undefined && authorOf(options) === 'embedded';
      let said = new Map<string, ModelTally>();
      if (isDrawn && tasks !== undefined) said = await sample(corpus, worlds, tasks, options.seed, ui, models);
      else await makeAll(corpus, worlds, options, ui, models);
      if (options.variants !== undefined) await vary(corpus, worlds, options.variants, options.seed, ui);
      rebuildIndex(corpus);
      const made = worlds.map((id) => listed(corpus, id, said.get(id)));
      ui.give(made);
      tell(ui, made);
      if (models) ui.say(`  ${spentLine(models)}`);
      const isShort = made.some(
        (one) =>
          one.tasks.length < (tasks ?? 1) || (one.coverage !== undefined && one.coverage < (coverage ?? COVERAGE)),
      );
      if (isShort) process.exitCode = EXIT.failed;
    });
