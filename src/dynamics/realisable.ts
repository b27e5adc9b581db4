/** Which events of a scenario may happen together, and in which orders: enumerated for few events, sampled for many (dynamics.md). */
import type { Rng } from '../kit/rng.js';
import type { EventGraph } from './graph.js';

/** Up to so many events everything is enumerated: 6 events have at most 64 subsets and 1,957 orders. */
export const ENUMERATED = 6;

const isTogether = (graph: EventGraph, chosen: readonly string[]): boolean => {
  const set = new Set(chosen);
  return chosen.every(
    (id) =>
      (graph.events.get(id)?.needs ?? []).every((need) => set.has(need.id)) &&
      chosen.every((other) => other === id || !graph.excludes(id, other)),
  );
};

/** Every set of events that may fire in one rollout, the empty one first; `graph` has at most `ENUMERATED` events. */
const allSubsets = (graph: EventGraph): string[][] => {
  const { order } = graph;
  return Array.from({ length: 2 ** order.length }, (_, bits) => order.filter((_id, n) => (bits >> n) & 1)).filter(
    (chosen) => isTogether(graph, chosen),
  );
};

/** A random set: each event with a coin, if its parents are in and nothing in excludes it. */
const drawnSubset = (graph: EventGraph, random: Rng): string[] => {
  const chosen: string[] = [];
  for (const id of graph.order) if (random.chance(0.6) && isTogether(graph, [...chosen, id])) chosen.push(id);
  return chosen;
};

const distinct = (lists: readonly string[][]): string[][] => [
  ...new Map(lists.map((list) => [list.join(' '), list])).values(),
];

/** Sets of events that may fire in one rollout: all of them up to six events, else at most `most` drawn ones. */
export const realisableSubsets = (graph: EventGraph, random: Rng, most = 64): string[][] => {
  if (graph.order.length <= ENUMERATED) return allSubsets(graph);
  const drawn = Array.from({ length: most * 2 }, () => drawnSubset(graph, random));
  return distinct([[], ...drawn]).slice(0, most);
};

const freeNext = (graph: EventGraph, chosen: readonly string[], done: readonly string[]): string[] =>
  chosen.filter(
    (id) => !done.includes(id) && chosen.every((other) => done.includes(other) || !graph.isBefore(other, id)),
  );

const allOrders = (graph: EventGraph, chosen: readonly string[], done: readonly string[]): string[][] =>
  done.length === chosen.length
    ? [[...done]]
    : freeNext(graph, chosen, done).flatMap((id) => allOrders(graph, chosen, [...done, id]));

/** Orders in which the chosen events may fire: all of them up to six events, else at most `most` drawn ones. */
export const realisableOrders = (graph: EventGraph, chosen: readonly string[], random: Rng, most = 64): string[][] => {
  if (chosen.length <= ENUMERATED) return allOrders(graph, chosen, []);
  const drawn = Array.from({ length: most * 2 }, () => {
    const done: string[] = [];
    while (done.length < chosen.length) done.push(random.pick(freeNext(graph, chosen, done)));
    return done;
  });
  return distinct(drawn).slice(0, most);
};
