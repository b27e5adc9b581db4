/** A model in the making of scenarios, from the command line. */

import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { meterOf } from '../../../author/model/budget.js';
import { openConversation } from '../../../author/model/conversation.js';
import { deskOf } from '../../../author/model/desk.js';
import type { EventModelTally, ScenarioSettings } from '../../../corpus/scenarios.js';
import { EventModels } from '../../../dynamics/model/models.js';
import { TreadleError } from '../../../errors.js';
import { sha256 } from '../../../kit/hash.js';
import { wholeNumber } from '../../arguments.js';
import type { Ui } from '../../ui.js';
import { type ModelOptions, modelOf, modelOptions } from '../model-author.js';
import { AUTHORS } from '../task-models.js';

const ROUNDS = 1_000;
const TOKENS = 2_000_000;
/** Answers that the events of one task may take, where nothing is said. */
const A_TASK = 6;

export interface EventModelOptions extends ModelOptions {
  author?: (typeof AUTHORS)[number];
  rewrite?: boolean;
  rounds?: number;
}

/** Adds `--model` and what belongs to it, `--author`, `--rewrite` and `--rounds`. */
export const eventModelOptions = (command: Command): Command =>
  modelOptions(command, 'propose events')
    .addOption(
      new Option('--timeout <s>', 'seconds one answer of the model may take (300)').argParser(
        wholeNumber('--timeout', 86_400),
      ),
    )
    .addOption(
      new Option('--author <who>', 'who proposes events: without --model embedded, with it both').choices([...AUTHORS]),
    )
    .option('--rewrite', 'the model words what is told; words that lose, add or give away anything are not taken')
    .addOption(
      new Option('--rounds <n>', `answers of the model that the events of one task may take (${A_TASK})`).argParser(
        wholeNumber('--rounds', 200),
      ),
    );

/** What is kept of it in the settings; undefined without a model. Throws `bad_option` for what needs one. */
export const modelSettings = ({
  model,
  author,
  rewrite = false,
  rounds,
}: EventModelOptions): Pick<ScenarioSettings, 'model'> => {
  if (model !== undefined)
    return { model: { name: model, author: author ?? 'both', rewrite, rounds: rounds ?? A_TASK } };
  const stray = rewrite
    ? '--rewrite'
    : rounds !== undefined
      ? '--rounds'
      : author && author !== 'embedded'
        ? `--author ${author}`
        : undefined;
  if (stray === undefined) return {};
  throw new TreadleError({
    code: 'bad_option',
    message: `${stray} needs a model`,
    value: stray,
    next: 'Add --base-url http://127.0.0.1:8000/v1 --model NAME; a key goes into TREADLE_API_KEY.',
  });
};

/**
 * The model as the options name it; undefined without one. `request` tells conversations apart: each is kept, in the corpus where no
 * file is named. Throws `no_model`, `bad_budget`, `no_price`, and what the conversation file makes impossible.
 */
export const eventModelsOf = (
  options: EventModelOptions,
  dir: string,
  settings: ScenarioSettings,
  request: unknown,
  ui: Ui,
): EventModels | undefined => {
  const client = modelOf(options);
  if (!client || !settings.model) return undefined;
  const { priceIn, priceOut } = options;
  const meter = meterOf({
    rounds: options.budgetRounds ?? ROUNDS,
    tokens: options.budgetTokens ?? TOKENS,
    usd: options.budgetUsd,
    answer: options.answerTokens,
    ...(priceIn !== undefined && priceOut !== undefined ? { price: { input: priceIn, output: priceOut } } : {}),
  });
  const about = sha256(JSON.stringify(['events', settings, request]));
  const file = options.conversation ?? join(dir, 'conversations', `events-${about.slice(0, 12)}.jsonl`);
  const conversation = openConversation(file, { model: client.model, request: about });
  const desk = deskOf(client, meter, conversation, (line) => ui.progress(`${client.model}: ${line}`));
  const { author, rewrite, rounds } = settings.model;
  return new EventModels(desk, { propose: author !== 'embedded', reword: rewrite, rounds });
};

const listed = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 5)
    .map(([why, n]) => `${why} ${n}`)
    .join(', ');

/** What a model did, for a person. */
export const eventTallyLines = (tallies: readonly EventModelTally[]): string[] => {
  const [first] = tallies;
  if (!first) return [];
  const sum = (pick: (one: EventModelTally) => number): number => tallies.reduce((all, one) => all + pick(one), 0);
  const merged = (pick: (one: EventModelTally) => Record<string, number>): Record<string, number> => {
    const all: Record<string, number> = {};
    for (const one of tallies) for (const [why, n] of Object.entries(pick(one))) all[why] = (all[why] ?? 0) + n;
    return all;
  };
  const [refused, kept] = [merged(({ proposed }) => proposed.refused), merged(({ reworded }) => reworded.kept)];
  const candidates = sum(({ proposed }) => proposed.candidates);
  const changed = sum(({ reworded }) => reworded.changed);
  const ended = tallies.find((one) => one.ended !== undefined)?.ended;
  return [
    ...(candidates > 0
      ? [
          `${first.model} proposed ${candidates} events, ${sum(({ proposed }) => proposed.accepted)} accepted; refused: ${listed(refused) || 'none'}`,
        ]
      : []),
    ...(changed + Object.keys(kept).length > 0
      ? [`${first.model} reworded ${changed} texts; kept as they were: ${listed(kept) || 'none'}`]
      : []),
    ...(ended === undefined
      ? []
      : [`${first.model} was not asked to the end: ${ended}. What was made is kept; the same command goes on.`]),
  ];
};
