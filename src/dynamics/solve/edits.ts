/**
 * A task's reference under events: each event that fired edits it (artifacts/scenario.ts, `ReferenceEdit`), and the edits of several
 * are one plan. What was planned for a call that another event replaces is planned for what it is replaced by.
 */
import type { ReferenceEdit, ScenarioEvent } from '../../artifacts/scenario.js';
import type { Call } from '../../artifacts/task.js';
import { TreadleError } from '../../errors.js';
import { canonicalJson } from '../../kit/hash.js';

/** An event that fired. */
export interface Fired {
  event: ScenarioEvent;
  /** Calls of the task's own reference that were done by then; absent: few enough for the event's edit. */
  at?: number;
}

/** A call of the plan: the reference's own, by its place there, or one that an event put in. */
export interface Step {
  /** `7` for the reference's own, `new_team/0` and `new_team/late/0` for an event's. */
  id: string;
  call: Call;
  own?: number;
  by?: string;
  /** The reference's own calls that are behind once it is done. */
  place: number;
}

export interface Edit {
  event: string;
  from: number;
  drop: number;
  insert: readonly Call[];
  /** What is read from its calls in place of the reference's own. */
  seen: NonNullable<ReferenceEdit['seen']>;
  isLate: boolean;
}

/** Whether an event comes when the reference has gone past the place where it would have changed it. */
export const isLate = ({ event, at }: Fired): boolean => at !== undefined && at > event.reference.from;

const refused = (code: string, message: string, value: unknown, next: string): TreadleError =>
  new TreadleError({ code, message, value, next, fault: 'task' });

/** What an event makes of the reference at the moment it fired. Throws `bad_edit`, `too_late`. */
const editOf = (fired: Fired, calls: number): Edit => {
  const { event, at = 0 } = fired;
  const { from, drop, insert, late, seen = [] }: ReferenceEdit = event.reference;
  if (from + drop > calls)
    throw refused(
      'bad_edit',
      `Event ${event.id} edits calls that the reference lacks`,
      { from, drop },
      `The reference has ${calls} calls.`,
    );
  if (!isLate(fired)) return { event: event.id, from, drop, insert, seen, isLate: false };
  if (!late)
    throw refused(
      'too_late',
      `Event ${event.id} fires after call ${at} of the reference, and nothing makes up for call ${from}`,
      event.id,
      'Give its reference edit `late` calls, let it expire, or let it come after an earlier call.',
    );
  return { event: event.id, from: at, drop: 0, insert: late, seen: [], isLate: true };
};

const meets = (a: Edit, b: Edit): boolean => {
  if (a.drop > 0 && b.drop > 0) return a.from < b.from + b.drop && b.from < a.from + a.drop;
  const [put, cut] = a.drop > 0 ? [b, a] : [a, b];
  return put.drop === 0 && cut.from < put.from && put.from < cut.from + cut.drop;
};

/** Two edits of the same calls, by the events they belong to; undefined where all may be made. */
export const editConflict = (edits: readonly Edit[]): [string, string] | undefined => {
  for (const [n, one] of edits.entries()) {
    const other = edits.slice(n + 1).find((candidate) => meets(one, candidate));
    if (other) return [one.event, other.event];
  }
  return undefined;
};

/** The call that does what a dropped one did; undefined where none does. */
export const replacementOf = ({ insert }: Pick<Edit, 'insert'>, { service, tool }: Call): Call | undefined =>
  insert.findLast((call) => call.service === service && call.tool === tool);

/** The edits that fired events make, in their order. Throws `bad_edit`, `too_late`, `edit_conflict`. */
export const editsOf = (calls: readonly Call[], fired: readonly Fired[]): Edit[] => {
  const edits = fired.map((one) => editOf(one, calls.length));
  const conflict = editConflict(edits);
  if (conflict)
    throw refused(
      'edit_conflict',
      `Events ${conflict.join(' and ')} change the same calls of the reference`,
      conflict,
      'Let one exclude the other.',
    );
  return edits;
};

/** Texts of dropped calls, and what is done in their place. */
const replaced = (calls: readonly Call[], edits: readonly Edit[]): Map<string, Call> => {
  const by = new Map<string, Call>();
  for (const edit of edits)
    for (const call of calls.slice(edit.from, edit.from + edit.drop)) {
      const other = replacementOf(edit, call);
      if (other) by.set(canonicalJson(call), other);
    }
  return by;
};

const stepsOf = ({ event, insert, isLate: late, from, drop }: Edit, instead: ReadonlyMap<string, Call>): Step[] =>
  insert.map((call, n) => ({
    place: n === insert.length - 1 ? from + drop : from,
    id: `${event}/${late ? 'late/' : ''}${n}`,
    call: (drop === 0 && instead.get(canonicalJson(call))) || call,
    by: event,
  }));

/** The plan for these events, as `editsOf` makes them. What is put in at one place goes in the order of the events. */
export const planned = (calls: readonly Call[], edits: readonly Edit[]): Step[] => {
  const instead = replaced(calls, edits);
  const dropped = new Set(edits.flatMap(({ from, drop }) => Array.from({ length: drop }, (_, n) => from + n)));
  const steps: Step[] = [];
  for (let place = 0; place <= calls.length; place++) {
    const here = edits.filter(({ from }) => from === place);
    // What comes before a call comes before what is done in its place.
    for (const edit of [...here.filter(({ drop }) => drop === 0), ...here.filter(({ drop }) => drop > 0)])
      steps.push(...stepsOf(edit, instead));
    const call = calls[place];
    if (call && !dropped.has(place)) steps.push({ id: String(place), call, own: place, place: place + 1 });
  }
  return steps;
};
