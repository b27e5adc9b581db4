/** `treadle rollout`: picks tasks, runs them, and says what came of it. */
import { Corpus } from '../../../corpus/corpus.js';
import { claimTraces } from '../../../corpus/traces/claim.js';
import type { TraceHead } from '../../../corpus/traces/line.js';
import { writeRunRecord } from '../../../corpus/traces/run-record.js';
import { asTreadleError, TreadleError } from '../../../errors.js';
import { rewardOf } from '../../../verify/reward.js';
import { Engine } from '../../../world/state/engine.js';
import { chosenWorlds } from '../../chosen-worlds.js';
import { EXIT, fail } from '../../exit.js';
import { onStop } from '../../interrupt.js';
import type { Ui } from '../../ui.js';
import { refresh } from '../report.js';
import { RolloutSums } from '../rollout-sums.js';
import type { Acting } from './attempt.js';
import { crewRollouts, ownRollouts } from './crew.js';
import { pickTasks, unitsOf } from './pick.js';
import type { CorpusPlan } from './plan.js';
import { progressOf, sourceWords } from './progress.js';

/** The reward of a kept rollout as this run reckons it, whatever the run reckoned that made it. */
const rewarded = (head: TraceHead, { reward: asked }: Acting): TraceHead => {
  if (!asked) return head;
  const { pass, fault, held, of } = head.verdict;
  const milestones = Array.from({ length: of }, (_, n) => ({ id: `m${n}`, pass: n < held, checks: [] }));
  const verdict = {
    treadle: 'verdict/1' as const,
    task: head.task,
    trace: head.id,
    pass,
    milestones,
    broken: [],
    fault,
  };
  const behaviour = Object.fromEntries(head.flags.map((flag) => [flag, []]));
  return { ...head, reward: rewardOf(verdict, behaviour, asked.shape, asked.penalties) };
};

const worldsOf = (dir: string, named: readonly string[] | undefined): { corpus: Corpus; worlds: readonly string[] } => {
  if (!named) return chosenWorlds(dir, undefined);
  for (const world of named) chosenWorlds(dir, world);
  return { corpus: Corpus.open(dir), worlds: named };
};

/** Rolls the tasks out and prints what came of it, and what ended the run early, after everything finished was kept. */
export const rolloutCorpus = async (dir: string, plan: CorpusPlan, ui: Ui): Promise<void> => {
  const { acting, samples } = plan;
  const { corpus, worlds } = worldsOf(dir, plan.filter.worlds);
  const picked = pickTasks(corpus, { ...plan.filter, worlds }, acting.seed);
  const planned = picked.reduce((sum, one) => sum + unitsOf(one) * samples, 0);
  const release = claimTraces(corpus, '');
  const record = (ended: string, kept: number, why?: string): void =>
    writeRunRecord(corpus, { ended, planned, kept, ...(why === undefined ? {} : { why }) });
  const stop = new AbortController();
  const signals = onStop(ui, () => stop.abort());
  const sums = new RolloutSums();
  const progress = progressOf(planned, ui.progress);
  let kept = 0;
  let skipped = 0;
  const count = (heads: readonly TraceHead[]): void => {
    for (const head of heads) sums.add(rewarded(head, acting));
    kept += heads.length;
  };
  let engine: Engine | undefined;
  try {
    record('running', 0);
    const watch = {
      stop,
      onKept: (head: TraceHead) => {
        count([head]);
        progress.show(kept, skipped, sums);
      },
      onSkipped: (heads: readonly TraceHead[]) => {
        skipped += heads.length;
        count(heads);
      },
    };
    if (!plan.crew) engine = await Engine.start();
    const { failure, lost, isSpent } =
      plan.crew && !engine
        ? await crewRollouts({ ...plan.crew, ...watch, corpus, picked })
        : await ownRollouts({ ...plan, ...watch, corpus, picked, engine: engine as Engine });
    const early =
      failure !== undefined
        ? stopped(failure, kept, planned, lost)
        : signals.isAsked()
          ? interrupted(kept, planned)
          : isSpent
            ? spent(acting.limits?.purse?.limit, kept, planned)
            : undefined;
    try {
      record(early?.code ?? 'done', kept, early?.line().replaceAll(corpus.dir, '.'));
      refresh(corpus);
    } catch (thrown) {
      // On a full disk the index and the report wait for the next run; why it is full is said already.
      if (!early) throw thrown;
    }
    report(ui, corpus, sums, { planned, skipped, lost, plan, ...(early ? { error: early } : {}) });
    // The one JSON value holds the error already.
    if (early) fail(early, false);
  } finally {
    signals.end();
    engine?.close();
    release();
  }
};

const interrupted = (kept: number, planned: number): TreadleError =>
  new TreadleError({
    code: 'interrupted',
    message: `Interrupted: ${kept} of ${planned} rollouts are kept, those in flight as cut`,
    next: 'Run the same command again: it goes on where it stopped.',
  });

const spent = (limit: number | undefined, kept: number, planned: number): TreadleError =>
  new TreadleError({
    code: 'run_budget',
    message: `The budget of the run is used up: ${kept} of ${planned} rollouts are kept`,
    value: limit,
    next: 'Run the same command again with another --budget-cost: it goes on where it stopped.',
  });

const stopped = (failure: unknown, kept: number, planned: number, lost: number): TreadleError => {
  const { code, message, value, next, fault, cause } = asTreadleError(failure, 'infrastructure', 'run_failed');
  const unkept = lost > 0 ? `, ${lost} had ended and could not be kept` : '';
  return new TreadleError({
    code,
    message: `${message}; ${kept} of ${planned} rollouts are kept${unkept}`,
    value,
    fault,
    ...(next === undefined ? {} : { next }),
    cause,
  });
};

interface Came {
  planned: number;
  skipped: number;
  lost: number;
  plan: CorpusPlan;
  error?: TreadleError;
}

const report = (ui: Ui, corpus: Corpus, sums: RolloutSums, { planned, skipped, lost, plan, error }: Came): void => {
  const summary = sums.summary();
  const { rollouts, unfinished, passed, cut, faults, retried, behaviour, problems, reward } = summary;
  const finished = rollouts - unfinished;
  const passRate = finished > 0 ? passed / finished : null;
  const traces = corpus.path('traces');
  ui.give({
    planned,
    skipped,
    notStarted: planned - rollouts - lost,
    lost,
    ...summary,
    passRate,
    traces,
    ...(error ? { error } : {}),
  });
  const percent = passRate === null ? '' : ` (${(passRate * 100).toFixed(1)} %)`;
  ui.say(`${passed} of ${finished} rollouts passed${percent}; traces in ${traces}`);
  if (summary.sources) ui.say(`  passed by source of events: ${sourceWords(summary.sources)}`);
  if (skipped > 0) ui.say(ui.style('dim', `  ${skipped} of them had been kept before (--again makes them again)`));
  if (retried > 0)
    ui.say(ui.style('dim', `  ${retried} were made a second time after the infrastructure broke the first`));
  if (reward && (reward.shape !== 'all' || Object.keys(plan.acting.reward?.penalties ?? {}).length > 0)) {
    const cost = reward.penalties.map(({ flag, rollouts: n, total }) => `, ${n} x ${flag} -${total.toFixed(2)}`);
    ui.say(`mean reward ${reward.mean.toFixed(3)} (${reward.shape}): base ${reward.base.toFixed(3)}${cost.join('')}`);
  }
  for (const [flag, n] of Object.entries(behaviour)) ui.say(ui.style('dim', `  behaviour: ${n} x ${flag}`));
  if (unfinished > 0) {
    const whose = Object.entries(faults).map(([fault, n]) => `${n} by a fault of ${fault}`);
    const parts = [...(cut > 0 ? [`${cut} cut`] : []), ...whose].join(', ');
    ui.say(ui.style('yellow', `${unfinished} more did not finish and are not counted: ${parts}`));
  }
  for (const [code, { rollouts: n, example }] of Object.entries(problems))
    ui.say(ui.style('yellow', `  ${n} x ${code}: ${example}`));
  if (finished === 0) process.exitCode = EXIT.failed;
};
