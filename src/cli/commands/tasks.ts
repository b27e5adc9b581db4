/** treadle tasks: makes the task library of each world anew. */
import { Command, Option } from 'commander';
import { rebuildIndex } from '../../corpus/catalog.js';
import { generateTasks } from '../../tasks/generate.js';
import { loadWorld, unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { TreadleError } from '../../errors.js';
import { shortText, wholeNumber } from '../arguments.js';
import { EXIT } from '../exit.js';
import { chosenWorlds, DEFAULT_OUT, jobsOption, jsonOption, tasksOption, worldOption } from '../options.js';
import { withByHand } from '../pipeline/by-hand.js';
import { makeUi } from '../ui.js';

interface Options {
  world?: string;
  tasks: number;
  seed?: string;
  json?: boolean;
  composed?: string | true;
  profiles?: string;
  mix?: string;
  jobs?: number;
}

const alone = (name: string, value: string): TreadleError =>
  new TreadleError({
    code: 'bad_option',
    message: `--${name} is about composed tasks`,
    value,
    next: 'Add --composed.',
  });

export const tasksCommand = (): Command =>
  new Command('tasks')
    .description('make gated tasks for the worlds of a corpus, in place of those it has')
    .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
    .addOption(worldOption())
    .addOption(tasksOption(12))
    .addOption(new Option('--seed <seed>', "another seed than the world's own").argParser(shortText('--seed', '7')))
    .option('--composed [n]', 'compose this many tasks of many stages over several services (default 10) instead')
    .option('--profiles <file>', 'ranges and shares of the composed profiles, like data/profiles.yaml')
    .option('--mix <shares>', 'shares of the composed profiles in place of the file: simple=1,expert=2')
    .addOption(jobsOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  treadle tasks treadle-out --tasks 40\n  treadle tasks treadle-out --seed 2 --json\n  treadle tasks treadle-out --composed 20\n  treadle tasks treadle-out --composed 5 --mix expert=1',
    )
    .action(async (dir: string, options: Options) => {
      if (options.composed !== undefined) {
        const { composedTasks } = await import('./tasks-composed.js');
        const asked = options.composed === true ? '10' : options.composed;
        return composedTasks(dir, { ...options, composed: wholeNumber('--composed', 100_000)(asked) });
      }
      for (const name of ['profiles', 'mix'] as const)
        if (options[name] !== undefined) throw alone(name, options[name]);
      const ui = makeUi(options.json === true);
      const { corpus, worlds } = chosenWorlds(dir, options.world);
      const engine = await Engine.start();
      const made: { world: string; tasks: { id: string; family: string; brief: string }[]; dropped: number }[] = [];
      try {
        for (const id of worlds) {
          const world = loadWorld(engine, corpus.readWorld(id));
          const onTry = (kept: number, tried: number): void =>
            ui.progress(`${id}: ${kept} of ${options.tasks} tasks, ${tried} tried`);
          const library = generateTasks(world, { count: options.tasks, seed: options.seed ?? world.spec.seed, onTry });
          unloadWorld(world);
          const files = {
            tasks: library.tasks.map(({ task }) => task),
            certificates: Object.fromEntries(library.tasks.map(({ task, certificate }) => [task.id, certificate])),
            dropped: library.dropped,
          };
          corpus.writeTasks(id, withByHand(corpus, id, world.hash, files));
          made.push({
            world: id,
            tasks: library.tasks.map(({ task }) => ({
              id: task.id,
              family: task.nodes[0]?.family ?? '',
              brief: task.brief,
            })),
            dropped: library.dropped.length,
          });
        }
      } finally {
        engine.close();
      }
      rebuildIndex(corpus);
      ui.give(made);
      for (const { world, tasks, dropped } of made) {
        ui.say(`${ui.style('bold', world)}: ${tasks.length} tasks, ${dropped} proposals dropped`);
        for (const { family, brief } of tasks) ui.say(`  ${family.padEnd(8)} ${brief}`);
      }
      if (made.some(({ tasks }) => tasks.length < options.tasks)) process.exitCode = EXIT.failed;
    });
