/** `treadle sample`: picks tasks, samples them, and says what it cost. */
import { claimTraces } from '../../../corpus/traces/claim.js';
import { TreadleError } from '../../../errors.js';
import { elapsedMs } from '../../../kit/clock.js';
import { Engine } from '../../../world/state/engine.js';
import { chosenWorlds } from '../../chosen-worlds.js';
import { EXIT, fail } from '../../exit.js';
import { onStop } from '../../interrupt.js';
import type { Ui } from '../../ui.js';
import { refresh } from '../report.js';
import { type Filter, pickTasks } from '../roll/pick.js';
import type { Method, Settings } from './jobs.js';
import { runSampling } from './run.js';
import { type MethodSums, SamplingSums, savedBy } from './sums.js';
import { costTable } from './table.js';

export interface SamplingOptions {
  filter: Partial<Filter>;
  method: Method;
  /** Samples whole trajectories of the same tasks as well. */
  compare: boolean;
  settings: Settings;
  samples: number;
  again: boolean;
  concurrency: number;
}

const said = (ui: Ui, sums: MethodSums, examples: ReadonlyMap<string, string>): void => {
  const { method, tasks, accepted, skipped, refused, ended, group } = sums;
  const share = tasks > 0 ? ` (${((accepted / tasks) * 100).toFixed(1)} %)` : '';
  const what = method === 'group' ? 'groups have a branch that passed' : 'tasks have an accepted trajectory';
  ui.say(`${method}: ${accepted} of ${tasks} ${what}${share}`);
  if (group) ui.say(`  ${group.passed} of ${group.branches} branches passed`);
  if (skipped > 0) ui.say(ui.style('dim', `  ${skipped} were sampled before (--again samples them again)`));
  for (const [why, n] of [...Object.entries(ended), ...Object.entries(refused)])
    ui.say(ui.style('yellow', `  ${n} x ${why}: ${examples.get(why) ?? ''}`));
};

/** Samples and prints what came of it; everything finished is kept whatever ends the run. */
export const sampleCorpus = async (dir: string, options: SamplingOptions, ui: Ui): Promise<void> => {
  const { method, compare, settings, samples } = options;
  for (const world of options.filter.worlds ?? []) chosenWorlds(dir, world);
  const { corpus, worlds } = chosenWorlds(dir, undefined);
  const picked = pickTasks(corpus, { ...options.filter, worlds: options.filter.worlds ?? worlds }, settings.seed);
  const names: Method[] = compare ? [method, 'whole'] : [method];
  const methods = names.map((name) => ({ method: name, sums: new SamplingSums(name, settings.limits.prices) }));
  const planned = picked.reduce((sum, { tasks }) => sum + tasks.length * samples, 0) * methods.length;
  const release = claimTraces(corpus, '');
  const stop = new AbortController();
  const signals = onStop(ui, () => stop.abort());
  const engine = await Engine.start();
  const started = elapsedMs();
  const done = (): number => methods.reduce((sum, { sums }) => sum + sums.done, 0);
  try {
    let failure: unknown;
    try {
      await runSampling({
        ...options,
        corpus,
        engine,
        picked,
        methods,
        stop,
        onDone: () => {
          const rate = (done() / Math.max(1, elapsedMs() - started)) * 1000;
          const accepted = methods.map(({ method: by, sums }) => `${by} ${sums.accepted} accepted`).join(', ');
          ui.progress(`${done()} of ${planned} sampled, ${rate.toFixed(1)}/s: ${accepted}`);
        },
      });
    } catch (thrown) {
      failure = thrown;
    }
    refresh(corpus);
    if (failure !== undefined && done() === 0) throw failure;
    const all = methods.map(({ sums }) => sums.summary());
    const [own, other] = all;
    const saved = own && other ? savedBy(own, other) : undefined;
    const traces = corpus.path('traces');
    ui.give({ planned, methods: all, ...(saved === undefined ? {} : { saved }), traces });
    for (const { sums } of methods) said(ui, sums.summary(), sums.examples);
    for (const line of costTable(all)) ui.say(line);
    if (saved) {
      const percent = (n: number): string => `${(n * 100).toFixed(1)} %`;
      ui.say(
        `An accepted trajectory costs ${percent(saved.calls)} fewer calls, ${percent(saved.tokens)} fewer tokens and ${percent(saved.wall)} less time than by whole trajectories`,
      );
    }
    ui.say(`traces in ${traces}`);
    if (failure !== undefined) throw failure;
    if (signals.isAsked())
      fail(
        new TreadleError({
          code: 'interrupted',
          message: `Interrupted: ${done()} of ${planned} are sampled`,
          next: 'Run the same command again: it goes on where it stopped.',
        }),
        false,
      );
    else if (own && own.tasks > 0 && own.accepted === 0) process.exitCode = EXIT.failed;
  } finally {
    signals.end();
    engine.close();
    release();
  }
};
