/** treadle add-task: a task that a person wrote, put through the gate and kept beside the made ones. */
import { basename } from 'node:path';
import { Command } from 'commander';
import { readBytes } from '../../corpus/files.js';
import { admitByHand } from '../../tasks/by-hand/admit.js';
import { handTaskOf } from '../../tasks/by-hand/form.js';
import { Page } from '../../tasks/by-hand/page.js';
import { idFor, worldFor } from '../../tasks/by-hand/place.js';
import { loadWorld, unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { chosenWorlds } from '../chosen-worlds.js';
import { jsonOption } from '../options.js';
import { refresh } from '../pipeline/report.js';
import { makeUi } from '../ui.js';

export const addTaskCommand = (): Command =>
  new Command('add-task')
    .description('put a task that you wrote through the gate and keep it with the others')
    .argument('<corpus>', 'corpus folder')
    .argument('<file>', 'the task in YAML')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The file says what is asked, the calls that meet it, and the answer; checks are made from what the calls change. What cannot
be run, judged or told apart is refused with its line, and nothing is written. docs/tasks-by-hand.md shows one.

Examples:
  treadle add-task treadle-out refund.yaml
  treadle add-task treadle-out refund.yaml --json
  treadle show treadle-out refund-late-order`,
    )
    .action(async (dir: string, file: string, options: { json?: boolean }) => {
      const ui = makeUi(options.json === true);
      const { corpus } = chosenWorlds(dir, undefined);
      const page = Page.read(basename(file), Buffer.from(readBytes(file)).toString('utf8'));
      const written = handTaskOf(page);
      const id = worldFor(corpus, page, written);
      const taskId = idFor(corpus, page, id, written);
      const engine = await Engine.start();
      try {
        const world = loadWorld(engine, corpus.readWorld(id));
        const { task, certificate } = admitByHand(world, page, written, taskId);
        unloadWorld(world);
        const { tasks, certificates, dropped } = corpus.readTasks(id);
        corpus.writeTasks(id, {
          tasks: [...tasks, task],
          certificates: { ...certificates, [task.id]: certificate },
          dropped,
        });
        refresh(corpus);
        ui.give({ world: id, task, certificate });
        ui.say(`${ui.style('bold', task.id)} is kept with ${id}: ${task.reference.calls.length} calls`);
        for (const { id: line, evidence } of certificate.findings) ui.say(`  ok ${line}: ${evidence[0] ?? ''}`);
      } finally {
        engine.close();
      }
    });
