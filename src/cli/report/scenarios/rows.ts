/** The figures of a corpus' scenarios as rows, and beside them what the paper says of its own. */
import type { Counts } from '../../pipeline/dynamics/counts.js';
import type { ScenarioFigures } from './gather.js';

const count = (n: number): string => n.toLocaleString('en');
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** `1.4 (at most 3)` of numbers that are counted under their names. */
const meanWords = (counts: Counts): string => {
  const all = Object.entries(counts).map(([value, n]) => [Number(value), n] as const);
  const of = all.reduce((sum, [, n]) => sum + n, 0);
  if (of === 0) return 'none';
  const mean = all.reduce((sum, [value, n]) => sum + value * n, 0) / of;
  return `${mean.toFixed(2)} (at most ${Math.max(...all.map(([value]) => value))})`;
};

const trajectories = ({ rolled: { rollouts, verified, byReference } }: ScenarioFigures): string => {
  if (rollouts === 0) return 'none yet';
  return `${count(verified)}${byReference > 0 ? `, ${count(byReference)} of them the reference’s` : ''}`;
};

/**
 * Figure, what it is, and what DynaWeave's corpus has: its Figure 2 is a drawing whose bars bear no numbers in the text that we
 * have, so there are two.
 */
export const scenarioRows = (figures: ScenarioFigures): [name: string, value: string, published: string][] => {
  const { counts, outdated, rolled } = figures;
  const { scenarios, tasks, dynamicTasks, worlds, events, candidates, refused, refusedShare } = counts;
  return [
    ['scenarios', count(scenarios), ''],
    ['tasks with a scenario', `${count(dynamicTasks)} of ${count(tasks)}`, ''],
    ['worlds with a scenario', count(worlds), '36'],
    ['events', count(events), ''],
    ['events a scenario', meanWords(counts.eventsAScenario), ''],
    ['depth of the event graph', meanWords(counts.depth), ''],
    ['scenarios that offer wait', count(counts.offersWait), ''],
    [
      'candidates refused by a rule',
      `${count(refused)} of ${count(candidates)}${refusedShare === null ? '' : `, ${percent(refusedShare)}`}`,
      '',
    ],
    ['verified trajectories through them', trajectories(figures), '2,095, a teacher’s'],
    ...(outdated > 0
      ? [['scenarios of tasks that have changed since', count(outdated), ''] as [string, string, string]]
      : []),
    ...(rolled.outdated > 0
      ? [['rollouts of scenarios that are here no more', count(rolled.outdated), ''] as [string, string, string]]
      : []),
  ];
};

/** What is told by name: events by what they are, scenarios by size and depth, refusals by rule. */
export const scenarioBars = ({ counts }: ScenarioFigures): { title: string; counts: Counts; isOrdered?: true }[] => [
  { title: 'Events by source', counts: counts.sources },
  { title: 'Events by trigger', counts: named(counts.triggers, TRIGGERS) },
  { title: 'Events by who tells of them', counts: named(counts.told, TOLD) },
  { title: 'Fault events by profile', counts: counts.profiles },
  { title: 'Events a scenario', counts: counts.eventsAScenario, isOrdered: true },
  { title: 'Depth of the event graph', counts: counts.depth, isOrdered: true },
  { title: 'Refused by rule', counts: counts.refusedByRule },
];

const TRIGGERS: Readonly<Record<string, string>> = {
  after: 'completion of a call',
  at: 'virtual time',
  random: 'at random',
};
const TOLD: Readonly<Record<string, string>> = {
  user: 'the user',
  environment: 'a notification',
  none: 'nobody: to be found out',
};

const named = (counts: Counts, names: Readonly<Record<string, string>>): Counts =>
  Object.fromEntries(Object.entries(counts).map(([key, n]) => [names[key] ?? key, n]));
