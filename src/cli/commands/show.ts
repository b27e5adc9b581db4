/** treadle show: what a corpus holds, a world of it, one task in every form with its graph, checks and proof, a scenario, or a rollout. */
import { Command } from 'commander';
import { stringify } from 'yaml';
import { readIndex } from '../../corpus/catalog.js';
import { Corpus } from '../../corpus/corpus.js';
import { readDifficulty } from '../../corpus/difficulty.js';
import { hasFaces } from '../../corpus/faces.js';
import { listScenarios, readScenario, type ScenarioHead, scenarioCertificate } from '../../corpus/scenarios.js';
import { TreadleError } from '../../errors.js';
import { DEFAULT_OUT, jsonOption } from '../options.js';
import { rewriteReport } from '../pipeline/report.js';
import { apiLines } from '../show/api.js';
import { sayScenario, scenarioData } from '../show/scenario/scenario.js';
import { sayTask, taskData } from '../show/task.js';
import { showTrace, showTraceFile } from '../show/trace/command.js';
import { findTrace, isFile, tracesOf } from '../show/trace/find.js';
import { listedIn, listTraces } from '../show/trace/list.js';
import { makeUi, type Ui } from '../ui.js';

/** How many scenarios each world has that has some. */
const scenariosOf = (corpus: Corpus, worlds: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    worlds.flatMap((world) => {
      const n = listScenarios(corpus, world)?.scenarios.length ?? 0;
      return n > 0 ? [[world, n] as const] : [];
    }),
  );

const showCorpus = (corpus: Corpus, ui: Ui): void => {
  const index = readIndex(corpus);
  const scenarios = scenariosOf(
    corpus,
    index.worlds.map(({ id }) => id),
  );
  ui.give({ ...index, ...(Object.keys(scenarios).length > 0 ? { scenarios } : {}) });
  for (const world of index.worlds) {
    ui.say(
      `${ui.style('bold', world.id)}  ${world.company} (${world.country})  ${world.certified ? ui.style('green', 'certified') : ui.style('red', 'not certified')}`,
    );
    ui.say(`  services ${world.services.join(', ')}`);
    ui.say(
      `  ${world.tools} tools, ${world.rows} rows, ${world.invariants} rules, ${world.tasks} tasks (${world.dropped} dropped)`,
    );
    if (hasFaces(corpus, world.id)) ui.say('  answers as the API that it was built from (treadle serve --rest)');
    if (scenarios[world.id]) ui.say(`  ${scenarios[world.id]} scenarios (treadle show CORPUS ${world.id} lists them)`);
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
  const heads = listScenarios(corpus, id)?.scenarios ?? [];
  const { apis, lines } = apiLines(corpus, id);
  ui.give({
    world: files.world,
    ...(apis.length > 0 ? { apis } : {}),
    certificates: files.certificates,
    tasks: tasks.map((task) => ({ id: task.id, brief: task.brief })),
    ...(heads.length > 0 ? { scenarios: heads } : {}),
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
  for (const line of lines) ui.say(line);
  for (const spec of files.services) {
    ui.say(`${ui.style('bold', spec.id)} (${spec.surface.dialect})`);
    for (const [name, tool] of Object.entries(spec.tools))
      ui.say(`  ${name.padEnd(32)} ${ui.style('dim', tool.description.slice(0, 100))}`);
  }
  for (const task of tasks) {
    ui.say(`${task.id}  ${task.brief}`);
    for (const head of heads) if (head.task === task.id) ui.say(ui.style('dim', `  ${headWords(head)}`));
  }
};

const headWords = ({ id, events }: ScenarioHead): string =>
  `${id}: ${events.map((event) => `${event.id} (${event.distractor ? 'distractor' : event.source})`).join(', ')}`;

/** Whether there is such a scenario. */
const showScenario = (corpus: Corpus, ui: Ui, id: string): boolean => {
  for (const world of corpus.worlds()) {
    const head = listScenarios(corpus, world)?.scenarios.find((one) => one.id === id);
    if (!head) continue;
    const scenario = readScenario(corpus, world, head);
    const listed = corpus.listTasks(world).tasks.find((one) => one.id === head.task);
    const task = corpus.readTasks(world).tasks.find((one) => one.id === head.task);
    if (!task || listed?.hash !== head.taskHash) throw changedTask(head);
    const { services, world: spec } = corpus.readDescription(world);
    const certificate = scenarioCertificate(corpus, world, id);
    const shown = { scenario, task, certificate, services, clock: spec.clock };
    ui.give(scenarioData(shown));
    sayScenario(ui, shown);
    return true;
  }
  return false;
};

const changedTask = ({ id, task }: ScenarioHead): TreadleError =>
  new TreadleError({
    code: 'other_task',
    message: `The task of scenario ${id} has changed since, or is gone`,
    value: task,
    next: 'Make the scenarios again: treadle dynamics.',
  });

/** Whether there is such a task. */
const showTask = (corpus: Corpus, ui: Ui, id: string): boolean => {
  for (const world of corpus.worlds()) {
    if (!corpus.listTasks(world).tasks.some((listed) => listed.id === id)) continue;
    const { tasks, certificates } = corpus.readTasks(world);
    const task = tasks.find((candidate) => candidate.id === id);
    if (!task) continue;
    const difficulty = readDifficulty(corpus, world)[id];
    const { services } = corpus.readDescription(world);
    const shown = { task, certificate: certificates[id], services, ...(difficulty ? { difficulty } : {}) };
    ui.give(taskData(shown));
    sayTask(ui, shown);
    return true;
  }
  return false;
};

const showRollout = async (corpus: Corpus, ui: Ui, id: string, full: boolean): Promise<void> => {
  const begins = (head: { id: string }): boolean => head.id.startsWith(id);
  const placed = await findTrace(id, tracesOf(corpus, corpus.worlds(), begins));
  if (placed) return showTrace(ui, placed, corpus, full);
  throw new TreadleError({
    code: 'no_such_id',
    message: 'The corpus has no world, no task, no scenario and no rollout of that id',
    value: id,
    next: `See what it has: treadle show ${corpus.dir}, or its rollouts: treadle show ${corpus.dir} --traces`,
  });
};

const showReport = (corpus: Corpus, ui: Ui): void => {
  const report = rewriteReport(corpus);
  if (report === undefined)
    throw new TreadleError({
      code: 'no_build',
      message: 'No build made this corpus, so it has no report',
      value: corpus.dir,
      next: 'treadle show CORPUS --traces lists its rollouts.',
    });
  ui.give({ report });
  ui.say(report);
};

interface Options {
  json?: boolean;
  traces?: boolean;
  failed?: boolean;
  full?: boolean;
  report?: boolean;
  corpus?: string;
}

const show = async (dir: string, id: string | undefined, options: Options): Promise<void> => {
  const ui = makeUi(options.json === true);
  const { full = false, failed = false, traces = false } = options;
  if (isFile(dir)) {
    const own = options.corpus === undefined ? {} : { corpus: options.corpus };
    return showTraceFile(ui, dir, id, { full, failed, ...own });
  }
  const corpus = Corpus.open(dir);
  if (options.report) return showReport(corpus, ui);
  if (traces || failed) {
    const world = id !== undefined && corpus.hasWorld(id) ? [id] : undefined;
    const task = world || id === undefined ? {} : { task: id };
    await listTraces(ui, listedIn(corpus, world), { failed, ...task });
  } else if (id === undefined) showCorpus(corpus, ui);
  else if (corpus.hasWorld(id)) showWorld(corpus, ui, id);
  else if (!showTask(corpus, ui, id) && !showScenario(corpus, ui, id)) await showRollout(corpus, ui, id, full);
};

export const showCommand = (): Command =>
  new Command('show')
    .description('show a corpus, one of its worlds, tasks, scenarios or rollouts')
    .argument('[corpus]', 'corpus folder, or a file of rollouts', DEFAULT_OUT)
    .argument('[id]', 'a world, a task, a scenario, or a rollout: as much of its id as no other has')
    .option('--traces', 'list the rollouts (of the world, task or scenario, where one is named)')
    .option('--failed', 'list those that did not pass')
    .option('--report', 'write report.html anew, of however many worlds and rollouts')
    .option('--full', 'fold nothing of a rollout')
    .option('--corpus <dir>', 'where the tasks of a file of rollouts are (default: the corpus it lies in)')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  treadle show
  treadle show treadle-out nordvik_1a2b3c4d
  treadle show treadle-out nordvik-1a2b3c4d-action-003 --json
  treadle show treadle-out nordvik-1a2b3c4d-action-003-e1   a scenario: its events, and what they make of checks and reference
  treadle show treadle-out --failed                     the rollouts that did not pass, with their ids
  treadle show treadle-out 3fa9c1                       one as a conversation, with what each call did to the state
  treadle show runs.jsonl 3fa9c1 --corpus treadle-out   the same from a file, such as treadle test --traces writes`,
    )
    .action(show);
