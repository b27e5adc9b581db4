/** treadle tasks --composed: long tasks over several services, in the profiles' shares. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { rebuildIndex } from '../../corpus/catalog.js';
import { TreadleError } from '../../errors.js';
import { median } from '../../kit/quantiles.js';
import { defaultProfiles, type Profiles, parseMix, parseProfiles } from '../../tasks/compose/profiles.js';
import { type CoherenceTally, modelJudge } from '../../tasks/model/coherence.js';
import { chosenWorlds } from '../chosen-worlds.js';
import { EXIT } from '../exit.js';
import { onInterrupt } from '../interrupt.js';
import { type KeptTask, keepComposed } from '../pipeline/compose/keep.js';
import { composeCorpus } from '../pipeline/compose/run.js';
import { rewriteReport } from '../pipeline/report.js';
import { spentLine, type TaskModelOptions, tallyLines, taskModelsOf } from '../pipeline/task-models.js';
import { makeUi } from '../ui.js';

export interface ComposedOptions extends TaskModelOptions {
  composed: number;
  world?: string;
  seed?: string;
  profiles?: string;
  mix?: string;
  jobs?: number;
  json?: boolean;
}

const profilesOf = (file: string | undefined): Profiles => {
  if (file === undefined) return defaultProfiles();
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new TreadleError({
      code: 'no_file',
      message: 'The profile file cannot be read',
      value: file,
      next: 'Give a YAML file like data/profiles.yaml.',
    });
  }
  return parseProfiles(text, file);
};

export const composedTasks = async (dir: string, options: ComposedOptions): Promise<void> => {
  const ui = makeUi(options.json === true);
  const profiles = profilesOf(options.profiles);
  const mix = options.mix === undefined ? undefined : parseMix(options.mix);
  const { corpus, worlds } = chosenWorlds(dir, options.world);
  const { composed: count } = options;
  if (options.author !== undefined)
    throw new TreadleError({
      code: 'bad_option',
      message: 'Composed tasks are grown, not written',
      value: `--author ${options.author}`,
      next: 'Leave --author out; a model judges which services belong together, and with --judge and --rewrite the tasks.',
    });
  const models = taskModelsOf(options, ['composed', worlds, count, options.mix, options.seed], ui);
  const coherence: CoherenceTally = { asked: 0, rejected: 0, unclear: 0 };
  let [tried, kept] = [0, 0];
  const interrupt = onInterrupt(ui);
  let tasks: KeptTask[] = [];
  const made = await composeCorpus(
    {
      corpus,
      worlds,
      count,
      profiles,
      ...(mix ? { mix } : {}),
      seed: options.seed ?? '1',
      jobs: options.jobs ?? availableParallelism(),
      ...(models ? { models, judge: modelJudge(models.desk, coherence) } : {}),
      interrupt,
      onDone: (n, good) => {
        tried += n;
        kept += good;
        ui.progress(`${kept} of ${count} composed tasks, ${tried} tried`);
      },
    },
    (all) => {
      tasks = keepComposed(corpus, worlds, all);
    },
  ).finally(() => interrupt.end());
  rebuildIndex(corpus);
  rewriteReport(corpus);
  const stages = tasks.map((task) => task.stages);
  const missing = Object.fromEntries(Object.entries(made.missing).filter(([, n]) => n > 0));
  const byModel = models && { ...models.take(), coherence };
  const { quotas, dropped, rejected } = made;
  ui.give({ tasks, quotas, missing, dropped, rejected, ...(byModel ? { byModel } : {}) });
  for (const { id, profile, stages: n, services, calls, process } of tasks)
    ui.say(
      `  ${profile.padEnd(8)} ${id}: ${n} stages, ${services} services, ${calls} calls${process ? `; ${process}` : ''}`,
    );
  ui.say(
    `${ui.style('bold', String(tasks.length))} composed tasks (${Object.entries(made.quotas)
      .map(([name, n]) => `${name} ${n}`)
      .join(
        ', ',
      )}), ${tasks.length > 0 ? median(stages) : 0} stages at the median, ${made.dropped.length} tries dropped`,
  );
  if (models && byModel) {
    ui.say(
      `  ${models.model} on services: ${coherence.asked} sets judged, ${coherence.rejected} rejected, ${coherence.unclear} without a verdict`,
    );
    for (const line of [...tallyLines(byModel), spentLine(models)]) ui.say(`  ${line}`);
  }
  for (const [name, n] of Object.entries(missing)) ui.say(`${ui.style('red', name)}: ${n} are missing`);
  if (tasks.length < count) process.exitCode = EXIT.failed;
};
