/** A test of an agent from beginning to end: picked tasks, runs, figures, files. */
import { accessSync, appendFileSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { diskError, makeFolder, writeWhole } from '../../corpus/files.js';
import { lineOf, type TraceLine } from '../../corpus/traces/line.js';
import { TreadleError } from '../../errors.js';
import { openToolDoor } from '../../rollout/harness/tools-door.js';
import type { Policy } from '../../rollout/policy.js';
import { Engine } from '../../world/state/engine.js';
import { chosenWorlds } from '../chosen-worlds.js';
import { EXIT } from '../exit.js';
import { onStop } from '../interrupt.js';
import type { Acting } from '../pipeline/roll/attempt.js';
import { type Filter, pickTasks } from '../pipeline/roll/pick.js';
import type { Ui } from '../ui.js';
import { performBy, type TestedAgent } from './agent/agent.js';
import { type Baseline, baselineOf, compare, readBaseline, saveBaseline } from './baseline.js';
import { junitXml } from './junit.js';
import { sayTask, sayTotals } from './page.js';
import { type TestedTask, totalsOf } from './result.js';
import { runTests } from './run.js';
import { checkThresholds, type Thresholds, verdictOf } from './verdict.js';

export interface Test {
  filter: Partial<Filter>;
  /** An agent of somebody's, or a policy of ours. */
  agent: TestedAgent | { name: string; acting: Pick<Acting, 'policyFor' | 'view' | 'limits'> };
  detail: NonNullable<Acting['view']>['detail'];
  seed: string;
  repeat: number;
  concurrency: number;
  thresholds: Thresholds;
  files: { junit?: string; traces?: string; save?: string; baseline?: string };
}

const worldsOf = (dir: string, named: readonly string[] | undefined) => {
  if (!named) return chosenWorlds(dir, undefined);
  return { ...chosenWorlds(dir, named[0]), worlds: named.flatMap((world) => chosenWorlds(dir, world).worlds) };
};

const isAgent = (agent: Test['agent']): agent is TestedAgent => 'run' in agent;

/** An agent acts by `perform`; its policy only says who it is. */
const policyOf = ({ producer }: TestedAgent): Policy => ({
  producer,
  next: () => {
    throw new TreadleError({ code: 'unexpected', message: 'An agent under test takes no turns', fault: 'verifier' });
  },
});

/** What cannot be written in the end is said before anything runs. */
const mustTake = (file: string): void => {
  try {
    makeFolder(dirname(resolve(file)));
    accessSync(existsSync(file) ? file : dirname(resolve(file)), constants.W_OK);
  } catch (thrown) {
    throw thrown instanceof TreadleError ? thrown : diskError(thrown, file, 'write');
  }
  if (existsSync(file) && !statSync(file).isFile())
    throw new TreadleError({
      code: 'not_a_file',
      message: 'This is not a file',
      value: file,
      next: 'Name another one.',
    });
};

const keepLines = (file: string, lines: readonly TraceLine[]): void => {
  try {
    appendFileSync(file, lines.map((line) => lineOf(line).text).join(''));
  } catch (thrown) {
    throw diskError(thrown, file, 'write');
  }
};

const properties = (agent: string, totals: ReturnType<typeof totalsOf>): Record<string, string | number> => ({
  agent,
  pass_rate: totals.passRate.toFixed(6),
  ...Object.fromEntries(
    totals.estimates.flatMap(({ k, hat, at }) => [
      [`pass_hat_${k}`, hat.toFixed(6)],
      [`pass_at_${k}`, at.toFixed(6)],
    ]),
  ),
});

/** Returns the exit status. Throws what is wrong with the input before anything runs, `interrupted` after everything is said. */
export const testAgent = async (dir: string, test: Test, ui: Ui): Promise<number> => {
  const { agent, seed, repeat, files, thresholds } = test;
  checkThresholds(thresholds, repeat);
  const baseline: Baseline | undefined = files.baseline === undefined ? undefined : readBaseline(files.baseline);
  const { corpus, worlds } = worldsOf(dir, test.filter.worlds);
  const picked = pickTasks(corpus, { ...test.filter, worlds }, seed);
  for (const file of [files.junit, files.traces, files.save]) if (file !== undefined) mustTake(file);
  if (files.traces !== undefined) writeWhole(files.traces, '');
  const planned = picked.reduce((sum, { tasks }) => sum + tasks.length, 0) * repeat;
  const errors = new Map<string, string>();
  const stop = new AbortController();
  const signals = onStop(ui, () => stop.abort());
  const engine = await Engine.start();
  const door = isAgent(agent) ? await openToolDoor() : undefined;
  let tasks: TestedTask[];
  try {
    const acting: Acting = {
      seed,
      attempts: 2,
      signal: stop.signal,
      ...(isAgent(agent)
        ? {
            policyFor: () => policyOf(agent),
            view: { user: 'none', detail: test.detail },
            perform: performBy(agent, door as NonNullable<typeof door>, (trace, stderr) => errors.set(trace, stderr)),
          }
        : agent.acting),
    };
    let done = 0;
    tasks = await runTests({
      corpus,
      engine,
      picked,
      acting,
      repeat,
      concurrency: test.concurrency,
      stderrOf: (trace) => errors.get(trace),
      onRun: () => ui.progress(`${++done} of ${planned} runs`),
      onTask: (tested, lines) => {
        sayTask(ui, tested, files.traces !== undefined);
        if (files.traces !== undefined) keepLines(files.traces, lines);
      },
    });
  } finally {
    signals.end();
    await door?.close();
    if (isAgent(agent)) await agent.close?.();
    engine.close();
  }
  const totals = totalsOf(tasks, repeat);
  const comparison = baseline && compare(baseline, tasks);
  const isWhole = !signals.isAsked();
  const judged = verdictOf(totals, thresholds, comparison);
  const cutShort = `interrupted when ${totals.runs} of ${planned} runs had ended`;
  const verdict = isWhole ? judged : { pass: false, status: EXIT.interrupted, reasons: [cutShort, ...judged.reasons] };
  if (files.junit !== undefined)
    writeWhole(files.junit, junitXml(tasks, 'treadle test', properties(agent.name, totals)));
  if (files.save !== undefined && isWhole) saveBaseline(files.save, baselineOf(agent.name, repeat, tasks));
  ui.give({ agent: agent.name, repeat, ...totals, verdict, ...(comparison ? { comparison } : {}), results: tasks });
  sayTotals(ui, totals, verdict, comparison);
  if (isWhole) return verdict.status;
  throw new TreadleError({
    code: 'interrupted',
    message: `Interrupted: ${totals.runs} of ${planned} runs had ended`,
    next: 'Run the same command again for all of them.',
  });
};
