/** treadle rollout: a policy acts on the tasks of a corpus; traces and verdicts are kept. */
import { Command, Option } from 'commander';
import { DETAILS } from '../../artifacts/disclosure.js';
import { behaviourOf } from '../../verify/behaviour/registry.js';
import { type RewardShape, rewardOf } from '../../verify/reward.js';
import { loadWorld, unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { realNumber, wholeNumber } from '../arguments.js';
import { EXIT } from '../exit.js';
import {
  chosenWorlds,
  DEFAULT_OUT,
  jsonOption,
  penaltyOption,
  rewardOption,
  seedOption,
  worldOption,
} from '../options.js';
import { type ActingOptions, POLICIES, policyOf, viewOf } from '../pipeline/acting.js';
import { refresh } from '../pipeline/report.js';
import { RolloutSums } from '../pipeline/rollout-sums.js';
import { keepTraces, type Rolled, rollWorld } from '../pipeline/rollouts.js';
import { makeUi } from '../ui.js';

interface Options extends ActingOptions {
  world?: string;
  samples: number;
  concurrency: number;
  turns?: number;
  reward: RewardShape;
  penalty: Record<string, number>;
  json?: boolean;
}

export const rolloutCommand = (): Command =>
  new Command('rollout')
    .description('let a policy act on the tasks and judge what it did')
    .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
    .addOption(worldOption())
    .addOption(new Option('--policy <kind>', 'who acts').choices([...POLICIES]).default('reference'))
    .addOption(
      new Option('--user <kind>', 'who asks: nobody (the whole brief at once), or a simulated user stage by stage')
        .choices(['none', 'simulated'])
        .default('none'),
    )
    .addOption(new Option('--detail <detail>', 'how explicit requests are').choices([...DETAILS]).default('full'))
    .option('--user-model <name>', 'a model that words what the simulated user says')
    .option('--user-base-url <url>', 'its endpoint (default: --base-url)')
    .addOption(new Option('--samples <n>', 'rollouts a task').default(1).argParser(wholeNumber('--samples', 10_000)))
    .addOption(
      new Option('--concurrency <n>', 'rollouts at a time').default(8).argParser(wholeNumber('--concurrency', 512)),
    )
    .addOption(
      new Option('--turns <n>', 'assistant messages a rollout (default: 30, more for long tasks)').argParser(
        wholeNumber('--turns', 1000),
      ),
    )
    .option('--base-url <url>', 'OpenAI-compatible endpoint (policy model)')
    .option('--model <name>', 'its model (policy model)')
    .addOption(
      new Option('--retries <n>', 'further attempts a request (policy model)')
        .default(4)
        .argParser(wholeNumber('--retries', 100, 0)),
    )
    .addOption(
      new Option('--timeout <s>', 'seconds one answer may take (policy model)')
        .default(120)
        .argParser(wholeNumber('--timeout', 86_400)),
    )
    .addOption(
      new Option('--temperature <t>', 'sampling temperature (policy model)').argParser(
        realNumber('--temperature', 0, 10),
      ),
    )
    .addOption(rewardOption())
    .addOption(penaltyOption())
    .addOption(seedOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  treadle rollout treadle-out --policy scripted --samples 4\n  treadle rollout treadle-out --policy asking --user simulated --detail vague\n  treadle rollout treadle-out --policy scripted --reward milestones --penalty no_progress_repetition=0.1 --json\n  TREADLE_API_KEY=... treadle rollout treadle-out --policy model --base-url http://127.0.0.1:8000/v1 --model qwen3',
    )
    .action(async (dir: string, options: Options) => {
      const ui = makeUi(options.json === true);
      const policyFor = policyOf(options);
      const view = viewOf(options);
      const { corpus, worlds } = chosenWorlds(dir, options.world);
      const engine = await Engine.start();
      const sums = new RolloutSums();
      try {
        for (const id of worlds) {
          const world = loadWorld(engine, corpus.readWorld(id));
          const { tasks } = corpus.readTasks(id);
          const onDone = (done: number, ok: number): void =>
            ui.progress(`${id}: ${done} of ${tasks.length * options.samples}, ${ok} passed`);
          const rolled = await rollWorld(world, tasks, {
            samples: options.samples,
            seed: options.seed,
            concurrency: options.concurrency,
            ...(options.turns === undefined ? {} : { limits: { turns: options.turns } }),
            policyFor,
            view,
            onDone,
          });
          unloadWorld(world);
          const rewarded = rolled.map((each): Rolled => {
            const reward = rewardOf(each.verdict, behaviourOf(each.trace), options.reward, options.penalty);
            return { ...each, reward };
          });
          keepTraces(corpus, id, rewarded);
          sums.add(rewarded);
        }
      } finally {
        engine.close();
      }
      refresh(corpus);
      const { rollouts, unfinished, passed, behaviour, problems, reward } = sums.summary();
      const finished = rollouts - unfinished;
      const passRate = finished > 0 ? passed / finished : null;
      ui.give({ rollouts, unfinished, passed, passRate, behaviour, reward, problems, traces: corpus.path('traces') });
      const percent = passRate === null ? '' : ` (${(passRate * 100).toFixed(1)} %)`;
      ui.say(`${passed} of ${finished} rollouts passed${percent}; traces in ${corpus.path('traces')}`);
      if (reward && (reward.shape !== 'all' || Object.keys(options.penalty).length > 0)) {
        const cost = reward.penalties.map(({ flag, rollouts: n, total }) => `, ${n} x ${flag} -${total.toFixed(2)}`);
        ui.say(
          `mean reward ${reward.mean.toFixed(3)} (${reward.shape}): base ${reward.base.toFixed(3)}${cost.join('')}`,
        );
      }
      for (const [flag, n] of Object.entries(behaviour)) ui.say(ui.style('dim', `  behaviour: ${n} x ${flag}`));
      if (unfinished > 0) ui.say(ui.style('yellow', `${unfinished} more did not finish and are not counted`));
      for (const [problem, n] of Object.entries(problems)) ui.say(ui.style('yellow', `  ${n} x ${problem}`));
      if (finished === 0) process.exitCode = EXIT.failed;
    });
