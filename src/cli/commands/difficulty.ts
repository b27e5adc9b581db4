/** treadle difficulty: measures how hard the tasks of a corpus are, and keeps it beside them. */
import { Command, Option } from 'commander';
import { type TaskDifficulty, writeDifficulty } from '../../corpus/difficulty.js';
import { TreadleError } from '../../errors.js';
import { loadWorld, unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { wholeNumber } from '../arguments.js';
import { chosenWorlds } from '../chosen-worlds.js';
import { DEFAULT_OUT, jsonOption, seedOption, worldOption } from '../options.js';
import { type DifficultyFigures, figuresOf, measureDifficulty } from '../pipeline/difficulty.js';
import { rewriteReport } from '../pipeline/report.js';
import { makeUi } from '../ui.js';

interface Options {
  world?: string;
  rates: number[];
  runs: number;
  seed: string;
  json?: boolean;
}

const ratesIn = (text: string): number[] => {
  const parts = text.split(',').map((part) => part.trim());
  const rates = [...new Set(parts.map(Number))].sort((a, b) => a - b);
  if (rates.length <= 10 && parts.every((part) => part !== '') && rates.every((rate) => rate >= 0 && rate <= 1))
    return rates;
  throw new TreadleError({
    code: 'bad_option',
    message: '--rates takes up to 10 numbers from 0 to 1 between commas',
    value: text.slice(0, 60),
    next: 'Give for example --rates 0.05,0.1,0.2.',
  });
};

/** `9 calls, 3 look-ups ... passes 0.05: 90 %, 0.1: 75 %` */
const line = ({ tasks, calls, lookups, services, distractors, success }: DifficultyFigures): string => {
  const parts = [
    `${tasks} tasks`,
    `${calls.toFixed(1)} calls`,
    `${lookups.toFixed(1)} look-ups`,
    `${services.toFixed(1)} services`,
    `${distractors.toFixed(1)} distractors`,
    ...success.map(({ rate, share }) => `${(share * 100).toFixed(0)} % at ${rate}`),
  ];
  return parts.join(', ');
};

export const difficultyCommand = (): Command =>
  new Command('difficulty')
    .description('measure how hard the tasks are: what they take, and how often a careless agent meets them')
    .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
    .addOption(worldOption())
    .addOption(
      new Option('--rates <list>', 'chances of a slip at each step').default([0.05, 0.1, 0.2]).argParser(ratesIn),
    )
    .addOption(new Option('--runs <n>', 'seeded runs a rate').default(10).argParser(wholeNumber('--runs', 10_000)))
    .addOption(seedOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Counts each task's calls, look-ups, services and distractors (rows that miss its description by one part), and runs its
reference with seeded slips: a wrong entity, a step left out, a malformed or repeated call, a write nobody asked for, a shotgun
answer. Kept in tasks/difficulty.json, shown by treadle show TASK and in report.html.

Examples:
  treadle difficulty treadle-out
  treadle difficulty treadle-out --rates 0.02,0.3 --runs 50 --json`,
    )
    .action(async (dir: string, options: Options) => {
      const ui = makeUi(options.json === true);
      const { corpus, worlds } = chosenWorlds(dir, options.world);
      const { rates, runs, seed } = options;
      const engine = await Engine.start();
      const all: Record<string, Record<string, TaskDifficulty>> = {};
      const families = new Map<string, TaskDifficulty[]>();
      try {
        for (const id of worlds) {
          const { tasks } = corpus.readTasks(id);
          const world = loadWorld(engine, corpus.readWorld(id));
          let done = 0;
          const onDone = (): void => ui.progress(`${id}: ${++done} of ${tasks.length} tasks measured`);
          const measured = await measureDifficulty(world, tasks, { rates, runs, seed, onDone });
          unloadWorld(world);
          writeDifficulty(corpus, id, { seed, tasks: measured });
          all[id] = measured;
          for (const task of tasks) {
            const name =
              task.kind === 'composed' ? `composed ${task.profile ?? ''}`.trim() : (task.nodes[0]?.family ?? '');
            const own = measured[task.id];
            if (own) families.set(name, [...(families.get(name) ?? []), own]);
          }
        }
      } finally {
        engine.close();
      }
      const report = rewriteReport(corpus);
      const by = Object.fromEntries([...families].map(([name, own]) => [name, figuresOf(own)]));
      const whole = figuresOf([...families.values()].flat());
      ui.give({ rates, runs, seed, all: whole ?? null, families: by, worlds: all, report: report ?? null });
      if (!whole) ui.say('There is no task to measure.');
      else ui.say(`${ui.style('bold', 'all')}: ${line(whole)}`);
      for (const [name, own] of [...families].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const figures = figuresOf(own);
        if (figures) ui.say(`  ${name.padEnd(12)} ${line(figures)}`);
      }
      if (report) ui.say(`report ${report}`);
    });
