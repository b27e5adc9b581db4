/** Models in the making of tasks, from the command line: who writes, who judges, who rewords, and what it came to. */
import { type Command, Option } from 'commander';
import { meterOf } from '../../author/model/budget.js';
import { openConversation } from '../../author/model/conversation.js';
import { deskOf } from '../../author/model/desk.js';
import type { ModelTally } from '../../corpus/library.js';
import { TreadleError } from '../../errors.js';
import { sha256 } from '../../kit/hash.js';
import { TaskModels } from '../../tasks/model/models.js';
import { wholeNumber } from '../arguments.js';
import type { Ui } from '../ui.js';
import { type ModelOptions, modelOf, modelOptions } from './model-author.js';

/** One command's budget where none is said: a verdict takes one short answer, and there is one for each task of a corpus. */
const ROUNDS = 1_000;
const TOKENS = 2_000_000;

export const AUTHORS = ['embedded', 'model', 'both'] as const;

export interface TaskModelOptions extends ModelOptions {
  author?: (typeof AUTHORS)[number];
  judge?: boolean;
  rewrite?: boolean;
}

/** Adds `--model` and what belongs to it, `--author`, `--judge` and `--rewrite`. */
export const taskModelOptions = (command: Command): Command =>
  modelOptions(command, 'write tasks, or judge whether services belong together (--composed)')
    .addOption(
      new Option('--timeout <s>', 'seconds one answer of the model may take (300)').argParser(
        wholeNumber('--timeout', 86_400),
      ),
    )
    .addOption(
      new Option('--author <who>', 'who writes a library: without --model embedded, with it the model').choices([
        ...AUTHORS,
      ]),
    )
    .option('--judge', 'the model judges whether each reference does what its brief says; a refusal drops the task')
    .option('--rewrite', 'the model rewords briefs; words that lose or leak a fact, or fail the gate, are not taken');

/** Who writes the tasks of a library. */
export const authorOf = ({ author, model }: TaskModelOptions): (typeof AUTHORS)[number] =>
  author ?? (model === undefined ? 'embedded' : 'model');

const needsModel = (option: string): TreadleError =>
  new TreadleError({
    code: 'bad_option',
    message: `${option} needs a model`,
    value: option,
    next: 'Add --base-url http://127.0.0.1:8000/v1 --model NAME; a key goes into TREADLE_API_KEY.',
  });

/**
 * The model as the options name it; undefined without one. `request` tells conversations apart. Throws `no_model`, `bad_option`,
 * `bad_budget`, `no_price`, and what the conversation file makes impossible.
 */
export const taskModelsOf = (options: TaskModelOptions, request: unknown, ui: Ui): TaskModels | undefined => {
  const { judge = false, rewrite = false, author, priceIn, priceOut } = options;
  const client = modelOf(options);
  if (!client) {
    if (judge) throw needsModel('--judge');
    if (rewrite) throw needsModel('--rewrite');
    if (author !== undefined && author !== 'embedded') throw needsModel(`--author ${author}`);
    return undefined;
  }
  const meter = meterOf({
    rounds: options.budgetRounds ?? ROUNDS,
    tokens: options.budgetTokens ?? TOKENS,
    usd: options.budgetUsd,
    answer: options.answerTokens,
    ...(priceIn !== undefined && priceOut !== undefined ? { price: { input: priceIn, output: priceOut } } : {}),
  });
  const about = sha256(JSON.stringify(['tasks', request, authorOf(options), judge, rewrite]));
  const conversation = openConversation(options.conversation, { model: client.model, request: about });
  const desk = deskOf(client, meter, conversation, (line) => ui.progress(`${client.model}: ${line}`));
  return new TaskModels(desk, { judge, reword: rewrite });
};

/** What a model said of tasks, for a person; nothing where it was not asked. */
export const tallyLines = ({ model, judged, reworded, ended }: ModelTally): string[] => {
  const { accepted, refused, unclear } = judged;
  const kept = Object.entries(reworded.kept).sort(([, a], [, b]) => b - a);
  const all = kept.reduce((sum, [, n]) => sum + n, 0);
  return [
    ...(accepted + refused + unclear > 0
      ? [`${model} accepts ${accepted} references, refuses ${refused}, gives no verdict on ${unclear}`]
      : []),
    ...(reworded.changed + all > 0
      ? [
          `${model} rewords ${reworded.changed} tasks; ${all} keep their words${kept
            .slice(0, 4)
            .map(([why, n]) => `, ${n}: ${why}`)
            .join('')}`,
        ]
      : []),
    ...(ended === undefined ? [] : [`${model} was not asked to the end: ${ended}`]),
  ];
};

/** What it cost. */
export const spentLine = ({ model, desk }: TaskModels): string => {
  const { rounds, promptTokens, completionTokens, usd } = desk.meter.spent;
  const money = usd === undefined ? '' : `, ${usd.toFixed(4)} dollars`;
  return `${model}: ${rounds} answers, ${promptTokens} + ${completionTokens} tokens${money}`;
};
