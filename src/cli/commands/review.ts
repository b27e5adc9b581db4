/** treadle review: a person reads a sample of the tasks and decides; what that says of all of them. */
import { createInterface } from 'node:readline';
import { Command, Option } from 'commander';
import type { Review } from '../../artifacts/review.js';
import type { Corpus } from '../../corpus/corpus.js';
import { readBytes } from '../../corpus/files.js';
import { boundsOf } from '../../corpus/review/bounds.js';
import { addReview, readReviews } from '../../corpus/review/records.js';
import { drawSample, type Sample, type SampleTask, tasksOfWorlds } from '../../corpus/review/sample.js';
import { standings, voidReviews } from '../../corpus/review/standing.js';
import { TreadleError } from '../../errors.js';
import { wallInstant } from '../../kit/clock.js';
import { shortText, wholeNumber } from '../arguments.js';
import { chosenWorlds } from '../chosen-worlds.js';
import { DEFAULT_OUT, jsonOption, seedOption, worldOption } from '../options.js';
import { decisionsIn } from '../review/decision.js';
import { boundLines } from '../review/summary.js';
import { reviewLine } from '../review/task-lines.js';
import { recordOf, walk } from '../review/walk.js';
import { makeUi, type Ui } from '../ui.js';

interface Options {
  world?: string;
  sample: number;
  each: number;
  by?: string;
  decisions?: string;
  status?: boolean;
  seed: string;
  json?: boolean;
}

/** Void records told of one by one. */
const MOST_VOID = 12;

/** Stores a file's decisions; those on tasks outside the sample count for exports and for no bound. */
const takeFile = (
  corpus: Corpus,
  file: string,
  tasks: readonly SampleTask[],
  reviews: Review[],
  by: string,
): number => {
  const known = new Map(tasks.map((task) => [task.id, task]));
  const text = Buffer.from(readBytes(file)).toString('utf8');
  let made = 0;
  for (const line of decisionsIn(file, text, (id) => known.get(id)?.hash)) {
    if (line.decision === 'skip') continue;
    const task = known.get(line.task) as SampleTask;
    const review = recordOf(task, line.decision, line.comment, line.by ?? by, line.at ?? wallInstant());
    addReview(corpus, review);
    reviews.push(review);
    made++;
  }
  return made;
};

const walkThrough = async (corpus: Corpus, sample: Sample, reviews: Review[], by: string, ui: Ui): Promise<number> => {
  const input = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  const isTyped = process.stdin.isTTY === true;
  try {
    return await walk(corpus, [...sample.drawn, ...sample.added], reviews, {
      by,
      now: wallInstant,
      lines: input[Symbol.asyncIterator](),
      isTyped,
      print: ui.json ? ui.step : ui.say,
      prompt: (text) => {
        if (isTyped) process.stderr.write(text);
      },
    });
  } finally {
    input.close();
  }
};

const report = (ui: Ui, all: readonly SampleTask[], sample: Sample, reviews: readonly Review[], made: number): void => {
  const standing = standings(reviews);
  const bounds = boundsOf(all, sample, standing);
  const current = new Set(all.map(({ hash }) => hash));
  const gone = voidReviews(reviews, current);
  const walked = [...sample.drawn, ...sample.added];
  const inSample = new Set(walked.map(({ hash }) => hash));
  const outside = all.filter(({ hash }) => standing.has(hash) && !inSample.has(hash)).length;
  const tasks = walked.map((task) => ({ ...task, standing: standing.get(task.hash) ?? 'open' }));
  ui.give({ made, ...bounds, outside, void: gone, sample: tasks });
  ui.say('');
  for (const line of boundLines(bounds)) ui.say(line);
  if (outside > 0) ui.say(`Decided outside this sample, and in no bound: ${outside}`);
  if (gone.length > 0) ui.say(ui.style('yellow', `Void, since their tasks have changed or gone: ${gone.length}`));
  for (const review of gone.slice(0, MOST_VOID)) ui.say(`  ${review.name}: ${reviewLine(review)}`);
};

export const reviewCommand = (): Command =>
  new Command('review')
    .description('read a sample of the tasks, accept or reject them, and see what that says of all of them')
    .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
    .addOption(worldOption())
    .addOption(
      new Option(
        '--sample <n>',
        'tasks to read, in proportion to kinds, profiles and worlds (59 without a defect: at most 5 %)',
      )
        .default(59)
        .argParser(wholeNumber('--sample', 100_000)),
    )
    .addOption(
      new Option('--each <n>', 'and more where a kind or profile would have fewer than so many')
        .default(0)
        .argParser(wholeNumber('--each', 1000, 0)),
    )
    .addOption(new Option('--by <name>', 'who decides (default: the user)').argParser(shortText('--by', 'ada')))
    .addOption(
      new Option('--decisions <file>', 'take decisions from a JSONL file').argParser(
        shortText('--decisions', 'd.jsonl'),
      ),
    )
    .option('--status', 'ask nothing; only say what has been decided')
    .addOption(seedOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
A line decides: a (accept), r REASON (reject), c TEXT (comment), s (skip), b (back), q (quit). Decisions are stored one by one in
reviews.jsonl of the corpus; the same command goes on. A task that changes afterwards has no review any more.

Examples:
  treadle review treadle-out
  printf 'a\\nr the total is of another order\\nq\\n' | treadle review treadle-out --by ada
  treadle review treadle-out --decisions decisions.jsonl --json
  treadle export treadle-out --reviewed accepted`,
    )
    .action(async (dir: string, options: Options) => {
      const ui = makeUi(options.json === true);
      const { corpus, worlds } = chosenWorlds(dir, options.world);
      const all = tasksOfWorlds(corpus, worlds);
      if (all.length === 0)
        throw new TreadleError({
          code: 'no_task',
          message: 'The corpus holds no task to review',
          value: dir,
          next: `Make some: treadle tasks ${dir}`,
        });
      const reviews = readReviews(corpus);
      const sample = drawSample(all, options.sample, options.each, options.seed);
      const by = options.by ?? process.env.USER ?? process.env.USERNAME ?? 'reviewer';
      let made = 0;
      if (options.decisions !== undefined) made = takeFile(corpus, options.decisions, all, reviews, by);
      else if (!options.status) made = await walkThrough(corpus, sample, reviews, by, ui);
      // Of one world, reviews of others are not void.
      const own = options.world === undefined ? reviews : reviews.filter(({ world }) => world === options.world);
      report(ui, all, sample, own, made);
    });
