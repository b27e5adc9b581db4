/** treadle certify: runs the validators over the worlds of a corpus, keeps the certificates, and says what a person should look at. */
import { Command } from 'commander';
import { type Attention, attentionOf } from '../../certify/attention.js';
import { certifyWorld } from '../../certify/certify.js';
import { FreshPair } from '../../certify/determinism/pair.js';
import { rebuildIndex } from '../../corpus/catalog.js';
import type { Corpus } from '../../corpus/corpus.js';
import { loadWorld, unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { chosenWorlds } from '../chosen-worlds.js';
import { EXIT } from '../exit.js';
import { DEFAULT_OUT, jsonOption, worldOption } from '../options.js';
import { leftOutOf } from '../pipeline/record.js';
import { callsOf } from '../pipeline/slot.js';
import { legend, type VerdictRow, verdictLines, verdictRows } from '../report/verdicts.js';
import { makeUi, type Ui } from '../ui.js';

interface Verdict {
  world: string;
  pass: boolean;
  rows: VerdictRow[];
  attention: Attention[];
}

/** Lines of a list that a terminal shows of one world; --json has them all. */
const MOST_LINES = 8;
const MOST_WHY = 160;

const proveAll = async (corpus: Corpus, worlds: readonly string[], ui: Ui): Promise<void> => {
  const engine = await Engine.start();
  const pair = new FreshPair();
  try {
    for (const id of worlds) {
      ui.progress(`certifying ${id}`);
      const { world, services: specs, images } = corpus.readWorld(id);
      const loaded = loadWorld(engine, { world, services: specs, images });
      const { certificate, services, probes } = certifyWorld(loaded);
      unloadWorld(loaded);
      corpus.writeCertificates(id, { ...services, world: certificate });
      const { tasks } = corpus.readTasks(id);
      await pair.give({ parts: { world, services: specs, images }, calls: callsOf(probes), tasks });
    }
    ui.progress('waiting for the two fresh processes');
    for (const [id, finding] of await pair.findings()) corpus.addFinding(id, finding);
  } finally {
    pair.close();
    engine.close();
  }
};

const verdictOf = (corpus: Corpus, id: string): Verdict => {
  const { world, services, certificates } = corpus.readDescription(id);
  const { tasks, dropped } = corpus.listTasks(id);
  return {
    world: id,
    pass: certificates.world?.pass ?? false,
    rows: verdictRows(id, certificates),
    attention: attentionOf({
      world,
      services,
      certificates,
      leftOut: leftOutOf(corpus, id),
      tasks: { kept: tasks.length, dropped: dropped.length },
    }),
  };
};

const show = (ui: Ui, verdicts: readonly Verdict[]): void => {
  const rows = verdicts.flatMap((verdict) => verdict.rows);
  for (const line of verdictLines(rows, (text) => ui.style('red', text))) ui.say(line);
  ui.say(ui.style('dim', legend()));
  for (const { world, attention } of verdicts.filter((verdict) => verdict.attention.length > 0)) {
    ui.say('');
    ui.say(`To look at in ${world}:`);
    for (const { kind, what, why } of attention.slice(0, MOST_LINES)) {
      const mark = kind === 'failed' ? ui.style('red', 'failed') : kind === 'left_out' ? 'left out' : 'thin';
      ui.say(`  ${mark}: ${what}: ${ui.style('dim', why.slice(0, MOST_WHY))}`);
    }
    if (attention.length > MOST_LINES) ui.say(`  ... and ${attention.length - MOST_LINES} more (--json)`);
  }
  const passed = verdicts.filter(({ pass }) => pass).length;
  ui.say('');
  ui.say(`${passed} of ${verdicts.length} world(s) certified`);
};

export const certifyCommand = (): Command =>
  new Command('certify')
    .description('run the twelve validators again, keep what they saw, and say what to look at')
    .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
    .addOption(worldOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  treadle certify treadle-out\n  treadle certify treadle-out --world nordvik_1a2b3c4d --json',
    )
    .action(async (dir: string, options: { world?: string; json?: boolean }) => {
      const ui = makeUi(options.json === true);
      const { corpus, worlds } = chosenWorlds(dir, options.world);
      await proveAll(corpus, worlds, ui);
      rebuildIndex(corpus);
      const verdicts = worlds.map((id) => verdictOf(corpus, id));
      ui.give({ worlds: verdicts, certificates: worlds.map((id) => corpus.worldCertificate(id)) });
      show(ui, verdicts);
      if (verdicts.some(({ pass }) => !pass)) process.exitCode = EXIT.failed;
    });
