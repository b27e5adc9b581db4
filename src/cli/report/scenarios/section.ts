/** The part of the report on scenarios: what events there are, what was refused, and how rollouts did through them. */
import type { Corpus } from '../../../corpus/corpus.js';
import { escapeHtml as esc, table } from '../html.js';
import { type Bars, lyingBars, standingBars } from '../plots.js';
import { type Rate, ratePlot, rateWords } from '../rollouts/rate-plot.js';
import { gatherScenarios, type Judged, type RolledScenarios } from './gather.js';
import { scenarioBars, scenarioRows } from './rows.js';

/** Who acted, in the table; the rest are in `treadle score`. */
const MOST_ACTORS = 16;
const ORDER = ['requirement', 'state', 'information', 'distractor', 'fault'];

const NONE: Judged = { passed: 0, of: 0 };

const rolledCard = ({ rollouts, outdated, actors }: RolledScenarios): string => {
  if (rollouts === 0) return '';
  const all = [...actors]
    .sort(([a, x], [b, y]) => (y.get('all') ?? NONE).of - (x.get('all') ?? NONE).of || (a < b ? -1 : 1))
    .slice(0, MOST_ACTORS);
  const sources = ORDER.filter((source) => all.some(([, by]) => by.has(source)));
  const who = all.map(([label, by]): Rate => {
    const { passed: found, of } = by.get('all') ?? NONE;
    return { label, found, of };
  });
  const rows = all.map(([actor, by]) => [
    esc(actor),
    ...sources.map((source) => {
      const { passed: found, of } = by.get(source) ?? NONE;
      if (of === 0) return '';
      // Five sources side by side: the interval goes on a line of its own.
      const [share = '', rest = ''] = rateWords({ found, of }).split(/ (?=\()/);
      return `<span class="figure">${esc(share)}</span> <span class="soft figure">${esc(rest)}</span>`;
    }),
  ]);
  const left =
    outdated > 0 ? ` ${outdated.toLocaleString('en')} of scenarios that are here no more are in no rate.` : '';
  return `<div class="card"><h3>How ${rollouts.toLocaleString('en')} rollouts did</h3>${ratePlot('Pass rate in scenarios by who acted', who)}<h3>By source of the scenario’s events</h3>${table(['who acted', ...sources.map(esc)], rows)}<p class="soft">A scenario of several sources counts for each, whichever of its events fired; <code>treadle score</code> goes by those that did. The reference passes and the stale plan fails by construction, distractors apart.${left}</p></div>`;
};

/** HTML of all scenarios of these worlds; nothing where there are none. */
export const scenarioSection = (corpus: Corpus, worlds: readonly string[]): string => {
  const figures = gatherScenarios(corpus, worlds);
  if (!figures) return '';
  const rows = scenarioRows(figures).map(([name, value, published]) => [
    esc(name),
    esc(value),
    `<span class="soft">${esc(published)}</span>`,
  ]);
  const plots = scenarioBars(figures).map(({ title, counts, isOrdered }) => {
    const bars: Bars = Object.entries(counts);
    if (bars.length === 0) return '';
    return isOrdered ? standingBars(title, bars) : lyingBars(title, bars);
  });
  return `<h2>Scenarios</h2><div class="card"><h3>Figures</h3>${table(['', 'this corpus', 'DynaWeave'], rows)}</div>
<div class="card">${plots.join('')}</div>
${rolledCard(figures.rolled)}`;
};
