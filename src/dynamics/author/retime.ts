/**
 * Events that come after a call, made to come by the clock or by chance instead. They then come wherever the agent is: what makes up
 * for a late one is found by trying it out at every place of the reference, and where nothing does, the event is guarded by what the
 * agent has not written yet, or expires in time.
 */
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Literal } from '../../artifacts/table.js';
import type { Call } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';
import { everyPrefix } from '../solve/prefixes.js';
import { rowByKey } from './rows.js';
import { played, type Stage } from './trial.js';

/** Virtual times before the first call of the reference and after each. */
const timesOf = (stage: Stage): number[] => {
  const session = played(stage, stage.task.reference.calls);
  try {
    return [...session.ledger.map(({ at }) => at), session.clock];
  } finally {
    session.drop();
  }
};

/** The last call that shows what the event writes: whoever made it before the event has to make it again. */
const lastLook = ({ task, world }: Stage, { writes }: ScenarioEvent): number => {
  const tables = new Set(writes.map(({ table }) => table));
  return task.reference.calls.findLastIndex(({ service, tool }) => {
    const known = world.tools.get(tool)?.tool.tool;
    return (
      known !== undefined &&
      writes.some((place) => place.service === service) &&
      known.writes.length === 0 &&
      (tables.has(known.table) || known.reads.some((table) => tables.has(table)))
    );
  });
};

/** The event with an edit that knows when it is late, and what may make up for it, the likeliest first. */
const waysToMakeUp = (stage: Stage, event: ScenarioEvent): ScenarioEvent[] => {
  const { reference, checks } = event;
  const withLate = (late: Call[], from = reference.from): ScenarioEvent => ({
    ...event,
    reference: { ...reference, from, late },
  });
  if (reference.late) return [event];
  const look = lastLook(stage, event);
  if (checks.answer && reference.insert.length === 0 && reference.drop === 0)
    // The answer is another one: it has to be looked at again.
    return look < 0 ? [] : [withLate([stage.task.reference.calls[look] as Call], look)];
  const again = reference.insert.length > 0 && reference.drop > 0 ? [withLate([...reference.insert])] : [];
  return 'fault' in event.effect || checks.replace.length + checks.retire.length === 0 ? [withLate([])] : again;
};

/** The event held back once the agent has written what it is about: guarded by what stands there before. */
const guarded = (stage: Stage, event: ScenarioEvent): ScenarioEvent[] => {
  const session = played(stage, []);
  try {
    for (const { by } of event.checks.replace) {
      if (by.kind !== 'equals') continue;
      const { service, table, col, where } = by;
      const key = where[stage.world.services.get(service)?.keys[table] ?? ''];
      if (typeof key !== 'string' && typeof key !== 'number') continue;
      const value = rowByKey(session, service, table, key)?.[col];
      if (value === undefined) continue;
      const path = { service, table, key, col };
      const guard = [...event.guard, { path, op: 'eq' as const, value: value as Literal }];
      return [{ ...event, guard, reads: [...event.reads, path] }];
    }
    return [];
  } finally {
    session.drop();
  }
};

/** As it may come at any time: made up for, guarded or over in time; undefined where none of these makes it solvable from everywhere. */
export const anytime = (stage: Stage, event: ScenarioEvent, seed: string): ScenarioEvent | undefined => {
  const times = timesOf(stage);
  const isSolved = (one: ScenarioEvent): boolean =>
    everyPrefix(stage, [{ ...one, when: { at: 0 } }], seed).unsolved === undefined;
  const made = [...waysToMakeUp(stage, event), ...guarded(stage, event)].find(isSolved);
  if (made) return made;
  const { from } = event.reference;
  const expires = times[Math.min(from, times.length - 1)] as number;
  const ending = { ...event, expires };
  return from > 0 && isSolved(ending) ? ending : undefined;
};

/** Before which call of the reference it comes at the earliest and at the latest, both included. */
const span = (event: ScenarioEvent, calls: number): [number, number] => {
  const last =
    event.expires === undefined && event.guard.length === 0 && event.reference.late?.length
      ? calls
      : Math.min(event.reference.from, calls);
  return [1, Math.max(1, last)];
};

/** The event at a virtual time: after a number of the reference's calls that is drawn. */
export const atTime = (stage: Stage, event: ScenarioEvent, random: Rng): ScenarioEvent => {
  const times = timesOf(stage);
  const [low, high] = span(event, times.length - 1);
  const k = random.int(low, high);
  const [before, after] = [times[k - 1] as number, times[k] as number];
  return { ...event, when: { at: random.int(Math.min(before + 1, after), after) } };
};

/** The event by chance, at each step while the reference might be on its way. */
export const byChance = (stage: Stage, event: ScenarioEvent, random: Rng): ScenarioEvent => {
  const times = timesOf(stage);
  const [, high] = span(event, times.length - 1);
  const p = random.int(35, 75) / 100;
  return { ...event, when: { random: { p, from: times[0] as number, to: times[high] as number } } };
};
