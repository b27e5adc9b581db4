/**
 * Several events in one scenario: accepted ones of one task combined into a graph (DynaWeave, Figure 1a), in which some need others,
 * some come a while after others, and those that contradict one another exclude one another.
 */
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Task } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';
import { conflictOf } from '../graph.js';
import { solvedFor } from '../solve/solved.js';
import { triggerOf } from './spread.js';

/** Events of a set, by how often a set has so many. */
const SIZES = [
  [2, 5],
  [3, 3],
  [4, 2],
  [5, 1],
] as const;
/** Most virtual seconds between an event and one that needs it: a few calls. */
const LONGEST_DELAY = 15;

/** Whether no reference can do what both ask for, or both say what becomes of one thing. */
const contradict = (task: Pick<Task, 'reference'>, a: ScenarioEvent, b: ScenarioEvent): boolean => {
  if (conflictOf(a, b) !== undefined || (a.checks.answer && b.checks.answer && sameAnswer(a, b))) return true;
  try {
    solvedFor(task, [a, b]);
    return false;
  } catch {
    return true;
  }
};

const sameAnswer = (a: ScenarioEvent, b: ScenarioEvent): boolean =>
  a.checks.answer?.milestone === b.checks.answer?.milestone;

/** One event after the other, of as many sources as there are; each id once. */
const picked = (events: readonly ScenarioEvent[], size: number, random: Rng): ScenarioEvent[] => {
  const left = random.shuffle(events);
  const chosen: ScenarioEvent[] = [];
  while (chosen.length < size) {
    const sources = new Set(chosen.map(({ source }) => source));
    const free = left.filter(({ id }) => chosen.every((one) => one.id !== id));
    const next = free.find(({ source }) => !sources.has(source)) ?? free[0];
    if (!next) break;
    chosen.push(next);
  }
  return chosen;
};

/** Ties the events to one another: in the order in which the reference has to know of them. */
const tied = (task: Pick<Task, 'reference'>, chosen: readonly ScenarioEvent[], random: Rng): ScenarioEvent[] => {
  const ordered = [...chosen].sort((a, b) => a.reference.from - b.reference.from || (a.id < b.id ? -1 : 1));
  return ordered.map((event, n) => {
    const before = ordered.slice(0, n);
    const excludes = before.filter((other) => contradict(task, event, other)).map(({ id }) => id);
    const own = random.stream(event.id);
    const parents = before.filter(({ id }) => !excludes.includes(id));
    if (excludes.length > 0 || parents.length === 0 || !own.chance(0.6)) return { ...event, excludes };
    const delay = own.chance(0.6) ? 0 : own.int(1, LONGEST_DELAY);
    return { ...event, needs: [{ id: own.pick(parents).id, delay }] };
  });
};

/** Whether one of two that exclude one another always comes first, so that the other never does. */
const isDecided = (events: readonly ScenarioEvent[]): boolean =>
  events.some(({ excludes, ...event }) =>
    events.some((other) => excludes.includes(other.id) && triggerOf(event) === 'after' && triggerOf(other) === 'after'),
  );

/** At most `tries` sets of two to `most` of these events, no two alike. */
export const setsOf = (
  task: Pick<Task, 'reference'>,
  events: readonly ScenarioEvent[],
  { most, tries }: { most: number; tries: number },
  random: Rng,
): ScenarioEvent[][] => {
  const largest = Math.min(most, new Set(events.map(({ id }) => id)).size);
  const sizes = SIZES.filter(([size]) => size <= largest);
  if (sizes.length === 0) return [];
  const sets = new Map<string, ScenarioEvent[]>();
  for (let n = 0; n < tries; n++) {
    const own = random.stream(String(n));
    const set = tied(task, picked(events, own.weighted(sizes), own), own);
    const name = set.map((event) => `${event.id} ${triggerOf(event)}`).join(' + ');
    if (!isDecided(set)) sets.set(name, set);
  }
  return [...sets.values()];
};
