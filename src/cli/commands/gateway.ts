/** treadle gateway: the recording gateway by hand, for one rollout of a program that is not among the harnesses. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Command, Option } from 'commander';
import { writeWhole } from '../../corpus/files.js';
import { TreadleError } from '../../errors.js';
import type { Backend } from '../../models/backend.js';
import { startGateway } from '../../rollout/gateway/gateway.js';
import type { Budget, GatewayRollout, Recording } from '../../rollout/gateway/types.js';
import { realNumber, wholeNumber } from '../arguments.js';
import { EXIT } from '../exit.js';
import { onStop } from '../interrupt.js';
import { jsonOption } from '../options.js';
import { BACKENDS } from '../pipeline/acting.js';
import { makeUi, type Ui } from '../ui.js';

interface Options {
  baseUrl: string;
  model: string;
  backend: Backend['kind'];
  host: string;
  port: number;
  out: string;
  turns?: number;
  maxTokens?: number;
  maxCost?: number;
  pricePrompt?: number;
  priceCompletion?: number;
  temperature?: number;
  retries: number;
  json?: boolean;
}

const dollars = (flags: string, description: string): Option =>
  new Option(flags, description).argParser(realNumber(flags.split(' ')[0] as string, 0, 1_000_000));

const backendOf = ({ baseUrl, model, backend: kind, temperature, pricePrompt, priceCompletion }: Options): Backend => {
  const apiKey = process.env.TREADLE_API_KEY;
  const hasPrices = pricePrompt !== undefined || priceCompletion !== undefined;
  return {
    kind,
    baseUrl,
    model,
    ...(apiKey ? { apiKey } : {}),
    ...(temperature === undefined ? {} : { sampling: { temperature } }),
    ...(hasPrices ? { prices: { prompt: pricePrompt ?? 0, completion: priceCompletion ?? 0 } } : {}),
  };
};

const budgetOf = ({ turns, maxTokens, maxCost }: Options): Budget => ({
  ...(turns === undefined ? {} : { turns }),
  ...(maxTokens === undefined ? {} : { tokens: maxTokens }),
  ...(maxCost === undefined ? {} : { cost: maxCost }),
});

/** Where clients of either dialect look for their endpoint and their key. */
const environmentOf = ({ token, openaiBaseUrl, anthropicBaseUrl }: GatewayRollout, model: string) => ({
  OPENAI_BASE_URL: openaiBaseUrl,
  OPENAI_API_KEY: token,
  OPENAI_MODEL: model,
  ANTHROPIC_BASE_URL: anthropicBaseUrl,
  ANTHROPIC_AUTH_TOKEN: token,
  ANTHROPIC_API_KEY: token,
  ANTHROPIC_MODEL: model,
});

/** Runs the program to its end, or until `signal`. Its exit code, or undefined when a signal ended it. */
const run = async (
  [name = '', ...args]: readonly string[],
  added: Record<string, string>,
  ui: Ui,
  signal: AbortSignal,
): Promise<number | undefined> => {
  // With --json nothing but our own value may stand on stdout.
  const child = spawn(name, args, { env: { ...process.env, ...added }, stdio: ['inherit', ui.json ? 2 : 1, 2] });
  const stop = (): void => {
    child.kill('SIGTERM');
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return code ?? undefined;
  } catch (cause) {
    throw new TreadleError({
      code: 'no_program',
      message: 'The program cannot be started',
      value: name,
      next: 'Give a program that is on the path, after --.',
      cause,
    });
  }
};

const shown = (ui: Ui, { messages, usage, facts, tokens, problem }: Recording, out: string): void => {
  const counted = usage.promptTokens === undefined ? '' : `, ${usage.promptTokens} + ${usage.completionTokens} tokens`;
  ui.say(`${messages.length} messages in ${usage.turns} answers${counted}; recorded in ${out}`);
  if (tokens) ui.say(`${tokens.inputIds.length} exact token ids${tokens.logprobs ? ' with log probabilities' : ''}`);
  if (facts.rewritten)
    ui.say(ui.style('yellow', 'History was rewritten: the messages are the last request and its reply'));
  if (problem) ui.say(ui.style('yellow', problem.line()));
};

export const gatewayCommand = (): Command =>
  new Command('gateway')
    .description('record what a program says to its model: an endpoint for OpenAI and Anthropic clients')
    .argument('[program...]', 'a program to run against it, after --; without one it listens until Ctrl-C')
    .requiredOption('--base-url <url>', 'OpenAI-compatible endpoint that answers')
    .requiredOption('--model <name>', 'its model, whatever the program asks for')
    .addOption(
      new Option('--backend <kind>', 'what serves it, for exact token ids').choices([...BACKENDS]).default('openai'),
    )
    .option('--host <address>', 'where to listen', '127.0.0.1')
    .addOption(new Option('--port <n>', 'port; 0: any').default(0).argParser(wholeNumber('--port', 65_535, 0)))
    .option('--out <file>', 'where the recording goes', 'recording.json')
    .addOption(new Option('--turns <n>', 'answers at most').argParser(wholeNumber('--turns', 1_000_000)))
    .addOption(
      new Option('--max-tokens <n>', 'prompt and completion tokens at most').argParser(
        wholeNumber('--max-tokens', 1_000_000_000),
      ),
    )
    .addOption(dollars('--max-cost <usd>', 'dollars at most'))
    .addOption(dollars('--price-prompt <usd>', 'dollars a million prompt tokens'))
    .addOption(dollars('--price-completion <usd>', 'dollars a million completion tokens'))
    .addOption(
      new Option('--temperature <t>', 'whatever the program asks for').argParser(realNumber('--temperature', 0, 10)),
    )
    .addOption(
      new Option('--retries <n>', 'further attempts a request').default(4).argParser(wholeNumber('--retries', 100, 0)),
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  treadle gateway --base-url http://127.0.0.1:8000/v1 --model qwen3 --port 4100
  treadle gateway --base-url http://127.0.0.1:8000/v1 --model qwen3 --backend vllm --turns 40 -- claude -p "Tidy up"
  TREADLE_API_KEY=... treadle gateway --base-url https://api.example.com/v1 --model m --out run.json -- python agent.py

The program finds OPENAI_BASE_URL, OPENAI_API_KEY, ANTHROPIC_BASE_URL, ANTHROPIC_AUTH_TOKEN and the like in its environment.`,
    )
    .action(async (program: string[], options: Options) => {
      const ui = makeUi(options.json === true);
      const gateway = await startGateway({ host: options.host, port: options.port, retries: options.retries });
      const calling = new AbortController();
      const stopping = onStop(ui, () => calling.abort());
      let code: number | undefined = 0;
      try {
        const rollout = gateway.open({ backend: backendOf(options), budget: budgetOf(options) });
        const environment = environmentOf(rollout, options.model);
        if (program.length > 0) code = await run(program, environment, ui, calling.signal);
        else {
          for (const [name, value] of Object.entries(environment)) ui.step(`export ${name}=${value}`);
          ui.step('Listening; Ctrl-C ends the recording.');
          const asked = once(calling.signal, 'abort');
          if ((await Promise.race([asked, rollout.spent])) instanceof TreadleError) ui.step('The rollout is over.');
        }
        const recording = rollout.close();
        // On one line: token ids would be a line each.
        writeWhole(options.out, `${JSON.stringify(recording)}\n`);
        ui.give({ ...recording, out: options.out });
        shown(ui, recording, options.out);
      } finally {
        stopping.end();
        await gateway.close();
      }
      if ((code ?? 1) !== 0) process.exitCode = EXIT.failed;
    });
