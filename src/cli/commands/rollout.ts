/** treadle rollout: a policy acts on the tasks of a corpus; traces and verdicts are kept as they end. */
import { Command, Option } from 'commander';
import { DETAILS } from '../../artifacts/disclosure.js';
import { nameList, realNumber, wholeNumber } from '../arguments.js';
import { HARNESS_EXAMPLES, harnessOptions } from '../harness-options.js';
import { DEFAULT_OUT, faultOption, jsonOption, seedOption } from '../options.js';
import { BACKENDS, mistakesOf, POLICIES } from '../pipeline/acting.js';
import { openHarness } from '../pipeline/harness.js';
import { rolloutCorpus } from '../pipeline/roll/corpus.js';
import { planOf, type RolloutOptions } from '../pipeline/roll/plan.js';
import { penaltyOption, rewardOption } from '../reward-options.js';
import { makeUi, warn } from '../ui.js';

const dollars = (flags: string, says: string): Option =>
  new Option(flags, says).argParser(realNumber(flags.split(' ')[0] ?? '', 0, 1_000_000));

const EXAMPLES = `
Examples:
  treadle rollout treadle-out --policy scripted --n 4
  treadle rollout treadle-out --policy asking --user simulated --detail vague
  treadle rollout treadle-out --policy scripted --kind composed --profile expert,complex --n 2
  treadle dynamics treadle-out && treadle rollout treadle-out --scenarios --policy reference
  treadle rollout treadle-out --scenarios --policy stale
  treadle rollout treadle-out --policy scripted --reward milestones --penalty no_progress_repetition=0.1 --json
${HARNESS_EXAMPLES}
  TREADLE_API_KEY=... treadle rollout treadle-out --policy model --base-url http://127.0.0.1:8000/v1 --model qwen3 \\
    --n 8 --concurrency 256 --deadline 600 --max-tokens 200000 --price-prompt 0.5 --price-completion 1.5 --budget-cost 20

A rollout is kept when it ends. The same command goes on where it stopped: what is finished is skipped, what the network or
Ctrl-C ended is made again.`;

const run = async (dir: string, options: RolloutOptions): Promise<void> => {
  const ui = makeUi(options.json === true);
  const harness = await openHarness(options, dir);
  for (const warning of harness?.warnings ?? []) warn(`warning: ${warning}`);
  try {
    await rolloutCorpus(dir, planOf(options, harness), ui);
  } finally {
    await harness?.close();
  }
};

const rolloutOptions = (): Command =>
  new Command('rollout')
    .description('let a policy act on the tasks and judge what it did')
    .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
    .addOption(new Option('--world <ids>', 'only these worlds').argParser(nameList))
    .addOption(new Option('--task <ids>', 'only these tasks').argParser(nameList))
    .addOption(new Option('--profile <names>', 'only tasks of these profiles').argParser(nameList))
    .addOption(new Option('--kind <kinds>', 'only atomic or composed tasks').argParser(nameList))
    .addOption(
      new Option(
        '--scenarios [ids]',
        'in place of tasks that stand still: the scenarios of treadle dynamics, all or these',
      ).argParser(nameList),
    )
    .addOption(
      new Option('--limit <n>', 'at most so many tasks (or scenarios), drawn by the seed').argParser(
        wholeNumber('--limit', 1_000_000),
      ),
    )
    .addOption(new Option('--policy <kind>', 'who acts').choices([...POLICIES, 'harness']).default('reference'))
    .addOption(
      new Option('--mistakes <kind=rate,...>', 'chances of mistakes a rollout (policy scripted)').argParser(mistakesOf),
    )
    .addOption(
      new Option('--user <kind>', 'who asks: nobody (the whole brief at once), or a simulated user stage by stage')
        .choices(['none', 'simulated'])
        .default('none'),
    )
    .addOption(new Option('--detail <detail>', 'how explicit requests are').choices([...DETAILS]).default('full'))
    .option('--user-model <name>', 'a model that words what the simulated user says')
    .option('--user-base-url <url>', 'its endpoint (default: --base-url)')
    .option(
      '--user-trust',
      "let the user's model speak for itself: what it gets wrong is marked, and counted as the user's fault",
    )
    .addOption(
      new Option(
        '--user-mistakes <rate>',
        'a user who makes mistakes, so many a message (to test what finds them)',
      ).argParser(realNumber('--user-mistakes', 0, 1)),
    )
    .addOption(faultOption())
    .addOption(new Option('-n, --n <n>', 'rollouts a task').default(1).argParser(wholeNumber('--n', 10_000)))
    .addOption(new Option('--samples <n>', 'the same').argParser(wholeNumber('--samples', 10_000)).hideHelp())
    .addOption(
      new Option('--concurrency <n>', 'rollouts in flight').default(8).argParser(wholeNumber('--concurrency', 1024)),
    )
    .addOption(
      new Option('--jobs <n>', 'processes over the worlds, for policies that use no model (default: 1)').argParser(
        wholeNumber('--jobs', 64),
      ),
    )
    .addOption(
      new Option('--memory <mib>', 'what loaded worlds may take; one is loaded whatever it takes')
        .default(512)
        .argParser(wholeNumber('--memory', 1_000_000)),
    )
    .addOption(
      new Option('--turns <n>', 'assistant messages a rollout (default: 30, more for long tasks)').argParser(
        wholeNumber('--turns', 1000),
      ),
    )
    .addOption(
      new Option('--deadline <s>', 'seconds a rollout may take').argParser(wholeNumber('--deadline', 7 * 86_400)),
    )
    .addOption(
      new Option('--max-tokens <n>', 'prompt and completion tokens a rollout may use').argParser(
        wholeNumber('--max-tokens', 1_000_000_000),
      ),
    )
    .addOption(
      new Option('--turn-tokens <n>', 'tokens one message may have (policy model)').argParser(
        wholeNumber('--turn-tokens', 10_000_000),
      ),
    )
    .addOption(dollars('--price-prompt <usd>', 'dollars a million prompt tokens'))
    .addOption(dollars('--price-completion <usd>', 'dollars a million completion tokens'))
    .addOption(dollars('--max-cost <usd>', 'dollars a rollout may cost'))
    .addOption(dollars('--budget-cost <usd>', 'dollars the whole run may cost'))
    .addOption(
      new Option(
        '--again [which]',
        'make kept rollouts again: all, or cut ones (by a deadline or a budget); unfinished ones always are',
      )
        .choices(['all', 'cut'])
        .preset('all'),
    )
    .option('--base-url <url>', 'OpenAI-compatible endpoint (policies model and harness)')
    .option('--model <name>', 'its model')
    .addOption(new Option('--backend <kind>', 'what serves it, for exact token ids').choices([...BACKENDS]))
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
    .addHelpText('after', EXAMPLES);

export const rolloutCommand = (): Command =>
  harnessOptions()
    .reduce((command, option) => command.addOption(option), rolloutOptions())
    .action(run);
