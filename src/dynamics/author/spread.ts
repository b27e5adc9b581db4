/** Which of many accepted scenarios are kept: of every kind some, rather than the first ones. */
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Rng } from '../../kit/rng.js';
import type { Made } from './made.js';

type Events = { scenario: { events: readonly ScenarioEvent[] } };

export const triggerOf = ({ when }: Pick<ScenarioEvent, 'when'>): 'after' | 'at' | 'random' =>
  'after' in when ? 'after' : 'at' in when ? 'at' : 'random';

const effectOf = ({ effect }: ScenarioEvent): string =>
  'fault' in effect ? effect.fault.profile : (Object.keys(effect)[0] as string);

const sourcesOf = ({ scenario: { events } }: Events): string =>
  [...new Set(events.map(({ source }) => source))].sort().join(' ');

/** Of every kind of sources one before a second of any, in the order of `queues`. */
const bySources = <T extends Events>(queues: readonly T[][]): T[][] => {
  const met = new Map<string, number>();
  const ranked = queues.map((queue) => {
    const sources = queue[0] ? sourcesOf(queue[0]) : '';
    const rank = met.get(sources) ?? 0;
    met.set(sources, rank + 1);
    return { queue, rank };
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ queue }) => queue);
};

/** Scenarios of one kind have events of the same sources, triggers and effects. */
const kindOf = ({ scenario: { events } }: Events): string =>
  events
    .map((event) => `${event.source} ${triggerOf(event)} ${effectOf(event)}`)
    .sort()
    .join(' + ');

/** At most `most`, in the order they came: one of each kind by turns, other sources and rare kinds first. */
export const spread = <T extends Events = Made>(all: readonly T[], most: number, random: Rng): T[] => {
  if (all.length <= most) return [...all];
  const kinds = new Map<string, T[]>();
  for (const one of random.shuffle(all)) kinds.set(kindOf(one), [...(kinds.get(kindOf(one)) ?? []), one]);
  const queues = bySources([...kinds.values()].sort((a, b) => a.length - b.length));
  const kept = new Set<T>();
  for (let turn = 0; kept.size < most; turn++) {
    for (const queue of queues) {
      const one = queue[turn];
      if (one && kept.size < most) kept.add(one);
    }
  }
  return all.filter((one) => kept.has(one));
};
