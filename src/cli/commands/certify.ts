/** treadle certify: runs the validators over the worlds of a corpus and keeps the certificates. */
import { Command } from 'commander';
import { certifyWorld } from '../../certify/certify.js';
import { checkDeterminism } from '../../certify/determinism/processes.js';
import type { Job } from '../../certify/determinism/script.js';
import { rebuildIndex } from '../../corpus/catalog.js';
import { loadWorld, unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { EXIT } from '../exit.js';
import { chosenWorlds, DEFAULT_OUT, jsonOption, worldOption } from '../options.js';
import { callsOf } from '../pipeline/slot.js';
import { makeUi } from '../ui.js';

export const certifyCommand = (): Command =>
  new Command('certify')
    .description('run the validators again and keep what they saw')
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
      const engine = await Engine.start();
      const jobs: Job[] = [];
      try {
        for (const id of worlds) {
          ui.progress(`certifying ${id}`);
          const files = corpus.readWorld(id);
          const loaded = loadWorld(engine, files);
          const { certificate, services, probes } = certifyWorld(loaded);
          unloadWorld(loaded);
          corpus.writeCertificates(id, { ...services, world: certificate });
          jobs.push({ world: id, calls: callsOf(probes), tasks: corpus.readTasks(id).tasks.map((task) => task.id) });
        }
        ui.progress(`running ${jobs.length} world(s) again in two fresh processes`);
        for (const [id, finding] of await checkDeterminism({ corpus: corpus.dir, jobs }))
          corpus.addFinding(id, finding);
      } finally {
        engine.close();
      }
      rebuildIndex(corpus);
      const certificates = worlds.map((id) => corpus.worldCertificate(id));
      ui.give(certificates);
      for (const certificate of certificates) {
        if (!certificate) continue;
        ui.say(`${certificate.pass ? ui.style('green', 'certified') : ui.style('red', 'failed')} ${certificate.name}`);
        for (const { id, pass, evidence } of certificate.findings)
          ui.say(
            `  ${pass ? '✓' : ui.style('red', '✗')} ${id.padEnd(14)} ${ui.style('dim', (evidence[0] ?? '').slice(0, 140))}`,
          );
      }
      if (certificates.some((certificate) => !certificate?.pass)) process.exitCode = EXIT.failed;
    });
