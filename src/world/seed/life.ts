/** Moves a row through its life: its state, the times of its steps, and the columns that follow from both. */
import { DAY, HOUR } from '../../kit/calendar.js';
import type { Rng } from '../../kit/rng.js';
import { makeCell } from './cell.js';
import type { Effect, Move } from './effects.js';
import { fitValue } from './fit.js';
import { isBegun, isOver, isUnfinished, stepOf } from './pace.js';
import { zoneOffset } from './places.js';
import { atWork } from './time.js';
import type { Handle, RefGroup, TablePlan, World } from './types.js';

/** What takes longer than this between two steps keeps to working hours. */
const SAME_DAY = 3 * HOUR;

/** Unfinished rows of a quick process are fresh: nobody leaves an order on the stove for a month. */
const freshened = (w: World, h: Handle, moves: number, status: string, r: Rng): number => {
  const step = stepOf(h.plan);
  const since = Math.floor(step * (moves + 0.3 + 2.2 * r.unit()));
  const waits = moves === 0 && (h.plan.roles.has('starts_at') || h.plan.roles.has('due_at'));
  return step < DAY && !waits && isUnfinished(h.plan, status)
    ? Math.max(h.meta.created, w.context.clock - since)
    : h.meta.created;
};

/**
 * Moves the row to `status` along the shortest way, with times between its creation and now. `occasion` is when the thing the
 * row belongs to takes place (the slot of an appointment): its steps follow that.
 */
export const setStatus = (w: World, h: Handle, status: string, r: Rng, earliest = 0, occasion?: Occasion): void => {
  const { life } = h.plan;
  h.meta.status = status;
  h.meta.path = [];
  const moves = life?.paths.get(status) ?? [];
  const now = w.context.clock;
  const step = stepOf(h.plan);
  if (h.meta.index === 0) {
    // A row that has come far was not made a minute ago.
    const least = moves.length * Math.min(step, 5 * HOUR);
    h.meta.created = Math.max(earliest, Math.min(freshened(w, h, moves.length, status, r), now - 60 - least));
    if (occasion) beforeOccasion(h, moves, occasion, earliest, r);
  }
  const room = Math.max(0, now - h.meta.created - 60);
  const reach = Math.min(room, moves.length * step * 2);
  const planned = h.plan.roles.has('starts_at') || h.plan.roles.has('ends_at');
  const parts = moves.map(({ to }) => (0.15 + r.unit()) * (planned && (isBegun(to) || isOver(to)) ? 2.5 : 1));
  const sum = parts.reduce((a, b) => a + b, 0) * (1.05 + 0.5 * r.unit());
  let at = h.meta.created;
  const offset = moves.length > 0 ? zoneOffset(w.context.company.timezone, at) : 0;
  for (const [i, move] of moves.entries()) {
    const before = at;
    const next = Math.floor(at + (reach * (parts[i] as number)) / sum);
    at = next - at < SAME_DAY ? next : atWork(next, offset, at, h.meta.created + room, r);
    if (occasion) at = Math.max(before, Math.min(now - 60, onOccasion(move.to, occasion, at, r)));
    h.meta.path.push({ verb: move.verb, to: move.to, at });
  }
  h.meta.touched = Math.max(h.meta.created, at);
  addLoose(h, w.context.clock, r);
};

export interface Occasion {
  starts: number;
  ends: number;
}

/** A row about something that has taken place was entered before that. */
const beforeOccasion = (h: Handle, moves: readonly Move[], { starts }: Occasion, earliest: number, r: Rng): void => {
  if (moves.some(({ to }) => isBegun(to) || isOver(to)) && h.meta.created > starts - HOUR)
    h.meta.created = Math.max(earliest, starts - HOUR - Math.floor(6 * DAY * r.unit() ** 2));
};

/** The time of a step that what is planned brings with it: arrival at its start, the end at its end. */
const onOccasion = (to: string, { starts, ends }: Occasion, at: number, r: Rng): number => {
  if (isBegun(to)) return starts - r.int(1, 12) * 60;
  if (isOver(to)) return (/no_show|missed/.test(to) ? starts + 900 : ends) + r.int(0, 8) * 60;
  return at < starts ? at : Math.max(starts - DAY, Math.min(at, starts - r.int(2, 20) * HOUR));
};

const constant = (effect: Effect, value: boolean | null): boolean =>
  effect.kind === 'literal' && effect.value === value;

/** Verbs that are no move of the life and leave a mark (`optout` sets a flag and a stamp). */
const looseVerbs = (plan: TablePlan): string[] => {
  const known = marks.get(plan);
  if (known) return known;
  const out: string[] = [];
  for (const [verb, { set }] of plan.verbs) {
    const effects = Object.entries(set);
    const marked = effects.some(([, effect]) => effect.kind === 'now' || constant(effect, true));
    const undone = effects.some(
      ([col, effect]) => constant(effect, false) || constant(effect, null) || col === plan.life?.col,
    );
    if (marked && !undone) out.push(verb);
  }
  marks.set(plan, out);
  return out;
};
const marks = new WeakMap<TablePlan, string[]>();

/** One row in eight has had such a verb. */
export const addLoose = (h: Handle, now: number, r: Rng): void => {
  if (h.meta.spare) return;
  for (const verb of looseVerbs(h.plan)) {
    if (!r.chance(0.12)) continue;
    const at = Math.min(now - 60, h.meta.touched + r.int(600, 9 * DAY));
    if (at <= h.meta.touched) continue;
    h.meta.path.push({ verb, to: h.meta.status ?? '', at });
    h.meta.touched = at;
  }
};

/** Whether a verb of the row's way wrote the reference. */
export const writesRef = (h: Handle, ref: RefGroup): boolean =>
  h.meta.path.some(({ verb }) => {
    const set = h.plan.verbs.get(verb)?.set;
    return (
      set !== undefined &&
      ref.cols.some(({ col }) => set[col] !== undefined && !(set[col]?.kind === 'literal' && set[col].value === null))
    );
  });

const FOLLOWS = new Set(
  'stamp reason flag actor paid_amount due_amount updated_at percent starts_at ends_at expires_at'.split(' '),
);

/** Makes the columns that follow from the row's state anew; keys, references and running numbers stay. */
export const refreshLife = (w: World, h: Handle, r: Rng): void => {
  const { plan } = h;
  const written = new Set(h.meta.path.flatMap(({ verb }) => Object.keys(plan.verbs.get(verb)?.set ?? {})));
  if (plan.life) h.row[plan.life.col] = h.meta.status ?? null;
  delete h.meta.starts;
  delete h.meta.ends;
  for (const col of plan.cols) {
    if (col.name === plan.life?.col || col.name === plan.table.key.col || col.unique) continue;
    if (col.column.auto) {
      if (col.column.auto === 'touch') h.row[col.name] = fitValue(h.meta.touched, col.column, r) ?? h.meta.touched;
      continue;
    }
    const ref = plan.refs.find((each) => each.cols.some((one) => one.col === col.name));
    if (ref) {
      if (ref.managed && !writesRef(h, ref)) h.row[col.name] = null;
      continue;
    }
    if (col.managed || written.has(col.name) || FOLLOWS.has(col.rule?.id ?? ''))
      h.row[col.name] = makeCell({ w, h, col, r });
  }
};
