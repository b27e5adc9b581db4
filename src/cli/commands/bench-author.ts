/** treadle bench-author: how often a model writes a world that certifies, on briefs that no training sample is about. */
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { assembleWorld } from '../../author/assemble.js';
import type { Budget } from '../../author/model/budget.js';
import { exists, makeFolder, readData, writeJson } from '../../corpus/files.js';
import { TreadleError } from '../../errors.js';
import { sha256 } from '../../kit/hash.js';
import { type BenchRun, benchBrief, recipeOf } from '../../train/authoring/bench.js';
import { HELD_OUT_BRIEFS } from '../../train/authoring/briefs.js';
import { type BenchScore, scoreOf } from '../../train/authoring/score.js';
import { Engine } from '../../world/state/engine.js';
import { shortText, wholeNumber } from '../arguments.js';
import { EXIT } from '../exit.js';
import { jsonOption } from '../options.js';
import { certifierOf, type ModelOptions, modelOf, modelOptions } from '../pipeline/model-author.js';
import { makeUi, type Ui } from '../ui.js';

interface Options extends ModelOptions {
  briefs: number;
  recipes?: boolean;
  out: string;
  json?: boolean;
}

/** Of each brief, not of them all. */
const budgetOf = ({
  budgetRounds,
  budgetTokens,
  budgetUsd,
  answerTokens,
  priceIn,
  priceOut,
}: ModelOptions): Budget => ({
  rounds: budgetRounds,
  tokens: budgetTokens,
  usd: budgetUsd,
  answer: answerTokens,
  ...(priceIn !== undefined && priceOut !== undefined ? { price: { input: priceIn, output: priceOut } } : {}),
});

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

const show = (ui: Ui, name: string, score: BenchScore): void => {
  const [low, high] = score.interval;
  ui.say(
    `${name}: ${score.certified} of ${score.briefs} certified, ${percent(score.rate)} (95 %: ${percent(low)} to ${percent(high)}), ${score.validators.toFixed(1)} of ${score.of} validators at the mean`,
  );
  for (const [id, n] of Object.entries(score.failures).sort(([, a], [, b]) => b - a)) ui.say(`  failed ${id}: ${n}`);
  ui.say(
    `  ${score.rounds} rounds, ${score.promptTokens} + ${score.completionTokens} tokens${score.usd === undefined ? '' : `, ${score.usd.toFixed(4)} dollars`}`,
  );
};

const measure = async (options: Options, ui: Ui): Promise<{ plain: BenchRun[]; recipes: BenchRun[] }> => {
  if (options.conversation !== undefined)
    throw new TreadleError({
      code: 'bad_option',
      message: 'The benchmark keeps one conversation a brief, in its own folder',
      value: options.conversation,
      next: 'Leave --conversation out; --out names the folder.',
    });
  const model = modelOf(options);
  if (!model)
    throw new TreadleError({
      code: 'no_model',
      message: 'The benchmark needs a model',
      value: '',
      next: 'Add --base-url http://127.0.0.1:8000/v1 --model NAME; a key goes into TREADLE_API_KEY.',
    });
  const engine = await Engine.start();
  const certify = certifierOf(engine);
  const budget = budgetOf(options);
  // Another model or budget is another benchmark.
  const folder = join(options.out, sha256(JSON.stringify([model.model, options.baseUrl, budget])).slice(0, 12));
  makeFolder(folder);
  const runs: { plain: BenchRun[]; recipes: BenchRun[] } = { plain: [], recipes: [] };
  try {
    for (const kind of options.recipes ? (['plain', 'recipes'] as const) : (['plain'] as const))
      for (const [n, brief] of HELD_OUT_BRIEFS.slice(0, options.briefs).entries()) {
        const name = `${kind}-${String(n + 1).padStart(2, '0')}`;
        const file = join(folder, `${name}.json`);
        ui.progress(`${name}: ${brief.text}`);
        if (!exists(file)) {
          const isPlain = kind === 'plain';
          const recipe = isPlain ? undefined : await recipeOf(brief, (draft) => assembleWorld(engine, draft), certify);
          const conversation = join(folder, `${name}.jsonl`);
          writeJson(file, await benchBrief({ model, brief, recipe, certify, budget, conversation }));
        }
        const run = readData(file) as BenchRun;
        runs[kind].push(run);
        ui.step(
          `  ${name}: ${run.outcome}, ${run.passed} of ${run.of}${run.failed.length > 0 ? ` (${run.failed.join(', ')})` : ''}`,
        );
      }
    return runs;
  } finally {
    engine.close();
  }
};

export const benchAuthorCommand = (): Command =>
  modelOptions(
    new Command('bench-author').description(
      'measure how often a model authors a world that certifies, on held-out briefs',
    ),
  )
    .addOption(
      new Option('--briefs <n>', 'held-out briefs')
        .default(30)
        .argParser(wholeNumber('--briefs', HELD_OUT_BRIEFS.length)),
    )
    .option('--recipes', 'a second time, with a plan that works as a hint')
    .addOption(
      new Option('--out <dir>', 'runs and conversations; the same command goes on there')
        .default('bench-author')
        .argParser(shortText('--out', 'bench-author')),
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  treadle bench-author --model qwen3 --base-url http://127.0.0.1:8000/v1\n  treadle bench-author --model qwen3 --base-url http://127.0.0.1:8000/v1 --briefs 5 --recipes --json',
    )
    .action(async (options: Options) => {
      const ui = makeUi(options.json === true);
      const { plain, recipes } = await measure(options, ui);
      const scores = { plain: scoreOf(plain), ...(options.recipes ? { recipes: scoreOf(recipes) } : {}) };
      ui.give({ ...scores, runs: [...plain, ...recipes] });
      show(ui, 'without a recipe', scores.plain);
      if (scores.recipes) show(ui, 'with a recipe', scores.recipes);
      if (scores.plain.certified === 0) process.exitCode = EXIT.failed;
    });
