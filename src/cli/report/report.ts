/** report.html: what a build made, what it dropped and why; one file that needs no other. */
import type { Corpus } from '../../corpus/corpus.js';
import { readDifficulty } from '../../corpus/difficulty.js';
import { writeWhole } from '../../corpus/files.js';
import type { WorldEntry } from '../../corpus/listings.js';
import { corpusStatistics } from '../../corpus/statistics/statistics.js';
import { rng } from '../../kit/rng.js';
import type { DocumentOutcome } from '../pipeline/document.js';
import type { Loss } from '../pipeline/record.js';
import { difficultySection, type MeasuredTask } from './difficulty.js';
import { documentSection } from './document.js';
import { escapeHtml as esc, folded, table } from './html.js';
import { rolloutSection } from './rollouts/section.js';
import { scenarioSection } from './scenarios/section.js';
import { statisticsSection } from './statistics.js';
import { STYLE } from './style.js';
import { worldSection } from './world.js';

export interface ReportInput {
  title: string;
  /** The brief, or what document it was. */
  source: string;
  seed: string;
  /** Worlds and tools that were given up, with the reason. */
  dropped: readonly Loss[];
  document?: DocumentOutcome;
}

/** Losses shown before the rest is folded up. */
const FEW = 6;
const MOST_LOSSES = 500;

const lossesSection = (dropped: readonly Loss[]): string => {
  if (dropped.length === 0) return '';
  const rows = dropped.map(({ what, why }) => [esc(what), esc(why)]);
  const rest = rows.slice(FEW, MOST_LOSSES);
  const untold = rows.length - FEW - rest.length;
  const more =
    rest.length > 0
      ? folded(
          `and ${rows.length - FEW} more`,
          table([], rest) + (untold > 0 ? `<p class="soft">and ${untold} more in build.json</p>` : ''),
        )
      : '';
  return `<div class="card"><h3>Given up, and why</h3>${table(['what', 'why'], rows.slice(0, FEW))}${more}</div>`;
};

/** `tool void of billing` was lost: `billing.void`, with the reason. */
const lostTools = (dropped: readonly Loss[]): ReadonlyMap<string, string> =>
  new Map(
    dropped.flatMap(({ what, why }) => {
      const [, tool, service] = /^tool (\S+) of (\S+)$/.exec(what) ?? [];
      return tool && service ? [[`${service}.${tool}`, why] as const] : [];
    }),
  );

const tilesOf = (worlds: readonly WorldEntry[]): string => {
  const sum = (pick: (world: WorldEntry) => number): number => worlds.reduce((total, world) => total + pick(world), 0);
  const tiles: [string, number][] = [
    ['certified worlds', worlds.filter(({ certified }) => certified).length],
    ['tools', sum(({ tools }) => tools)],
    ['rows', sum(({ rows }) => rows)],
    ['tasks', sum(({ tasks }) => tasks)],
    ['verified rollouts', sum(({ passed }) => passed)],
  ];
  return tiles.map(([name, n]) => `<div class="tile"><b>${n.toLocaleString('en')}</b>${name}</div>`).join('');
};

/** A page for a few worlds is read from top to bottom; above that each is folded up. */
const MANY = 3;

/** From here on figures say more than a list of worlds. */
const WORTH_PLOTTING = 20;
/** Worlds told of one by one; a page of thousands opens in no browser. */
const MOST_TOLD = 60;
const SAMPLED = 20;

const sampleOf = (worlds: readonly WorldEntry[]): WorldEntry[] => {
  const chosen = new Set(rng('report', 'worlds').sample(worlds, SAMPLED));
  return worlds.filter((world) => chosen.has(world));
};

const measuredOf = (corpus: Corpus, worlds: readonly WorldEntry[]): MeasuredTask[] =>
  worlds.flatMap(({ id }) => {
    const all = readDifficulty(corpus, id);
    return corpus.listTasks(id).tasks.flatMap(({ id: task, family, kind, profile = '' }) => {
      const measured = all[task];
      return measured ? [{ kind: kind === 'composed' ? `composed ${profile}`.trim() : family, measured }] : [];
    });
  });

/** Writes report.html; returns its path. */
export const writeReport = (corpus: Corpus, worlds: readonly WorldEntry[], input: ReportInput): string => {
  const { title, source, seed, dropped, document } = input;
  const figures = worlds.length >= WORTH_PLOTTING ? statisticsSection(corpusStatistics(corpus, { worlds })) : '';
  const ids = worlds.map(({ id }) => id);
  const told = worlds.length > MOST_TOLD ? sampleOf(worlds) : worlds;
  const sections = told.map(({ id, company, tasks }) => {
    const html = worldSection(corpus.readDescription(id), corpus.readTasks(id), readDifficulty(corpus, id));
    return worlds.length > MANY ? folded(`${esc(company)}: ${tasks} tasks`, html) : html;
  });
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${esc(title)} · Treadle</title><style>${STYLE}</style></head><body><main>
<h1>${esc(title)}</h1><p class="soft">made by Treadle, seed ${esc(seed)}</p><div class="brief">${esc(source.slice(0, 2000))}</div>
<div class="tiles">${tilesOf(worlds)}</div>
${document ? documentSection(document, lostTools(dropped)) : ''}
${scenarioSection(corpus, ids)}
${rolloutSection(corpus, ids)}
${difficultySection(measuredOf(corpus, worlds))}
${figures}
${told.length < worlds.length ? `<h2>${told.length} worlds of ${worlds.length}</h2><p class="soft">drawn by the seed; <code>treadle show</code> lists all</p>` : ''}
${sections.join('\n')}
${lossesSection(dropped)}
</main></body></html>
`;
  const path = corpus.path('report.html');
  writeWhole(path, html);
  return path;
};
