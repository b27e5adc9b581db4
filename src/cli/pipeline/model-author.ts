/** Authoring with a model from the command line: its options, its certifier, its drafts. */
import { type Command, Option } from 'commander';
import { assembleWorld } from '../../author/assemble.js';
import type { Pins } from '../../author/catalogue/author.js';
import { authorWithModel } from '../../author/model/author.js';
import type { Authored, AuthorReport, AuthorSource, Certify } from '../../author/model/types.js';
import { certifyService, certifyWorld } from '../../certify/certify.js';
import { TreadleError } from '../../errors.js';
import { endpoint } from '../../models/client.js';
import type { ModelClient } from '../../models/types.js';
import { loadWorld, unloadWorld } from '../../world/loaded.js';
import type { Engine } from '../../world/state/engine.js';
import { realNumber, wholeNumber } from '../arguments.js';

/** What `modelOptions` adds to a command. */
export interface ModelOptions {
  model?: string;
  baseUrl?: string;
  budgetRounds?: number;
  budgetTokens?: number;
  budgetUsd?: number;
  priceIn?: number;
  priceOut?: number;
  answerTokens?: number;
  timeout?: number;
  conversation?: string;
}

/** Adds `--model`, `--base-url`, the budget and `--conversation` to a command. */
export const modelOptions = (command: Command, does = 'write the services'): Command =>
  command
    .option('--model <name>', `let this model ${does} (with --base-url)`)
    .option('--base-url <url>', 'OpenAI-compatible endpoint, e.g. http://127.0.0.1:8000/v1')
    .addOption(
      new Option('--budget-rounds <n>', 'most calls of the model').argParser(wholeNumber('--budget-rounds', 10_000)),
    )
    .addOption(
      new Option('--budget-tokens <n>', 'most tokens, in and out').argParser(
        wholeNumber('--budget-tokens', 1_000_000_000),
      ),
    )
    .addOption(
      new Option('--budget-usd <n>', 'most dollars; needs the two prices').argParser(
        realNumber('--budget-usd', 0.0001, 100_000),
      ),
    )
    .addOption(
      new Option('--price-in <usd>', 'dollars a million input tokens').argParser(realNumber('--price-in', 0, 10_000)),
    )
    .addOption(
      new Option('--price-out <usd>', 'dollars a million output tokens').argParser(
        realNumber('--price-out', 0, 10_000),
      ),
    )
    .addOption(
      new Option('--answer-tokens <n>', 'most tokens of one answer').argParser(
        wholeNumber('--answer-tokens', 200_000, 200),
      ),
    )
    .option('--conversation <file>', 'keep the conversation there (JSON lines), and go on with it');

/** Assembles, loads and certifies; the engine is the caller's. */
export const certifierOf =
  (engine: Engine): Certify =>
  (draft, only) => {
    const loaded = loadWorld(engine, assembleWorld(engine, draft));
    try {
      if (only === undefined) {
        const { certificate, services } = certifyWorld(loaded);
        return { world: certificate, services };
      }
      const asked = [...loaded.services.values()].filter(({ id }) => only.includes(id));
      return { services: Object.fromEntries(asked.map((one) => [one.id, certifyService(loaded, one).certificate])) };
    } finally {
      unloadWorld(loaded);
    }
  };

/** The client the options name; undefined without `--model`. Throws `no_model` when only one of the two is given. */
export const modelOf = ({ model, baseUrl, timeout }: ModelOptions): ModelClient | undefined => {
  if (model === undefined && baseUrl === undefined) return undefined;
  if (!model || !baseUrl)
    throw new TreadleError({
      code: 'no_model',
      message: 'A model needs an endpoint and a name',
      value: baseUrl ?? model ?? '',
      next: 'Add --base-url http://127.0.0.1:8000/v1 --model NAME; a key goes into TREADLE_API_KEY.',
    });
  const apiKey = process.env.TREADLE_API_KEY;
  return endpoint({
    baseUrl,
    model,
    timeoutMs: (timeout ?? 300) * 1000,
    ...(apiKey ? { apiKey } : {}),
  });
};

export interface ModelDrafting {
  engine: Engine;
  client: ModelClient;
  options: ModelOptions;
  source: Omit<AuthorSource, 'pins'> & { pins?: Pins };
  seed: string;
  say?: (line: string) => void;
}

/** One world of the source. A report of outcome `nothing` comes back as it is: see `refuseNothing`. */
export const draftWithModel = ({ engine, client, options, source, seed, say }: ModelDrafting): Promise<Authored> => {
  const { priceIn, priceOut } = options;
  const isPriced = priceIn !== undefined && priceOut !== undefined;
  return authorWithModel({
    model: client,
    source,
    seed,
    certify: certifierOf(engine),
    budget: {
      rounds: options.budgetRounds,
      tokens: options.budgetTokens,
      usd: options.budgetUsd,
      answer: options.answerTokens,
      ...(isPriced ? { price: { input: priceIn, output: priceOut } } : {}),
    },
    conversation: options.conversation,
    say,
  });
};

/** Throws `nothing_certified` with the reasons when no service of the model's stands. */
export const refuseNothing = (report: AuthorReport): void => {
  if (report.outcome !== 'nothing') return;
  const reasons = report.services.flatMap(({ id, lost }) => (lost[0] ? [`${id}: ${lost[0].why}`] : []));
  throw new TreadleError({
    code: 'nothing_certified',
    message: `No service that the model wrote could be certified${report.ended ? ` (${report.ended.why})` : ''}: ${reasons.slice(0, 4).join('; ')}`,
    value: report.spent,
    next: 'Raise the budget and give the same --conversation to go on, take a stronger model, or leave --model out.',
    fault: 'model',
  });
};

/** What became of each service, for a person. */
export const modelLines = ({ outcome, services, invariants, spent, ended }: AuthorReport): string[] => [
  ...services.flatMap(({ id, kept, tables, tools, lost }) => [
    `  ${kept ? 'kept' : 'out '}   ${id}: ${kept ? `${tables} tables, ${tools} tools` : (lost[0]?.why ?? '')}`,
    ...lost.slice(kept ? 0 : 1, 6).map(({ at, why }) => `           left out ${at}: ${why}`),
  ]),
  `  ${invariants.kept} rules across services; ${outcome}`,
  `  ${spent.rounds} rounds, ${spent.promptTokens} + ${spent.completionTokens} tokens${spent.usd === undefined ? '' : `, ${spent.usd.toFixed(4)} dollars`}${ended ? `; ended early: ${ended.why}` : ''}`,
];
