/** What an export saw, counted on the way: for its report and its card. */
import { outcomeOf } from '../../rollout/outcome.js';
import { wilson } from '../authoring/score.js';
import type { Exclusion } from './exclude.js';
import { type Facets, producerName } from './facets.js';
import type { ExportItem, SftRow } from './row.js';

export const bump = <K>(counts: Map<K, number>, key: K, by = 1): void => {
  counts.set(key, (counts.get(key) ?? 0) + by);
};

/** Rollouts read, by what became of them; a pass rate is `passed` of `passed + failed` (rollout/outcome.ts). */
export interface Judged {
  passed: number;
  failed: number;
  cut: number;
  fault: number;
}

export interface Tally {
  /** Of all rollouts that were read, rows or not, by producer; dropped attempts are no rollouts. */
  judged: Map<string, Judged>;
  /** Of rollouts that became rows. */
  producers: Map<string, number>;
  worlds: Map<string, number>;
  templates: Map<string, number>;
  views: Map<string, number>;
  models: Map<string, number>;
  origins: Map<string, number>;
  profiles: Map<string, number>;
  events: Map<string, number>;
  /** Of scenarios, by whose behaviour they show. */
  scenarios: Map<string, number>;
  /** Addresses of the worlds and tasks that rows come from. */
  sources: Set<string>;
  negatives: number;
  excluded: Map<Exclusion, number>;
}

export const emptyTally = (): Tally => ({
  judged: new Map(),
  producers: new Map(),
  worlds: new Map(),
  templates: new Map(),
  views: new Map(),
  models: new Map(),
  origins: new Map(),
  profiles: new Map(),
  events: new Map(),
  scenarios: new Map(),
  sources: new Set(),
  negatives: 0,
  excluded: new Map(),
});

/** Counts a rollout that was read. */
export const judge = (tally: Tally, { trace, verdict }: ExportItem): void => {
  if (trace.origin?.kind === 'negative') return;
  const name = producerName(trace.producer);
  const judged = tally.judged.get(name) ?? { passed: 0, failed: 0, cut: 0, fault: 0 };
  judged[outcomeOf(trace, verdict).outcome]++;
  tally.judged.set(name, judged);
};

/** Counts a rollout that became rows. */
export const count = (tally: Tally, { metadata }: SftRow, facets: Facets): void => {
  bump(tally.producers, facets.producer);
  bump(tally.worlds, facets.world);
  bump(tally.templates, facets.template);
  bump(tally.views, `${facets.user === 'none' ? 'all at once' : `${facets.user} user`}, ${facets.detail} detail`);
  bump(tally.origins, facets.origin);
  bump(tally.profiles, facets.kind === 'composed' ? `composed, ${facets.profile}` : facets.kind);
  bump(tally.events, facets.event);
  if (metadata.scenario.by !== '') bump(tally.scenarios, metadata.scenario.by);
  if (facets.model !== 'none') bump(tally.models, facets.model);
  tally.sources.add(metadata.world);
  tally.sources.add(metadata.task);
  if (!metadata.label) tally.negatives++;
};

/** `42 of 50 (84 %, 95 % interval 71-92 %)`. */
export const rateWords = ({ passed, failed }: Judged): string => {
  const n = passed + failed;
  if (n === 0) return 'none was judged';
  const percent = (share: number): string => (100 * share).toFixed(1);
  const [low, high] = wilson(passed, n);
  return `${passed} of ${n} (${percent(passed / n)} %, ${percent(low)}-${percent(high)} %)`;
};
