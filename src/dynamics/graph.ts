/**
 * The graph of a scenario's events (DynaWeave, Figure 1a; dynamics.md, "Graph and engine"): who needs whom, who excludes whom, and
 * whether any two would contradict one another. Refused here, with the evidence, rather than found out in a rollout.
 */
import type { ScenarioEvent } from '../artifacts/scenario.js';
import { TreadleError } from '../errors.js';
import { meeting, pathWords } from './paths.js';

export interface EventGraph {
  events: ReadonlyMap<string, ScenarioEvent>;
  /** Parents before their children, ties by id: the order in which events of one step fire. */
  order: readonly string[];
  /** The events in that order. */
  ordered: readonly ScenarioEvent[];
  /** By event: those that it excludes or that exclude it. */
  rivals: ReadonlyMap<string, readonly string[]>;
  /** Events on the longest chain of needs. */
  depth: number;
  /** Whether `before` must have fired for `after` to fire, directly or by way of others. */
  isBefore(before: string, after: string): boolean;
  excludes(a: string, b: string): boolean;
}

const refused = (code: string, message: string, value: unknown, next: string): TreadleError =>
  new TreadleError({ code, message, value, next });

const checkIds = (events: readonly ScenarioEvent[]): Map<string, ScenarioEvent> => {
  const known = new Map<string, ScenarioEvent>();
  for (const event of events) {
    if (known.has(event.id))
      throw refused('double_event', 'Two events of the scenario have one id', event.id, 'Name each event differently.');
    known.set(event.id, event);
  }
  for (const { id, needs, excludes } of events) {
    const stray = [...needs.map((need) => need.id), ...excludes].find((other) => !known.has(other));
    if (stray !== undefined)
      throw refused(
        'unknown_event',
        `Event ${id} speaks of an event that the scenario lacks`,
        stray,
        `It has ${[...known.keys()].join(', ')}.`,
      );
  }
  return known;
};

/** A way from an event back to itself along its needs; undefined where there is none. */
const cycleIn = (events: ReadonlyMap<string, ScenarioEvent>): string[] | undefined => {
  const done = new Set<string>();
  const visit = (id: string, above: readonly string[]): string[] | undefined => {
    const at = above.indexOf(id);
    if (at >= 0) return [...above.slice(at), id];
    if (done.has(id)) return undefined;
    for (const need of events.get(id)?.needs ?? []) {
      const found = visit(need.id, [...above, id]);
      if (found) return found;
    }
    done.add(id);
    return undefined;
  };
  for (const id of [...events.keys()].sort()) {
    const found = visit(id, []);
    if (found) return found;
  }
  return undefined;
};

const ancestorsOf = (
  events: ReadonlyMap<string, ScenarioEvent>,
  order: readonly string[],
): Map<string, Set<string>> => {
  const above = new Map<string, Set<string>>();
  for (const id of order)
    above.set(id, new Set((events.get(id)?.needs ?? []).flatMap((need) => [need.id, ...(above.get(need.id) ?? [])])));
  return above;
};

/** Smallest id first among those whose parents are placed. */
const placed = (events: ReadonlyMap<string, ScenarioEvent>): { order: string[]; depth: number } => {
  const left = new Set([...events.keys()].sort());
  const level = new Map<string, number>();
  while (left.size > 0)
    for (const id of left) {
      const needs = events.get(id)?.needs ?? [];
      if (needs.some((need) => left.has(need.id))) continue;
      level.set(id, 1 + Math.max(0, ...needs.map((need) => level.get(need.id) ?? 0)));
      left.delete(id);
      break;
    }
  return { order: [...level.keys()], depth: Math.max(0, ...level.values()) };
};

const touchedChecks = ({ checks: { retire, replace } }: ScenarioEvent): string[] => [
  ...retire,
  ...replace.map(({ id }) => id),
];

/** Why two events cannot both happen in either order; undefined where they can. */
export const conflictOf = (a: ScenarioEvent, b: ScenarioEvent): string | undefined => {
  const written = meeting(a.writes, b.writes);
  if (written) return `both write ${pathWords(written)}`;
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    const guarded = meeting(
      one.writes,
      other.guard.map(({ path }) => path),
    );
    if (guarded) return `${one.id} writes ${pathWords(guarded)}, which the guard of ${other.id} reads`;
  }
  const checks = new Set(touchedChecks(b));
  const check = touchedChecks(a).find((id) => checks.has(id));
  return check === undefined ? undefined : `both revise the check ${check}`;
};

/** Throws `double_event`, `unknown_event`, `event_cycle`, `event_conflict`, `impossible_event`, each with what is at fault. */
export const graphOf = (list: readonly ScenarioEvent[]): EventGraph => {
  const events = checkIds(list);
  const cycle = cycleIn(events);
  if (cycle)
    throw refused(
      'event_cycle',
      'Events need one another in a circle',
      cycle.join(' -> '),
      'Take one of these needs away.',
    );
  const { order, depth } = placed(events);
  const above = ancestorsOf(events, order);
  const isBefore = (before: string, after: string): boolean => above.get(after)?.has(before) === true;
  const excludes = (a: string, b: string): boolean =>
    events.get(a)?.excludes.includes(b) === true || events.get(b)?.excludes.includes(a) === true;
  for (const id of order) {
    const family = [id, ...(above.get(id) ?? [])];
    for (const [n, one] of family.entries()) {
      const other = family.slice(n + 1).find((candidate) => excludes(one, candidate));
      if (other !== undefined)
        throw refused(
          'impossible_event',
          `Event ${id} can never fire: it comes with ${one} and ${other}, which exclude one another`,
          id,
          'Take the need or the exclusion away.',
        );
    }
  }
  for (const [n, id] of order.entries())
    for (const other of order.slice(n + 1)) {
      if (isBefore(id, other) || isBefore(other, id) || excludes(id, other)) continue;
      const why = conflictOf(events.get(id) as ScenarioEvent, events.get(other) as ScenarioEvent);
      if (why !== undefined)
        throw refused(
          'event_conflict',
          `Events ${id} and ${other} contradict one another: ${why}`,
          [id, other],
          'Let one need the other, or exclude it.',
        );
    }
  const ordered = order.map((id) => events.get(id) as ScenarioEvent);
  const rivals = new Map(order.map((id) => [id, order.filter((other) => excludes(id, other))]));
  return { events, order, ordered, rivals, depth, isBefore, excludes };
};
