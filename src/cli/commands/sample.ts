/** treadle sample: trajectories that pass, by trying again only what failed; or whole; or groups of branches from one history. */
import { Command, Option } from 'commander';
import { DETAILS } from '../../artifacts/disclosure.js';
import { TreadleError } from '../../errors.js';
import { DEFAULT_RETRIES, type SamplingLimits } from '../../rollout/sampling/plan.js';
import { nameList, realNumber, wholeNumber } from '../arguments.js';
import { DEFAULT_OUT, jsonOption, seedOption } from '../options.js';
import { type ActingOptions, BACKENDS, POLICIES, viewOf } from '../pipeline/acting.js';
import { sampleCorpus } from '../pipeline/sampling/corpus.js';
import { METHODS, type Method, type Settings } from '../pipeline/sampling/jobs.js';
import { samplingPolicy } from '../pipeline/sampling/policies.js';
import { makeUi } from '../ui.js';

interface Options extends Omit<ActingOptions, 'retries'> {
  world?: string[];
  task?: string[];
  profile?: string[];
  kind?: string[];
  limit?: number;
  method: Method;
  retries: number;
  requestRetries: number;
  errorRate: number;
  n: number;
  group: number;
  at?: string;
  until: 'end' | 'stage';
  compare?: boolean;
  again?: boolean;
  concurrency: number;
  stageTurns?: number;
  maxCalls?: number;
  maxTokens?: number;
  maxCost?: number;
  budgetCost?: number;
  pricePrompt?: number;
  priceCompletion?: number;
  deadline?: number;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  treadle sample treadle-out --user simulated --policy scripted --error-rate 0.1 --compare
  treadle sample treadle-out --method whole --policy scripted --retries 3
  treadle sample treadle-out --kind composed --user simulated --method group --group 16 --at s2 --until stage
  TREADLE_API_KEY=... treadle sample treadle-out --policy model --base-url http://127.0.0.1:8000/v1 --model qwen3 \\
    --user simulated --detail partial --max-tokens 2000000 --deadline 3600

Prefix-preserving: each stage is judged at its end; a failed attempt is dropped and only that stage tried again, from exactly
where it began. Failed attempts are kept beside the trajectory as negatives. A task that was sampled is not sampled again.`;

/** `s3`: before that stage; `12`: after the 12th call. */
const forkOf = (at: string | undefined): { node: string } | { call: number } => {
  if (at === undefined)
    throw new TreadleError({
      code: 'bad_option',
      message: 'A group needs to know where its branches part',
      value: '--at',
      next: 'Give a stage, --at s2, or the number of a call, --at 5.',
    });
  if (/^\d{1,6}$/.test(at) && Number(at) >= 1) return { call: Number(at) };
  if (/^[a-z][a-z0-9_]*$/.test(at)) return { node: at };
  throw new TreadleError({
    code: 'bad_option',
    message: 'Branches part before a stage or after a call',
    value: at,
    next: 'Give a stage, --at s2, or the number of a call, --at 5.',
  });
};

/** Bounds of each task, and of the run. */
const limitsOf = (options: Options): SamplingLimits => {
  const { stageTurns, maxCalls, maxTokens, maxCost, budgetCost, pricePrompt, priceCompletion, deadline } = options;
  const hasPrices = pricePrompt !== undefined || priceCompletion !== undefined;
  return {
    ...(stageTurns === undefined ? {} : { stageTurns }),
    ...(maxCalls === undefined ? {} : { calls: maxCalls }),
    ...(maxTokens === undefined ? {} : { tokens: maxTokens }),
    ...(maxCost === undefined ? {} : { cost: maxCost }),
    ...(budgetCost === undefined ? {} : { purse: { limit: budgetCost, spent: 0 } }),
    ...(hasPrices ? { prices: { prompt: pricePrompt ?? 0, completion: priceCompletion ?? 0 } } : {}),
    ...(deadline === undefined ? {} : { deadlineMs: deadline * 1000 }),
  };
};

const dollars = (flags: string, says: string): Option =>
  new Option(flags, says).argParser(realNumber(flags.split(' ')[0] ?? '', 0, 1_000_000));

const settingsOf = (options: Options): Settings => {
  const { method, group: size, at, until } = options;
  const acting = { ...options, retries: options.requestRetries };
  return {
    policyFor: samplingPolicy(acting, options.errorRate),
    view: viewOf(acting),
    seed: options.seed,
    retries: options.retries,
    limits: limitsOf(options),
    ...(method === 'group' ? { group: { at: forkOf(at), size, until } } : {}),
  };
};

export const sampleCommand = (): Command =>
  new Command('sample')
    .description('sample trajectories that pass, trying again only what failed; or groups of branches')
    .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
    .addOption(new Option('--method <method>', 'how').choices([...METHODS]).default('prefix'))
    .addOption(
      new Option('--retries <k>', 'further attempts a stage, or a whole trajectory (method whole)')
        .default(DEFAULT_RETRIES)
        .argParser(wholeNumber('--retries', 1000, 0)),
    )
    .option('--compare', 'sample whole trajectories of the same tasks too, and show what was saved')
    .addOption(new Option('--group <g>', 'branches (method group)').default(8).argParser(wholeNumber('--group', 1024)))
    .option('--at <place>', 'where branches part: before a stage (s2) or after a call (5)')
    .addOption(new Option('--until <end>', 'how far branches go').choices(['end', 'stage']).default('end'))
    .addOption(new Option('--world <ids>', 'only these worlds').argParser(nameList))
    .addOption(new Option('--task <ids>', 'only these tasks').argParser(nameList))
    .addOption(new Option('--profile <names>', 'only tasks of these profiles').argParser(nameList))
    .addOption(new Option('--kind <kinds>', 'only atomic or composed tasks').argParser(nameList))
    .addOption(
      new Option('--limit <n>', 'at most so many tasks, drawn by the seed').argParser(
        wholeNumber('--limit', 1_000_000),
      ),
    )
    .addOption(new Option('--policy <kind>', 'who acts').choices([...POLICIES]).default('reference'))
    .addOption(
      new Option('--error-rate <e>', 'chance of a slip in each stage (policy scripted)')
        .default(0.1)
        .argParser(realNumber('--error-rate', 0, 1)),
    )
    .addOption(
      new Option('--user <kind>', 'who asks: nobody (the whole brief at once), or a simulated user stage by stage')
        .choices(['none', 'simulated'])
        .default('none'),
    )
    .addOption(new Option('--detail <detail>', 'how explicit requests are').choices([...DETAILS]).default('full'))
    .option('--user-model <name>', 'a model that words what the simulated user says')
    .option('--user-base-url <url>', 'its endpoint (default: --base-url)')
    .option('--user-trust', "let the user's model speak for itself: what it gets wrong is marked as the user's fault")
    .addOption(
      new Option('--user-mistakes <rate>', 'a user who makes mistakes, so many a message').argParser(
        realNumber('--user-mistakes', 0, 1),
      ),
    )
    .addOption(new Option('-n, --n <n>', 'samples a task').default(1).argParser(wholeNumber('--n', 10_000)))
    .addOption(
      new Option('--concurrency <n>', 'tasks in flight').default(8).argParser(wholeNumber('--concurrency', 1024)),
    )
    .addOption(
      new Option(
        '--stage-turns <n>',
        'assistant messages of one attempt at a stage (default: by its length)',
      ).argParser(wholeNumber('--stage-turns', 1000)),
    )
    .addOption(
      new Option('--max-calls <n>', 'tool calls a task, dropped ones counted').argParser(
        wholeNumber('--max-calls', 1e9),
      ),
    )
    .addOption(
      new Option('--max-tokens <n>', 'tokens a task, dropped ones counted').argParser(
        wholeNumber('--max-tokens', 1e12),
      ),
    )
    .addOption(dollars('--price-prompt <usd>', 'dollars a million prompt tokens'))
    .addOption(dollars('--price-completion <usd>', 'dollars a million completion tokens'))
    .addOption(dollars('--max-cost <usd>', 'dollars a task may cost, dropped attempts counted'))
    .addOption(dollars('--budget-cost <usd>', 'dollars the whole run may cost'))
    .addOption(new Option('--deadline <s>', 'seconds a task may take').argParser(wholeNumber('--deadline', 7 * 86_400)))
    .option('--again', 'sample what was sampled before, too')
    .option('--base-url <url>', 'OpenAI-compatible endpoint (policy model)')
    .option('--model <name>', 'its model (policy model)')
    .addOption(new Option('--backend <kind>', 'what serves it, for exact token ids').choices([...BACKENDS]))
    .addOption(
      new Option('--turn-tokens <n>', 'tokens one message may have (policy model)').argParser(
        wholeNumber('--turn-tokens', 10_000_000),
      ),
    )
    .addOption(
      new Option('--request-retries <n>', 'further attempts a request (policy model)')
        .default(4)
        .argParser(wholeNumber('--request-retries', 100, 0)),
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
    .addOption(seedOption())
    .addOption(jsonOption())
    .addHelpText('after', EXAMPLES)
    .action(async (dir: string, options: Options) => {
      const { method, compare = false, n, again = false, concurrency } = options;
      if (compare && method !== 'prefix')
        throw new TreadleError({
          code: 'bad_option',
          message: 'Only prefix-preserving sampling is compared with whole trajectories',
          value: method,
          next: 'Leave --compare out, or take --method prefix.',
        });
      const filter = {
        ...(options.world ? { worlds: options.world } : {}),
        ...(options.task ? { tasks: options.task } : {}),
        ...(options.profile ? { profiles: options.profile } : {}),
        ...(options.kind ? { kinds: options.kind } : {}),
        ...(options.limit === undefined ? {} : { limit: options.limit }),
      };
      const settings = settingsOf(options);
      const plan = { filter, method, compare, settings, samples: n, again, concurrency };
      await sampleCorpus(dir, plan, makeUi(options.json === true));
    });
