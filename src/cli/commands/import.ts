/** treadle import: tasks and data of others as a corpus. */
import { Command } from 'commander';
import { rebuildIndex } from '../../corpus/catalog.js';
import { Corpus } from '../../corpus/corpus.js';
import { writeJson, writeWhole } from '../../corpus/files.js';
import { Engine } from '../../world/state/engine.js';
import { EXIT } from '../exit.js';
import { jsonOption, outOption, seedOption } from '../options.js';
import { importTau2, type Tau2Import } from '../pipeline/import/tau2/import.js';
import { gateText } from '../pipeline/import/tau2/table.js';
import { makeUi, type Ui } from '../ui.js';
import { importTasksCommand } from './import-tasks.js';

interface Tau2Options {
  out: string;
  service?: string;
  lookUps?: boolean;
  seed: string;
  json?: boolean;
}

const reportOf = ({ judged, quarantined, replays, gate, total }: Tau2Import) => ({
  total,
  tasks: judged.length,
  replays_equal: replays?.equal ?? null,
  results_equal: replays?.results ?? null,
  different: replays?.different ?? [],
  quarantined: quarantined.length,
  quarantine: quarantined,
  gate,
});

const keep = (corpus: Corpus, imported: Tau2Import): void => {
  const { built, certified, judged, quarantined } = imported;
  corpus.writeWorld({ ...built, certificates: { ...certified.services, world: certified.certificate } });
  corpus.writeTasks(built.world.id, {
    tasks: judged.map(({ task }) => task),
    certificates: Object.fromEntries(judged.map(({ task, certificate }) => [task.id, certificate])),
    dropped: quarantined.map(({ task, reason }) => ({ family: 'quarantined', template: `task ${task}`, reason })),
  });
  writeJson(corpus.path('import.json'), { treadle: 'import/1', from: 'tau2', ...reportOf(imported) });
  if (imported.licence !== undefined) writeWhole(corpus.path('LICENSE-tau2-bench'), imported.licence);
  rebuildIndex(corpus);
};

const tell = (ui: Ui, { built, judged, quarantined, replays, gate, total }: Tau2Import, out: string): void => {
  const rows = Object.values(Object.values(built.world.rows)[0] ?? {}).reduce((sum, n) => sum + n, 0);
  ui.say(
    `${judged.length} of ${total} tasks in ${out}: world ${built.world.id}, ${rows} rows; ${quarantined.length} quarantined`,
  );
  if (replays) {
    ui.say(
      `${replays.equal} of ${total} replays change exactly what was recorded, ${replays.results} also answer alike`,
    );
    if (replays.different.length > 0) ui.say(ui.style('red', `  different: ${replays.different.join(', ')}`));
    if (replays.missing.length > 0) ui.say(ui.style('yellow', `  not recorded: ${replays.missing.join(', ')}`));
  } else
    ui.say(ui.style('yellow', 'There is no reference-replay.jsonl in the folder: nothing to hold the replays against'));
  for (const { task, reason } of quarantined) ui.say(ui.style('dim', `  task ${task} is quarantined: ${reason}`));
  ui.say('');
  for (const line of gateText(gate)) ui.say(line);
};

const tau2Command = (): Command =>
  new Command('tau2')
    .description("import tau2-bench's retail domain: its data, its tasks, and what the task gate says of them")
    .argument(
      '<dir>',
      'folder with db.json, tasks.json, policy.md; split_tasks.json and reference-replay.jsonl where it has them',
    )
    .addOption(outOption())
    .option('--service <file>', "the domain's ServiceSpec (default: examples/tau2-retail/service.yaml)")
    .option(
      '--look-ups',
      'complete each reference with the reads that its writes presuppose; what it leaves stays the same',
    )
    .addOption(seedOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Every reference is replayed on a session of its own. One that raises quarantines its task, with the reason; the others are judged
by the task gate, and kept whatever it says: treadle show CORPUS TASK. The benchmark's own text goes into the corpus, its licence with it.

Examples:
  treadle import tau2 tau2-bench/data/tau2/domains/retail --out retail
  treadle import tau2 ../shared/data/tau2 --look-ups --out retail
  treadle import tau2 ../shared/data/tau2 --out retail --json | tail -n 1`,
    )
    .action(async (dir: string, options: Tau2Options) => {
      const ui = makeUi(options.json === true);
      const engine = await Engine.start();
      try {
        const imported = importTau2(engine, dir, {
          seed: options.seed,
          ...(options.service === undefined ? {} : { service: options.service }),
          ...(options.lookUps ? { lookUps: true } : {}),
          onTask: (done, of) => ui.progress(`${done} of ${of} tasks replayed and judged`),
        });
        keep(Corpus.open(options.out, true), imported);
        // One line: what came before it on the screen, a reader can cut off.
        if (ui.json) process.stdout.write(`${JSON.stringify(reportOf(imported))}\n`);
        tell(ui, imported, options.out);
        const { replays } = imported;
        if (replays && replays.different.length > 0) process.exitCode = EXIT.failed;
      } finally {
        engine.close();
      }
    });

export const importCommand = (): Command =>
  new Command('import')
    .description('take tasks and data of others into a corpus')
    .addCommand(importTasksCommand())
    .addCommand(tau2Command())
    .addHelpText('after', '\nExamples:\n  treadle import tasks --help\n  treadle import tau2 --help');
