/** treadle score: the papers' figures over the kept rollouts of a corpus. */
import { Command } from 'commander';
import type { Estimate } from '../../dynamics/metrics/estimate.js';
import { PROFILES } from '../../serve/faults/rule.js';
import { EXIT } from '../exit.js';
import { chosenWorlds, DEFAULT_OUT, jsonOption, worldOption } from '../options.js';
import { type Score, scoreCorpus } from '../pipeline/score.js';
import { makeUi, type Ui } from '../ui.js';

const figure = (value: number | undefined, digits = 1): string => (value === undefined ? '-' : value.toFixed(digits));

/** `81.3 [77.0, 84.9] of 400` */
const estimate = ({ value, low, high, n }: Estimate, digits = 1): string =>
  value === undefined ? '-' : `${figure(value, digits)} [${figure(low, digits)}, ${figure(high, digits)}] of ${n}`;

const sayFaults = (ui: Ui, { faults }: Score): void => {
  ui.say(`  NP   ${estimate(faults.np)}`);
  const seen = PROFILES.filter((profile) => faults.profiles[profile].tsr.n > 0);
  for (const profile of seen) {
    const { tsr, prr, rc, notRecovered } = faults.profiles[profile];
    ui.say(
      `  ${profile}   TSR ${estimate(tsr)}   PRR* ${estimate(prr)}   RC* ${estimate(rc)}, not recovered ${estimate(notRecovered)}`,
    );
  }
  if (faults.avg !== undefined)
    ui.say(
      `  mean TSR ${figure(faults.tsr)}   PRR* ${figure(faults.prr)}   RC* ${figure(faults.rc)}   Avg ${figure(faults.avg, 2)}`,
    );
  else if (seen.length > 0) {
    const left = PROFILES.filter((profile) => !seen.includes(profile));
    ui.say(
      ui.style(
        'dim',
        `  no Avg: ${left.length > 0 ? `no runs under ${left.join(', ')}` : 'a profile struck no run, or none recovered'}`,
      ),
    );
  }
};

const sayScore = (ui: Ui, score: Score): void => {
  ui.say(ui.style('bold', score.producer));
  sayFaults(ui, score);
  const { costGap, tcr, itur } = score.cost;
  ui.say(`  cost gap ${estimate(costGap, 2)} calls   TCR ${estimate(tcr)}   ITUR ${estimate(itur)}`);
  const apart = [
    [score.apart, 'cut or by fault of others'],
    [score.mixed, 'under several profiles at once'],
    [score.stale, 'of tasks that are here no more'],
  ] as const;
  for (const [n, why] of apart) if (n > 0) ui.say(ui.style('dim', `  ${n} runs left out: ${why}`));
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

Examples:
  treadle rollout treadle-out --policy scripted --n 4
  treadle rollout treadle-out --policy scripted --n 4 --fault '*=P1@20%'
  treadle score treadle-out
  treadle score treadle-out --json`,
    )
    .action((dir: string, options: { world?: string; json?: boolean }) => {
      const ui = makeUi(options.json === true);
      const { corpus, worlds } = chosenWorlds(dir, options.world);
      const scores = scoreCorpus(corpus, worlds);
      ui.give({ scores });
      for (const score of scores) sayScore(ui, score);
      if (scores.length > 0) return;
      ui.say('No rollouts are kept here: treadle rollout makes some.');
      process.exitCode = EXIT.failed;
    });
