/** Goes through the rollouts of a corpus: all of them by their heads, and so many whole, one in memory at a time. */
import type { Corpus } from '../../../corpus/corpus.js';
import type { TraceHead } from '../../../corpus/traces/line.js';
import { eachTrace, traceHeads } from '../../../corpus/traces/read.js';
import { isByConstruction, type ListedTask, RolloutFigures } from './figures.js';
import { TellingFailures } from './telling.js';

export interface Gathered {
  figures: RolloutFigures;
  failures: TellingFailures;
}

type Listed = ListedTask & { hash: string; family: string };

/** Rollouts of tasks that were replaced meanwhile are still rollouts. */
const GONE: Omit<Listed, 'hash'> = { profile: 'tasks that were replaced', referenceCalls: 0, family: '' };

const listedTasks = (corpus: Corpus, world: string): ReadonlyMap<string, Listed> =>
  new Map(
    corpus.listTasks(world).tasks.map(({ id, hash, kind, profile, family, chain }) => [
      id,
      {
        hash,
        family: kind === 'composed' ? 'composed' : family,
        profile: kind === 'composed' ? (profile ?? 'composed') : 'atomic',
        referenceCalls: chain?.length ?? 0,
      },
    ]),
  );

/** Whole rollouts that are read unless all are wanted: a line of a long one holds a hundred kilobytes. */
export const MOST_WHOLE = 2_000;

/** A fair share of the rollouts, by their ids, which are hashes. */
const isDrawn = (id: string, share: number): boolean => {
  const place = Number.parseInt(id.slice(0, 8), 16);
  return Number.isNaN(place) || place < share * 2 ** 32;
};

const isWorthReading = (head: TraceHead): boolean => !isByConstruction(head) && head.origin !== 'negative';

export const gatherRollouts = (corpus: Corpus, worlds: readonly string[], mostWhole = MOST_WHOLE): Gathered => {
  const figures = new RolloutFigures();
  const failures = new TellingFailures();
  let worth = 0;
  const withSome: string[] = [];
  for (const world of worlds) {
    const heads = traceHeads(corpus, world);
    if (heads.length === 0) continue;
    withSome.push(world);
    const listed = listedTasks(corpus, world);
    for (const head of heads) {
      const known = listed.get(head.taskId);
      figures.add(head, known?.hash === head.task ? known : GONE);
      if (isWorthReading(head)) worth++;
    }
  }
  const share = mostWhole / Math.max(1, worth);
  for (const world of withSome) {
    const listed = listedTasks(corpus, world);
    for (const line of eachTrace(corpus, world, (head) => isWorthReading(head) && isDrawn(head.id, share))) {
      figures.addWhole(line);
      failures.add(line, world, listed.get(line.trace.taskId)?.family ?? GONE.family);
    }
  }
  return { figures, failures };
};
