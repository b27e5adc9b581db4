/** treadle import tasks: a world and static tasks of one's own. */
import { Command } from 'commander';
import { rebuildIndex } from '../../corpus/catalog.js';
import { Corpus } from '../../corpus/corpus.js';
import { writeJson, writeWhole } from '../../corpus/files.js';
import { Engine } from '../../world/state/engine.js';
import { jsonOption, outOption, seedOption } from '../options.js';
import { gateLines, importOwn, type OwnImport } from '../pipeline/import/own/import.js';
import { makeUi, type Ui } from '../ui.js';

const reportOf = ({ built, tasks, quarantined }: OwnImport) => ({
  world: built.world.id,
  tasks: tasks.length,
  quarantined: quarantined.length,
  quarantine: quarantined,
  gate: gateLines(tasks.map(({ certificate }) => certificate)),
});

const keep = (corpus: Corpus, imported: OwnImport): void => {
  const { built, certified, tasks, quarantined, licence } = imported;
  corpus.writeWorld({ ...built, certificates: { ...certified.services, world: certified.certificate } });
  corpus.writeTasks(built.world.id, {
    tasks: tasks.map(({ task }) => task),
    certificates: Object.fromEntries(tasks.map(({ task, certificate }) => [task.id, certificate])),
    dropped: quarantined.map(({ task, reason }) => ({ family: 'quarantined', template: `task ${task}`, reason })),
  });
  writeJson(corpus.path(`import-${built.world.id}.json`), {
    treadle: 'import/1',
    from: 'tasks',
    ...reportOf(imported),
  });
  if (licence) writeWhole(corpus.path(`LICENSE-${built.world.id}`), licence);
  rebuildIndex(corpus);
};

const tell = (ui: Ui, imported: OwnImport, out: string): void => {
  const { world, tasks, quarantined, gate } = reportOf(imported);
  ui.say(`${ui.style('bold', `${tasks} tasks`)} in ${out}: world ${world}; ${quarantined} quarantined`);
  for (const { task, reason } of imported.quarantined) ui.say(ui.style('dim', `  ${task} is quarantined: ${reason}`));
  const failing = gate.filter(({ fail }) => fail > 0);
  ui.say(failing.length === 0 ? 'the gate finds nothing wrong with them' : 'what the gate says of them:');
  for (const { line, pass, fail } of failing) ui.say(`  ${line}: ${pass} pass, ${fail} fail`);
  ui.say('');
  ui.say(`look      treadle show ${out}`);
  ui.say(`dynamic   treadle dynamics ${out}`);
};

export const importTasksCommand = (): Command =>
  new Command('tasks')
    .description(
      'import a world and static tasks of yours: services or a document, rows, tasks with references and checks',
    )
    .argument('<folder>', 'folder with world.yaml, or services/ or openapi.yaml or tools.json, data/, tasks/')
    .addOption(outOption())
    .addOption(seedOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Everything is read, checked and replayed before anything is written; what is wrong is one line with its file and place. A task whose
reference raises, or fails its own checks, is quarantined with the reason; the others are judged by the task gate and kept whatever
it says. Where a task brings no checks, they are the state that its reference leaves, split into leaves. See docs/import-format.md.

Examples:
  treadle import tasks my-benchmark --out corpora/mine
  treadle import tasks my-benchmark --out corpora/mine --json
  treadle dynamics corpora/mine`,
    )
    .action(async (folder: string, options: { out: string; seed: string; json?: boolean }) => {
      const ui = makeUi(options.json === true);
      const engine = await Engine.start();
      try {
        const imported = await importOwn(engine, folder, {
          seed: options.seed,
          onTask: (done, of) => ui.progress(`${done} of ${of} tasks replayed and judged`),
        });
        keep(Corpus.open(options.out, true), imported);
        ui.give(reportOf(imported));
        tell(ui, imported, options.out);
      } finally {
        engine.close();
      }
    });
