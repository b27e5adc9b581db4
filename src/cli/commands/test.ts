/** treadle test: somebody's agent on the tasks of a corpus, several times each, for people who ship agents. */
import { Command, Option } from 'commander';
import { DETAILS } from '../../artifacts/disclosure.js';
import { TreadleError } from '../../errors.js';
import { startGateway } from '../../rollout/gateway/gateway.js';
import { commaNames, realNumber, shortText, wholeNumber } from '../arguments.js';
import { DEFAULT_OUT, jsonOption, seedOption } from '../options.js';
import { type ActingOptions, POLICIES, policyOf, viewOf } from '../pipeline/acting.js';
import { addressAgent } from '../testing/agent/address.js';
import type { TestedAgent } from '../testing/agent/agent.js';
import { commandAgent } from '../testing/agent/command.js';
import { type Test, testAgent } from '../testing/test.js';
import { hatThreshold } from '../testing/verdict.js';
import { makeUi } from '../ui.js';

interface Options extends Omit<ActingOptions, 'policy' | 'timeout'> {
  agent?: string;
  agentUrl?: string;
  policy?: ActingOptions['policy'];
  repeat: number;
  world?: string[];
  task?: string[];
  profile?: string[];
  kind?: string[];
  limit?: number;
  concurrency: number;
  timeout: number;
  isolated?: boolean;
  env: string[];
  minPassRate?: number;
  minPassHatK?: ReadonlyMap<number, number>;
  baseline?: string;
  save?: string;
  junit?: string;
  traces?: string;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  treadle test treadle-out --agent 'python3 agent.py {task}' --repeat 5 --junit out.xml
  treadle test treadle-out --agent ./agent.sh --task cancel-order-3 --traces runs.jsonl
  treadle test treadle-out --agent 'npx my-agent' --save baseline.json
  treadle test treadle-out --agent 'npx my-agent' --baseline baseline.json --min-pass-hat-k 3=0.8
  treadle test treadle-out --agent 'my-agent {task} {model_base_url}' --base-url http://127.0.0.1:8000/v1 --model qwen3
  treadle test treadle-out --agent-url http://127.0.0.1:9000/run
  treadle test treadle-out --policy scripted               try the report without an agent

The agent gets {task} {system} {mcp_url} {mcp_token} {workdir} {timeout} in its command line and TREADLE_TASK, TREADLE_SYSTEM,
TREADLE_MCP_URL, TREADLE_MCP_TOKEN, TREADLE_WORKDIR, TREADLE_TIMEOUT in its environment. It calls the tools over MCP (streamable
HTTP, bearer token) and prints its answer; what it does not print, and what it leaves in the state, is judged all the same.

Exit status: 0 every run passed, or every threshold is met and no task regressed; 1 not; 2 runs that ended in errors of the
surroundings, or bad input.`;

const badChoice = (value: string): TreadleError =>
  new TreadleError({
    code: 'bad_option',
    message: 'One agent is tested at a time',
    value,
    next: "Give one of --agent 'COMMAND', --agent-url URL and --policy.",
  });

const backendOf = ({ model, baseUrl, temperature }: Options) => {
  if (model === undefined && baseUrl === undefined) return undefined;
  if (model === undefined || baseUrl === undefined)
    throw new TreadleError({
      code: 'no_model',
      message: "The agent's model needs an endpoint and a name",
      value: baseUrl ?? model,
      next: 'Give --base-url http://127.0.0.1:8000/v1 --model NAME, or neither: an agent may bring its own.',
    });
  const apiKey = process.env.TREADLE_API_KEY;
  return {
    kind: 'openai' as const,
    baseUrl,
    model,
    ...(apiKey ? { apiKey } : {}),
    ...(temperature === undefined ? {} : { sampling: { temperature } }),
  };
};

const commandOf = async (command: string, options: Options): Promise<TestedAgent> => {
  const { isolated = false, env, timeout } = options;
  const plain = { command, isolated, env, timeoutMs: timeout * 1000 };
  const backend = backendOf(options);
  if (!backend) return commandAgent(plain);
  const gateway = await startGateway();
  try {
    return { ...commandAgent({ ...plain, model: { gateway, backend } }), close: () => gateway.close() };
  } catch (thrown) {
    await gateway.close();
    throw thrown;
  }
};

const agentOf = async (options: Options): Promise<Test['agent']> => {
  const { agent, agentUrl, policy, timeout } = options;
  const given = [agent, agentUrl, policy].filter((one) => one !== undefined);
  if (given.length !== 1) throw badChoice(given.length === 0 ? 'none given' : given.join(', '));
  if (policy === undefined && options.user !== 'none')
    throw new TreadleError({
      code: 'bad_option',
      message: 'An agent is told the whole task at once',
      value: `--user ${options.user}`,
      next: 'Leave --user out; --detail says how explicit the request is.',
    });
  if (agent !== undefined) return commandOf(agent, options);
  if (agentUrl !== undefined) return addressAgent(agentUrl, timeout * 1000);
  const acting = { ...options, policy: policy as ActingOptions['policy'] };
  const limits = { deadlineMs: timeout * 1000 };
  return { name: policy as string, acting: { policyFor: policyOf(acting), view: viewOf(acting), limits } };
};

const filterOf = ({ world, task, profile, kind, limit }: Options): Test['filter'] => ({
  ...(world ? { worlds: world } : {}),
  ...(task ? { tasks: task } : {}),
  ...(profile ? { profiles: profile } : {}),
  ...(kind ? { kinds: kind } : {}),
  ...(limit === undefined ? {} : { limit }),
});

const filesOf = ({ junit, traces, save, baseline }: Options): Test['files'] => ({
  ...(junit === undefined ? {} : { junit }),
  ...(traces === undefined ? {} : { traces }),
  ...(save === undefined ? {} : { save }),
  ...(baseline === undefined ? {} : { baseline }),
});

const file = (flags: string, says: string): Option => new Option(flags, says).argParser(shortText(flags, 'out.xml'));

export const testCommand = (): Command =>
  new Command('test')
    .description('test an agent: every task several times, pass^k, and where it went wrong')
    .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
    .option('--agent <command>', 'the agent: a command, started once a run')
    .option('--agent-url <url>', 'the agent: an address that is posted {task, system, mcp_url, mcp_token}')
    .addOption(new Option('--policy <kind>', 'a policy of ours, for trying').choices([...POLICIES]))
    .addOption(new Option('--repeat <n>', 'runs a task').default(5).argParser(wholeNumber('--repeat', 1000)))
    .addOption(new Option('--world <ids>', 'only these worlds').argParser(commaNames))
    .addOption(new Option('--task <ids>', 'only these tasks').argParser(commaNames))
    .addOption(new Option('--profile <names>', 'only tasks of these profiles').argParser(commaNames))
    .addOption(new Option('--kind <kinds>', 'only atomic or composed tasks').argParser(commaNames))
    .addOption(
      new Option('--limit <n>', 'at most so many tasks, drawn by the seed').argParser(
        wholeNumber('--limit', 1_000_000),
      ),
    )
    .addOption(
      new Option('--concurrency <n>', 'runs at a time').default(4).argParser(wholeNumber('--concurrency', 512)),
    )
    .addOption(
      new Option('--timeout <s>', 'seconds a run may take').default(600).argParser(wholeNumber('--timeout', 86_400)),
    )
    .addOption(new Option('--detail <detail>', 'how explicit requests are').choices([...DETAILS]).default('full'))
    .addOption(new Option('--user <kind>', 'who asks (a policy)').choices(['none', 'simulated']).default('none'))
    .option('--isolated', 'run the agent in an empty folder and environment')
    .addOption(new Option('--env <names>', 'variables that an isolated agent gets').default([]).argParser(commaNames))
    .option('--base-url <url>', "the agent's model goes through our gateway to this OpenAI-compatible endpoint")
    .option('--model <name>', 'its model')
    .addOption(
      new Option('--retries <n>', 'further attempts a request (policy model)')
        .default(4)
        .argParser(wholeNumber('--retries', 100, 0)),
    )
    .addOption(new Option('--temperature <t>', 'sampling temperature').argParser(realNumber('--temperature', 0, 10)))
    .addOption(
      new Option('--min-pass-rate <share>', 'passed if so many runs pass').argParser(
        realNumber('--min-pass-rate', 0, 1),
      ),
    )
    .addOption(
      new Option('--min-pass-hat-k <k=share>', 'passed if pass^k is so high; may be given several times').argParser(
        hatThreshold,
      ),
    )
    .addOption(file('--baseline <file>', 'an earlier test to hold this one against'))
    .addOption(file('--save <file>', 'save this test as a baseline'))
    .addOption(file('--junit <file>', 'write JUnit XML'))
    .addOption(file('--traces <file>', 'keep the runs, for treadle show'))
    .addOption(seedOption())
    .addOption(jsonOption())
    .addHelpText('after', EXAMPLES)
    .action(async (dir: string, options: Options) => {
      const { repeat, concurrency, seed, detail, minPassRate, minPassHatK = new Map() } = options;
      const test: Test = {
        filter: filterOf(options),
        agent: await agentOf(options),
        detail,
        seed,
        repeat,
        concurrency,
        thresholds: { ...(minPassRate === undefined ? {} : { passRate: minPassRate }), passHatK: minPassHatK },
        files: filesOf(options),
      };
      process.exitCode = await testAgent(dir, test, makeUi(options.json === true));
    });
