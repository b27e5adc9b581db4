/** The part of the report on rollouts: what became of them, pass rates with intervals, how they were gone about, what failed. */
import type { Corpus } from '../../../corpus/corpus.js';
import { BEHAVIOUR_FLAGS } from '../../../verify/behaviour/registry.js';
import { escapeHtml as esc, table } from '../html.js';
import { standingBars } from '../plots.js';
import { type Actor, callsAt, DIMENSIONS, type Dimension, type Outcomes, type RolloutFigures } from './figures.js';
import { gatherRollouts } from './gather.js';
import { percent, type Rate, ratePlot, rateWords } from './rate-plot.js';
import { type ToldFailure, toldFailures } from './told.js';

const count = (n: number): string => n.toLocaleString('en');
const sum = (values: Readonly<Record<string, number>>): number => Object.values(values).reduce((all, n) => all + n, 0);
const judged = ({ passed, failed }: Outcomes): number => passed + failed;
/** Rows of a table; the rest are in `treadle show --traces`. */
const MOST_ACTORS = 24;

const faultsText = (faults: Outcomes['faults']): string =>
  Object.entries(faults)
    .map(([whose, n]) => `${count(n)} ${esc(whose)}`)
    .join(', ');

const outcomeTable = (actors: readonly [string, Actor][]): string =>
  table(
    ['who acted', 'passed', 'failed', 'cut', 'faults, and whose', 'pass rate'],
    actors.map(([name, { outcomes }]) => [
      esc(name),
      count(outcomes.passed),
      count(outcomes.failed),
      count(outcomes.cut),
      faultsText(outcomes.faults),
      `<span class="figure">${esc(rateWords({ found: outcomes.passed, of: judged(outcomes) }))}</span>`,
    ]),
  );

const rate = (found: number, of: number): string => (of === 0 ? '' : `${percent(found / of)} %`);

/** Flags that have a column of their own whether they were seen or not. */
const ALWAYS = new Set(['truncation', 'degenerate_text']);

const conductTable = (actors: readonly [string, Actor][], { whole, rollouts }: RolloutFigures): string => {
  const shown = BEHAVIOUR_FLAGS.filter(({ id }) => ALWAYS.has(id) || actors.some(([, { flags }]) => flags[id]));
  const head = [
    'who acted',
    'calls that failed',
    'calls, median (90 %)',
    'to the reference’s',
    ...shown.map(({ id }) => esc(id.replaceAll('_', ' '))),
  ];
  const rows = actors.map(([name, actor]) => {
    const { outcomes, flags, made, failed, compared, referenceCalls } = actor;
    const of = judged(outcomes);
    const whose = Object.entries(failed).map(([fault, n]) => `${fault} ${count(n)}`);
    const detail =
      whose.length > 1 || (whose.length === 1 && failed.agent === undefined) ? ` (${whose.join(', ')})` : '';
    return [
      esc(name),
      made === 0 ? '' : `<span class="figure">${esc(rateWords({ found: sum(failed), of: made }))}</span>${esc(detail)}`,
      of === 0 ? '' : `${callsAt(actor, 0.5)} (${callsAt(actor, 0.9)})`,
      referenceCalls === 0 ? '' : (compared / referenceCalls).toFixed(2),
      ...shown.map(({ id }) => rate(flags[id] ?? 0, of)),
    ];
  });
  const says = shown.map(({ id, says: what }) => `${id.replaceAll('_', ' ')}: ${what}`).join('; ');
  // With nothing but the reference there are no calls to read.
  const read =
    whole > 0
      ? `; of the calls of ${count(whole)} rollouts of ${count(rollouts)}, read one by one, without the reference`
      : '';
  return `${table(head, rows)}<p class="soft">Shares of rollouts that passed or failed, whichever${read}. ${esc(says)}.</p>`;
};

const TITLES: Record<Dimension, string> = {
  profile: 'Pass rate by kind and profile of the task',
  view: 'Pass rate by view: who asks, and how explicitly',
  harness: 'Pass rate by harness',
};
const ORDER = ['atomic', 'simple', 'standard', 'moderate', 'complex', 'expert'];

const ratesOf = (groups: ReadonlyMap<string, Outcomes>): Rate[] => {
  const place = (label: string): number => ORDER.indexOf(label) + 1 || ORDER.length + 1;
  return [...groups]
    .map(([label, outcomes]) => ({ label, found: outcomes.passed, of: judged(outcomes) }))
    .sort((a, b) => place(a.label) - place(b.label) || (a.label < b.label ? -1 : 1));
};

const plots = ({ by, actors }: RolloutFigures): string => {
  const who = [...actors].map(([label, { outcomes }]) => ({ label, found: outcomes.passed, of: judged(outcomes) }));
  const more = DIMENSIONS.filter((dimension) => dimension !== 'harness' || by.harness.size > 1).map((dimension) =>
    ratePlot(TITLES[dimension], ratesOf(by[dimension])),
  );
  const inside = [ratePlot('Pass rate by who acted', who), ...more].join('');
  if (inside === '') return '';
  const all = [...actors].slice(0, MOST_ACTORS);
  const cross =
    crossTable(all, 'profile', 'Pass rates by who acted and profile') +
    crossTable(all, 'view', 'Pass rates by who acted and view');
  return `<div class="card">${inside}${cross}<p class="soft">Bars are shares of the rollouts that passed or failed; lines are 95 % intervals (Wilson). By kind, view and harness without the reference, which passes by construction, and the stale plan, which fails so. Rollouts of one task are alike: where there are few tasks, the intervals are too narrow.</p></div>`;
};

/** Bins of calls, few enough to be read. */
const MOST_BINS = 32;

/** Who acted against what was to be done: pass rates that are not mixed over policies. Only where several acted. */
const crossTable = (actors: readonly [string, Actor][], dimension: 'profile' | 'view', title: string): string => {
  const several = actors.filter(([, { isByConstruction, outcomes }]) => !isByConstruction && judged(outcomes) > 0);
  const keys = [...new Set(several.flatMap(([, { by }]) => [...by[dimension].keys()]))];
  if (several.length < 2 || keys.length < 2) return '';
  const sorted = ratesOf(new Map(keys.map((key) => [key, { passed: 0, failed: 0, cut: 0, faults: {} }])));
  const cell = (outcomes: Outcomes | undefined): string => {
    const of = outcomes ? judged(outcomes) : 0;
    return of === 0 ? '' : `${rate(outcomes?.passed ?? 0, of)} <span class="soft">of ${count(of)}</span>`;
  };
  const rows = several.map(([name, { by }]) => [
    esc(name),
    ...sorted.map(({ label }) => cell(by[dimension].get(label))),
  ]);
  return `<h3>${esc(title)}</h3>${table(['who acted', ...sorted.map(({ label }) => esc(label))], rows)}`;
};

const callsPlot = ({ actors }: RolloutFigures): string => {
  const all: number[] = [];
  for (const { byCount, isByConstruction } of actors.values())
    if (!isByConstruction) for (const [calls, n] of byCount.entries()) all[calls] = (all[calls] ?? 0) + (n ?? 0);
  if (all.length === 0) return '';
  const width = Math.ceil(all.length / MOST_BINS);
  const bars = Array.from({ length: Math.ceil(all.length / width) }, (_, i): [string, number] => {
    const from = i * width;
    const n = all.slice(from, from + width).reduce((total, one) => total + (one ?? 0), 0);
    return [`${from}`, n];
  });
  return standingBars(width === 1 ? 'Calls a rollout' : `Calls a rollout, in steps of ${width}`, bars);
};

/** Tools that fail most often by the agent's fault. */
const MOST_TOOLS = 8;

const toolTable = ({ tools }: RolloutFigures): string => {
  const worst = [...tools]
    .filter(([, { failed }]) => failed > 0)
    .sort(([a, x], [b, y]) => y.failed - x.failed || (a < b ? -1 : 1))
    .slice(0, MOST_TOOLS);
  if (worst.length === 0) return '';
  const rows = worst.map(([tool, { made, failed }]) => [
    `<code>${esc(tool)}</code>`,
    count(failed),
    esc(rateWords({ found: failed, of: made })),
  ]);
  return `<h3>Tools that refuse most</h3>${table(['tool', 'calls refused', 'of its calls'], rows)}`;
};

const failureCard = (failure: ToldFailure): string => {
  const rows: [string, string][] = [
    ['asked', esc(failure.request)],
    ...failure.checks.flatMap(({ expected, found }): [string, string][] => [
      ['expected', esc(expected)],
      ['found', `<span class="bad">${esc(found)}</span>`],
    ]),
    ...(failure.done === undefined ? [] : [['done', esc(failure.done)] as [string, string]]),
    ['answered', failure.answer === '' ? '<span class="soft">nothing</span>' : esc(failure.answer)],
  ];
  return `<div class="failure"><h4>${esc(failure.task)} · ${esc(failure.actor)} · ${esc(failure.view)} · ${esc(failure.held)}</h4>${table(
    [],
    rows.map(([name, text]) => [`<span class="soft">${name}</span>`, text]),
  )}<p class="soft"><code>treadle show CORPUS ${esc(failure.trace.slice(0, 12))}</code></p></div>`;
};

const failuresCard = (told: readonly ToldFailure[], seen: number): string =>
  told.length === 0
    ? ''
    : `<div class="card"><h3>${told.length === seen ? (seen === 1 ? 'The failure' : `All ${seen} failures`) : `${told.length} telling failures of ${count(seen)}`}</h3><p class="soft">Near misses first, and as unlike one another as they come.</p>${told.map(failureCard).join('')}</div>`;

/** HTML of all rollouts of these worlds; nothing where there are none. */
export const rolloutSection = (corpus: Corpus, worlds: readonly string[], mostWhole?: number): string => {
  const { figures, failures } = gatherRollouts(corpus, worlds, mostWhole);
  if (figures.rollouts === 0) return '';
  const actors = [...figures.actors]
    .sort(([, a], [, b]) => judged(b.outcomes) - judged(a.outcomes))
    .slice(0, MOST_ACTORS);
  const failed = actors.reduce(
    (all, [, { isByConstruction, outcomes }]) => all + (isByConstruction ? 0 : outcomes.failed),
    0,
  );
  const dropped =
    figures.dropped > 0
      ? `<p class="soft">${count(figures.dropped)} more are dropped attempts of prefix-preserving sampling: they were kept for having failed and are in no rate.</p>`
      : '';
  return `<h2>Rollouts</h2><div class="card"><h3>What became of ${count(figures.rollouts - figures.dropped)} rollouts</h3>${outcomeTable(actors)}${dropped}<p class="soft">Cut by a limit, and faults of others than who acted, are in no rate.</p></div>
${plots(figures)}
<div class="card"><h3>How they went about it</h3>${conductTable(actors, figures)}${callsPlot(figures)}${toolTable(figures)}</div>
${failuresCard(toldFailures(corpus, failures.chosen()), failed)}`;
};
