/** The part of the report on a corpus of many worlds: its figures and plots. */
import type { CorpusStatistics } from '../../corpus/statistics/statistics.js';
import { escapeHtml as esc, table } from './html.js';
import { lyingBars, standingBars } from './plots.js';

const percent = (share: number): string => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 2 : 1)} %`;

/** Figure, what it is, and what the AgentMercury corpus has where it says. */
export const figureRows = (s: CorpusStatistics): [name: string, value: string, published: string][] => [
  ['worlds, certified', `${s.worlds.toLocaleString('en')}, ${percent(s.certified_share)}`, '4,783'],
  ['industries', s.industries.toLocaleString('en'), '2,287'],
  ...s.industry_levels.map(({ level, codes, of }): [string, string, string] => [
    `of them NAICS ${level}`,
    `${codes.toLocaleString('en')} of ${of.toLocaleString('en')}`,
    '',
  ]),
  ['countries', `${s.countries}`, '50'],
  ['distinct tools', s.tools.toLocaleString('en'), '842'],
  ['distinct tables', s.tables.toLocaleString('en'), '222'],
  ['combinations of services', s.service_combinations.toLocaleString('en'), '148'],
  ['distinct tool schemas', s.distinct_tool_schemas.toLocaleString('en'), ''],
  ['pairs of worlds that share a service and show the same tools for it', percent(s.identical_list_share), ''],
  ['the same for directory, mail and chat, which all have', percent(s.identical_core_share), ''],
  ['tasks', s.tasks.toLocaleString('en'), '43,300'],
  ['mean TF-IDF cosine over pairs of tasks', s.text.mean_pairwise.toFixed(3), '0.13'],
  ['median cosine to the nearest task', s.text.median_nearest.toFixed(3), '0.83'],
  ['tasks with another above 0.99', percent(s.text.near_twin_share), '8.3 %'],
  ['of such pairs, within one world', percent(s.text.pairs_within_a_world), '17 %'],
  [
    `tasks of 3 calls and more (${s.long_tasks.tasks.toLocaleString('en')}): same tools in the same order and tables`,
    percent(s.long_tasks.same_chain_share),
    '',
  ],
  ['of those, alike once names are masked', percent(s.long_tasks.masked_share), ''],
  ['of those, both', percent(s.long_tasks.both_share), ''],
];

/** HTML of the figures and plots. */
export const statisticsSection = (s: CorpusStatistics): string => {
  const rows = figureRows(s).map(([name, value, published]) => [
    esc(name),
    esc(value),
    `<span class="soft">${esc(published)}</span>`,
  ]);
  return `<div class="card"><h3>Figures</h3>${table(['', 'this corpus', 'AgentMercury'], rows)}</div>
<div class="card">${standingBars('Tools a world', s.tools_a_world)}${standingBars('Services a world', s.services_a_world)}${standingBars('Tasks a world', s.tasks_a_world)}${standingBars('Calls a task', s.calls_a_task)}</div>
<div class="card">${lyingBars('Worlds by sector (NAICS)', s.sectors)}${lyingBars('Worlds by country', s.by_country)}${lyingBars('Worlds by service', s.by_service, 40)}${lyingBars('Tasks by family', s.by_family)}</div>`;
};
