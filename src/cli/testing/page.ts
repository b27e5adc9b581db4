/** A test on the terminal: a line a task, why runs failed, and the figures. */
import type { Interval } from '../../kit/wilson.js';
import { cleanLine, cleanShort } from '../show/trace/clean.js';
import type { Ui } from '../ui.js';
import type { Comparison, TaskChange } from './baseline.js';
import { countsOf, type TestedTask, type TestRun, type TestTotals } from './result.js';
import type { TestVerdict } from './verdict.js';

const MOST = 220;

/** Runs that failed the same way are one entry. */
const alike = (runs: readonly TestRun[]): TestRun[][] => {
  const groups = new Map<string, TestRun[]>();
  for (const run of runs) {
    const key = [run.outcome, run.why, run.divergence].join('\n');
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()];
};

const numbers = (runs: readonly TestRun[]): string =>
  `run${runs.length === 1 ? '' : 's'} ${runs.map(({ run }) => run).join(', ')}`;

/** `isKept`: the runs can be shown by their trace's id. */
export const sayTask = (ui: Ui, tested: TestedTask, isKept: boolean): void => {
  const { runs, passed, errors } = countsOf(tested);
  const style = errors > 0 ? 'yellow' : passed === runs ? 'green' : passed === 0 ? 'red' : 'yellow';
  const more = errors > 0 ? `, ${errors} error${errors === 1 ? '' : 's'}` : '';
  ui.say(`${ui.style(style, `${passed} of ${runs}${more}`.padEnd(8))}  ${tested.task}`);
  for (const group of alike(tested.runs.filter(({ outcome }) => outcome !== 'passed'))) {
    const [run] = group as [TestRun];
    const mark = ui.style(run.outcome === 'error' ? 'yellow' : 'red', run.outcome === 'error' ? 'error' : 'failed');
    ui.say(`    ${numbers(group)} ${mark}: ${cleanShort(run.why ?? '', MOST)}`);
    const [check] = run.checks;
    if (check && run.type === 'check') ui.say(ui.style('dim', `      asked: ${cleanShort(check.asked, MOST)}`));
    if (run.divergence) ui.say(`      ${cleanLine(run.divergence)}`);
    if (isKept && run.trace) ui.say(ui.style('dim', `      trace ${run.trace.slice(0, 12)}`));
  }
};

const many = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
const share = (value: number): string => value.toFixed(3);
const interval = ({ low, high }: Interval): string => `${share(low)} to ${share(high)}`;

const counted = ({ passed, runs }: TaskChange['now']): string => `${passed} of ${runs}`;

const sayComparison = (ui: Ui, { worse, better, changed, notRun, added }: Comparison): void => {
  ui.say('');
  ui.say(ui.style('bold', 'Against the baseline'));
  for (const { task, before, now, isRegression, chance } of worse) {
    const mark = isRegression ? ui.style('red', 'REGRESSED') : ui.style('yellow', 'lower');
    ui.say(`  ${mark} ${task}: ${counted(before)} before, ${counted(now)} now (by chance ${chance.toFixed(3)})`);
  }
  if (worse.length === 0) ui.say('  no task passes less often');
  if (better.length > 0) ui.say(`  ${better.length} task${better.length === 1 ? '' : 's'} pass more often`);
  const apart = (ids: readonly string[], what: string): void => {
    if (ids.length > 0) ui.say(ui.style('dim', `  ${ids.length} ${what}: ${cleanShort(ids.join(', '), MOST)}`));
  };
  apart(changed, 'changed since and not compared');
  apart(notRun, 'of the baseline not run');
  apart(added, 'not in the baseline');
};

export const sayTotals = (
  ui: Ui,
  totals: TestTotals,
  verdict: TestVerdict,
  comparison: Comparison | undefined,
): void => {
  const { tasks, runs, passed, failed, errors, passRate, passRateInterval } = totals;
  ui.say('');
  const apart = errors > 0 ? `, ${many(errors, 'error')}` : '';
  ui.say(`${many(tasks, 'task')}, ${many(runs, 'run')}: ${passed} passed, ${failed} failed${apart}`);
  ui.say(
    `pass rate ${share(passRate)} (${interval(passRateInterval)}); ${totals.solid} of ${many(tasks, 'task')} passed every time`,
  );
  ui.say(ui.style('dim', '  k  pass^k                    pass@k'));
  for (const { k, hat, hatInterval, at, atInterval, tasks: able } of totals.estimates) {
    const few = able < tasks ? ui.style('dim', `  over ${able} tasks`) : '';
    ui.say(
      `${String(k).padStart(3)}  ${`${share(hat)} (${interval(hatInterval)})`.padEnd(24)}  ${share(at)} (${interval(atInterval)})${few}`,
    );
  }
  if (comparison) sayComparison(ui, comparison);
  ui.say('');
  ui.say(verdict.pass ? ui.style('green', 'PASSED') : `${ui.style('red', 'FAILED')}: ${verdict.reasons.join('; ')}`);
};
