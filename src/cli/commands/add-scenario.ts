/** treadle add-scenario: a scenario that a person wrote, put through the rules and kept beside the made ones. */
import { Command } from 'commander';
import { Engine } from '../../world/state/engine.js';
import { chosenWorlds } from '../chosen-worlds.js';
import { jsonOption } from '../options.js';
import { addScenario } from '../pipeline/dynamics/by-hand.js';
import { rewriteReport } from '../pipeline/report.js';
import { makeUi } from '../ui.js';

export const addScenarioCommand = (): Command =>
  new Command('add-scenario')
    .description('put a scenario that you wrote through the ten rules and keep it with the others')
    .argument('<corpus>', 'corpus folder')
    .argument('<file>', 'the scenario in YAML or JSON')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The file names its task (taskId) and its events; hashes, empty lists and the re-solved reference may be left out. A missing
record, a tool that does not exist, an event that never fires, one that contradicts another, gives the answer away or makes the
task impossible: refused with the rule and the evidence, and nothing is written. docs/dynamics.md shows one.

Examples:
  treadle add-scenario treadle-out late-change.yaml
  treadle rollout treadle-out --scenarios invoice-update-001-by-hand`,
    )
    .action(async (dir: string, file: string, options: { json?: boolean }) => {
      const ui = makeUi(options.json === true);
      const { corpus } = chosenWorlds(dir, undefined);
      const engine = await Engine.start();
      try {
        const added = addScenario(corpus, engine, file);
        rewriteReport(corpus);
        ui.give(added);
        const { scenario, world, certificate } = added;
        ui.say(`${ui.style('bold', scenario.id)} is kept with ${world}: ${scenario.events.length} events`);
        for (const { id, evidence } of certificate.findings) ui.say(`  ok ${id}: ${evidence[0] ?? ''}`);
      } finally {
        engine.close();
      }
    });
