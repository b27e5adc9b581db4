/** treadle tasks: makes the task library of each world anew. */
import { Command, Option } from 'commander';
import { rebuildIndex } from '../../corpus/catalog.js';
import { generateTasks } from '../../tasks/generate.js';
import { loadWorld, unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { shortText } from '../arguments.js';
import { EXIT } from '../exit.js';
import { chosenWorlds, DEFAULT_OUT, jsonOption, tasksOption, worldOption } from '../options.js';
import { withByHand } from '../pipeline/by-hand.js';
import { makeUi } from '../ui.js';

interface Options {
  world?: string;
  tasks: number;
  seed?: string;
  json?: boolean;
}

export const tasksCommand = (): Command =>
  new Command('tasks')
    .description('make gated tasks for the worlds of a corpus, in place of those it has')
    .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
    .addOption(worldOption())
    .addOption(tasksOption(12))
    .addOption(new Option('--seed <seed>', "another seed than the world's own").argParser(shortText('--seed', '7')))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  treadle tasks treadle-out --tasks 40\n  treadle tasks treadle-out --seed 2 --json',
    )
    .action(async (dir: string, options: Options) => {
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
