/** treadle dynamics: turns the tasks of a corpus into scenarios. */
import { Command, Option } from 'commander';
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import { TreadleError } from '../../errors.js';
import { nameList, wholeNumber } from '../arguments.js';
import { chosenWorlds } from '../chosen-worlds.js';
import { EXIT } from '../exit.js';
import { onInterrupt } from '../interrupt.js';
import { DEFAULT_OUT, jobsFor, jobsOption, jsonOption, seedOption, worldOption } from '../options.js';
import { countWords, scenarioCounts } from '../pipeline/dynamics/counts.js';
import { makeAllScenarios } from '../pipeline/dynamics/crew.js';
import type { MadeScenarios } from '../pipeline/dynamics/make.js';
import {
  type EventModelOptions,
  eventModelOptions,
  eventModelsOf,
  eventTallyLines,
  modelSettings,
} from '../pipeline/dynamics/models.js';
import { sourcesIn } from '../pipeline/dynamics/sources.js';
import { rewriteReport } from '../pipeline/report.js';
import { makeUi, type Ui } from '../ui.js';

interface Options extends EventModelOptions {
  world?: string;
  task?: string[];
  perTask: number;
  events: number;
  sources?: ScenarioEvent['source'][];
  jobs?: number;
  seed: string;
  json?: boolean;
}

/** Refused candidates that are printed; the rest are in scenarios/index.json. */
const MOST_PRINTED = 5;

const tell = (ui: Ui, dir: string, made: readonly MadeScenarios[]): void => {
  const counts = scenarioCounts(made);
  ui.say(
    `${ui.style('bold', `${counts.scenarios} scenarios`)} of ${counts.dynamicTasks} of ${counts.tasks} tasks in ${counts.worlds} worlds, ${counts.events} events`,
  );
  ui.say(`  sources   ${countWords(counts.sources)}`);
  ui.say(`  triggers  ${countWords(counts.triggers)}`);
  ui.say(`  told by   ${countWords(counts.told)}`);
  ui.say(`  events    ${countWords(counts.eventsAScenario)} a scenario; depth ${countWords(counts.depth)}`);
  const share = counts.refusedShare === null ? '' : ` (${(counts.refusedShare * 100).toFixed(1)} %)`;
  ui.say(
    `  refused   ${counts.refused} of ${counts.candidates} candidates${share}: ${countWords(counts.refusedByRule)}`,
  );
  const refused = made.flatMap((one) => one.refused);
  for (const { task, event, rule, evidence } of refused.slice(0, MOST_PRINTED))
    ui.say(ui.style('dim', `    ${task}: ${event}: ${rule}: ${evidence.slice(0, 160)}`));
  if (refused.length > MOST_PRINTED)
    ui.say(ui.style('dim', `    and ${refused.length - MOST_PRINTED} more, in worlds/*/scenarios/index.json`));
  const example = made.find(({ scenarios }) => scenarios.length > 0)?.scenarios[0]?.id;
  if (example === undefined) return;
  ui.say('');
  ui.say(`look      treadle show ${dir} ${example}`);
  ui.say(`roll out  treadle rollout ${dir} --scenarios`);
};

const known = (dir: string, { world, task }: Options): ReturnType<typeof chosenWorlds> => {
  const chosen = chosenWorlds(dir, world);
  const ids = new Set(chosen.worlds.flatMap((id) => chosen.corpus.listTasks(id).tasks.map((one) => one.id)));
  const missing = task?.find((id) => !ids.has(id));
  if (ids.size > 0 && missing === undefined) return chosen;
  throw new TreadleError({
    code: 'no_task',
    message: missing === undefined ? 'The corpus has no tasks' : 'There is no such task',
    value: missing ?? dir,
    next: missing === undefined ? 'Make some: treadle tasks CORPUS.' : 'See treadle show CORPUS for what is there.',
  });
};

export const dynamicsCommand = (): Command =>
  eventModelOptions(new Command('dynamics'))
    .description('turn the tasks into dynamic scenarios: events that change what is asked, known or possible')
    .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
    .addOption(worldOption())
    .addOption(new Option('--task <ids>', 'only of these tasks').argParser(nameList))
    .addOption(
      new Option('--per-task <n>', 'scenarios a task, at most').default(2).argParser(wholeNumber('--per-task', 1000)),
    )
    .addOption(
      new Option('--events <n>', 'events a scenario, at most').default(3).argParser(wholeNumber('--events', 12)),
    )
    .addOption(
      new Option('--sources <list>', 'only events of these sources: requirement, state, information, fault').argParser(
        sourcesIn,
      ),
    )
    .addOption(jobsOption())
    .addOption(seedOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Every event is proposed from the task's own rows, calls and checks, and accepted only by execution: ten rules, among them that the
old plan fails, that the re-solved reference passes, that it can be noticed in time and that no other check changes its verdict.
What was refused keeps the rule and the evidence. Kept in worlds/<id>/scenarios, in place of what was there; a run that was
stopped goes on at the world. See docs/dynamics.md. With --model a model proposes events, too, which the same rules accept, and
words what is told (--rewrite); see docs/dynamic-models.md.

Examples:
  treadle dynamics treadle-out
  treadle dynamics treadle-out --per-task 4 --sources requirement,state
  treadle dynamics treadle-out --events 1 --seed 2 --json
  treadle dynamics treadle-out --model qwen3 --base-url http://127.0.0.1:8000/v1 --author both --rewrite
  treadle rollout treadle-out --scenarios --policy stale`,
    )
    .action(async (dir: string, options: Options) => {
      const ui = makeUi(options.json === true);
      const { corpus, worlds } = known(dir, options);
      const { seed, perTask, events: most, sources, task: tasks } = options;
      const settings = { seed, perTask, most, ...(sources ? { sources } : {}), ...modelSettings(options) };
      const models = eventModelsOf(options, dir, settings, [worlds, tasks], ui);
      const interrupt = onInterrupt(ui);
      const made: MadeScenarios[] = [];
      try {
        await makeAllScenarios({
          dir,
          worlds,
          wanted: { settings, ...(tasks ? { tasks } : {}) },
          models,
          jobs: jobsFor(options.jobs, worlds.length),
          interrupt,
          onMade: (one) => {
            made.push(one);
            const before = one.isOld ? ', made before' : '';
            ui.step(
              `  ${made.length} of ${worlds.length}: ${one.world}: ${one.scenarios.length} scenarios of ${one.dynamic} of ${one.tasks} tasks${before}`,
            );
          },
          onStep: (line) => ui.progress(line),
        });
      } finally {
        interrupt.end();
      }
      made.sort((a, b) => (a.world < b.world ? -1 : 1));
      const report = rewriteReport(corpus);
      const cpuS = made.reduce((sum, one) => sum + one.cpuS, 0);
      ui.give({ ...scenarioCounts(made), cpuS, worlds_made: made, ...(report ? { report } : {}) });
      tell(ui, dir, made);
      for (const line of eventTallyLines(made.flatMap(({ byModel, isOld }) => (byModel && !isOld ? [byModel] : []))))
        ui.say(`  ${line}`);
      if (made.every(({ scenarios }) => scenarios.length === 0)) process.exitCode = EXIT.failed;
    });
