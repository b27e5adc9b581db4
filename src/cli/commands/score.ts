/** treadle score: the papers' figures over the kept rollouts of a corpus. */
import { Command } from 'commander';
import { EVENT_SOURCES } from '../../artifacts/trace.js';
import type { CostFigures } from '../../dynamics/metrics/costbench.js';
import type { Estimate } from '../../dynamics/metrics/estimate.js';
import type { ToolMazeFigures } from '../../dynamics/metrics/toolmaze.js';
import { PROFILES } from '../../serve/faults/rule.js';
import { chosenWorlds } from '../chosen-worlds.js';
import { EXIT } from '../exit.js';
import { DEFAULT_OUT, jsonOption, worldOption } from '../options.js';
import { type Score, scoreCorpus, WHOSE } from '../pipeline/score.js';
import type { ScenarioScore } from '../pipeline/score-scenarios.js';
import { makeUi, type Ui } from '../ui.js';

const figure = (value: number | undefined, digits = 1): string => (value === undefined ? '-' : value.toFixed(digits));

/** `81.3 [77.0, 84.9] of 400` */
const estimate = ({ value, low, high, n }: Estimate, digits = 1): string =>
  value === undefined ? '-' : `${figure(value, digits)} [${figure(low, digits)}, ${figure(high, digits)}] of ${n}`;

const sayFaults = (ui: Ui, faults: ToolMazeFigures, indent = '  '): void => {
  ui.say(`${indent}NP   ${estimate(faults.np)}`);
  const seen = PROFILES.filter((profile) => faults.profiles[profile].tsr.n > 0);
  for (const profile of seen) {
    const { tsr, prr, rc, notRecovered } = faults.profiles[profile];
    ui.say(
      `${indent}${profile}   TSR ${estimate(tsr)}   PRR* ${estimate(prr)}   RC* ${estimate(rc)}, not recovered ${estimate(notRecovered)}`,
    );
  }
  if (faults.avg !== undefined)
    ui.say(
      `${indent}mean TSR ${figure(faults.tsr)}   PRR* ${figure(faults.prr)}   RC* ${figure(faults.rc)}   Avg ${figure(faults.avg, 2)}`,
    );
  else if (seen.length > 0) {
    const left = PROFILES.filter((profile) => !seen.includes(profile));
    const why =
      left.length > 0
        ? `no runs under ${left.join(', ')}`
        : faults.np.n === 0
          ? 'no runs without faults'
          : 'a profile struck no run, or none recovered';
    ui.say(ui.style('dim', `${indent}no Avg: ${why}`));
  }
};

const sayCost = (ui: Ui, { costGap, tcr, itur }: CostFigures, over = '', indent = '  '): void =>
  ui.say(`${indent}cost gap ${estimate(costGap, 2)} calls${over}   TCR ${estimate(tcr)}   ITUR ${estimate(itur)}`);

const sayLeft = (ui: Ui, left: readonly (readonly [n: number, why: string])[], indent = '  '): void => {
  for (const [n, why] of left)
    if (n > 0) ui.say(ui.style('dim', `${indent}${n} run${n === 1 ? '' : 's'} left out: ${why}`));
};

const sayScenarios = (ui: Ui, score: ScenarioScore): void => {
  const { runs, success, faults, mixed, cost, optima, failures, stale } = score;
  const deep = '    ';
  ui.say(`  in scenarios: ${estimate(success.all)}`);
  for (const source of EVENT_SOURCES)
    if (success.sources[source].n > 0) ui.say(`${deep}${`${source}*`.padEnd(13)} ${estimate(success.sources[source])}`);
  if (success.nothing.n > 0) ui.say(`${deep}${'none fired*'.padEnd(13)} ${estimate(success.nothing)}`);
  if (PROFILES.some((profile) => faults.profiles[profile].tsr.n > 0)) sayFaults(ui, faults, deep);
  if (runs > 0) sayCost(ui, cost, ' over the optimum for what fired', deep);
  if (failures.policy.n > 0)
    ui.say(
      `${deep}failures: the policy’s* ${estimate(failures.policy)}   the scenario’s* ${figure(failures.scenario.value)}`,
    );
  if (failures.unasked > 0)
    ui.say(ui.style('dim', `${deep}of ${failures.unasked} failures it was not asked whose they are`));
  if (optima.solved_anew > 0)
    ui.say(
      ui.style(
        'dim',
        `${deep}${optima.solved_anew} runs met other events than the reference: their optimum was solved anew`,
      ),
    );
  sayLeft(
    ui,
    [
      [mixed, 'of TSR, PRR and RC: faults of several profiles or other events fired too'],
      [optima.unsolved, 'of the cost gap: no reference for what fired'],
      [stale, 'of scenarios that are here no more'],
    ],
    deep,
  );
};

const sayScore = (ui: Ui, score: Score): void => {
  ui.say(ui.style('bold', score.producer));
  if (score.runs > 0 || !score.scenarios) {
    sayFaults(ui, score.faults);
    sayCost(ui, score.cost);
  }
  if (score.scenarios) sayScenarios(ui, score.scenarios);
  sayLeft(ui, [
    [score.apart, 'cut or by fault of others'],
    [score.mixed, 'under several profiles at once'],
    [score.stale, 'of tasks that are here no more'],
    [score.dropped, 'dropped attempts of prefix-preserving sampling'],
  ]);
};

export const scoreCommand = (): Command =>
  new Command('score')
    .description('the figures of the kept rollouts by who acted: success, recovery from faults, cost')
    .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
    .addOption(worldOption().default(undefined))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
NP is success without faults, TSR success under a profile, both with 95 % intervals, in per cent; Avg is ToolMaze's composite.
PRR (success of runs that a fault struck) and RC (extra calls of those that recovered, 0 as the reference to 100 as many as a
rollout may have) are starred: the papers give them in words only, and the formulas are ours. The cost gap is in calls over the
reference, of correct runs without faults; TCR is their share; ITUR the share of calls that no tool took, injected failures apart.

Runs in scenarios are figured apart, by the events that really fired: success by source (starred: ours), TSR, PRR and RC by the
profile of the fault events where nothing else fired, the cost gap to the optimum for what fired, and whose fault failures are.

Examples:
  treadle rollout treadle-out --policy scripted --n 4
  treadle rollout treadle-out --policy scripted --n 4 --fault '*=P1@20%'
  treadle score treadle-out
  treadle dynamics treadle-out && treadle rollout treadle-out --scenarios --policy scripted
  treadle score treadle-out --json`,
    )
    .action((dir: string, options: { world?: string; json?: boolean }) => {
      const ui = makeUi(options.json === true);
      const { corpus, worlds } = chosenWorlds(dir, options.world);
      const scores = scoreCorpus(corpus, worlds);
      ui.give({ scores, whose: WHOSE });
      for (const score of scores) sayScore(ui, score);
      if (scores.length > 0) return;
      ui.say('No rollouts are kept here: treadle rollout makes some.');
      process.exitCode = EXIT.failed;
    });
