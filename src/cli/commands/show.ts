/** treadle show: what a corpus holds, a world of it, or one task in every form, with its graph, checks and proof. */
import { Command } from 'commander';
import { stringify } from 'yaml';
import { readIndex } from '../../corpus/catalog.js';
import { Corpus } from '../../corpus/corpus.js';
import { readDifficulty } from '../../corpus/difficulty.js';
import { TreadleError } from '../../errors.js';
import { DEFAULT_OUT, jsonOption } from '../options.js';
import { sayTask, taskData } from '../show/task.js';
import { makeUi, type Ui } from '../ui.js';

const showCorpus = (corpus: Corpus, ui: Ui): void => {
  const index = readIndex(corpus);
  ui.give(index);
  for (const world of index.worlds) {
    ui.say(
      `${ui.style('bold', world.id)}  ${world.company} (${world.country})  ${world.certified ? ui.style('green', 'certified') : ui.style('red', 'not certified')}`,
    );
    ui.say(`  services ${world.services.join(', ')}`);
    ui.say(
      `  ${world.tools} tools, ${world.rows} rows, ${world.invariants} rules, ${world.tasks} tasks (${world.dropped} dropped)`,
    );
    for (const [producer, { rollouts, unfinished, passed }] of Object.entries(world.producers)) {
      const apart = unfinished > 0 ? `, ${unfinished} more did not finish` : '';
      ui.say(`  ${producer}: ${passed} of ${rollouts - unfinished} rollouts passed${apart}`);
    }
  }
  if (index.worlds.length === 0) ui.say('The corpus holds no world yet.');
};

const showWorld = (corpus: Corpus, ui: Ui, id: string): void => {
  const files = corpus.readDescription(id);
  const { tasks } = corpus.readTasks(id);
  ui.give({
    world: files.world,
    certificates: files.certificates,
    tasks: tasks.map((task) => ({ id: task.id, brief: task.brief })),
  });
  ui.say(
    stringify(
      {
        company: files.world.company,
        links: files.world.links.map(({ says }) => says),
        rules: files.world.invariants.map(({ says }) => says),
      },
      { lineWidth: 120 },
    ).trimEnd(),
  );
  for (const spec of files.services) {
    ui.say(`${ui.style('bold', spec.id)} (${spec.surface.dialect})`);
    for (const [name, tool] of Object.entries(spec.tools))
      ui.say(`  ${name.padEnd(32)} ${ui.style('dim', tool.description.slice(0, 100))}`);
  }
  for (const task of tasks) ui.say(`${task.id}  ${task.brief}`);
};

const showTask = (corpus: Corpus, ui: Ui, id: string): void => {
  for (const world of corpus.worlds()) {
    const { tasks, certificates } = corpus.readTasks(world);
    const task = tasks.find((candidate) => candidate.id === id);
    if (!task) continue;
    const difficulty = readDifficulty(corpus, world)[id];
    const { services } = corpus.readDescription(world);
    const shown = { task, certificate: certificates[id], services, ...(difficulty ? { difficulty } : {}) };
    ui.give(taskData(shown));
    sayTask(ui, shown);
    return;
  }
  throw new TreadleError({
    code: 'no_such_id',
    message: 'The corpus has no world and no task of that id',
    value: id,
    next: `See what it has: treadle show ${corpus.dir}`,
  });
};

export const showCommand = (): Command =>
  new Command('show')
    .description('show a corpus, one of its worlds, or one of its tasks')
    .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
    .argument('[id]', 'a world or a task')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  treadle show\n  treadle show treadle-out nordvik_1a2b3c4d\n  treadle show treadle-out nordvik-1a2b3c4d-action-003 --json',
    )
    .action((dir: string, id: string | undefined, options: { json?: boolean }) => {
      const ui = makeUi(options.json === true);
      const corpus = Corpus.open(dir);
      if (id === undefined) showCorpus(corpus, ui);
      else if (corpus.hasWorld(id)) showWorld(corpus, ui, id);
      else showTask(corpus, ui, id);
    });
