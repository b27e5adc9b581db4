/** The reference of a task under the events that fired: calls, answer, and where each argument comes from now. */
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Call, Reference, Source, Task } from '../../artifacts/task.js';
import { canonicalJson } from '../../kit/hash.js';
import { valueAt } from '../../kit/json-path.js';
import { answerAfter } from './answers.js';
import { type Edit, editsOf, type Fired, planned, replacementOf, type Step } from './edits.js';

/** Place in the plan of each own call, or of what is done in its stead; undefined where nothing is. */
const placesIn = (calls: readonly Call[], edits: readonly Edit[], steps: readonly Step[]): (number | undefined)[] => {
  const places: (number | undefined)[] = calls.map(() => undefined);
  for (const [n, { own }] of steps.entries()) if (own !== undefined) places[own] = n;
  for (const edit of edits)
    for (let at = edit.from; at < edit.from + edit.drop; at++) {
      const other = replacementOf(edit, calls[at] as Call);
      const place = steps.findLastIndex(({ by, call }) => by === edit.event && call === other);
      if (other && place >= 0) places[at] = place;
    }
  return places;
};

/** The own call that an event's call is modelled on: the one it replaces, else the nearest of the same tool. */
const modelOf = ({ call, by }: Step, calls: readonly Call[], edits: readonly Edit[]): number | undefined => {
  const from = edits.find(({ event }) => event === by)?.from ?? 0;
  const same = calls.flatMap(({ service, tool }, n) => (service === call.service && tool === call.tool ? [n] : []));
  return same.sort((a, b) => Math.abs(a - from) - Math.abs(b - from))[0];
};

const argsOf = (args: unknown, below = ''): string[] =>
  args !== null && typeof args === 'object' && !Array.isArray(args)
    ? Object.entries(args).flatMap(([name, inner]) => argsOf(inner, below === '' ? name : `${below}.${name}`))
    : [below];

/** Where the own calls' values are read now: in what became of those calls, or where events say that they are shown instead. */
interface Moves {
  places: readonly (number | undefined)[];
  instead(call: number, path: string): { observed: number; path: string } | undefined;
}

const movesOf = (calls: readonly Call[], edits: readonly Edit[], steps: readonly Step[]): Moves => ({
  places: placesIn(calls, edits, steps),
  instead: (call, path) => {
    for (const { event, seen } of edits) {
      const other = seen.find((one) => one.call === call && one.path === path);
      const observed = other ? steps.findIndex(({ id }) => id === `${event}/${other.insert}`) : -1;
      if (other && observed >= 0) return { observed, path: other.at };
    }
    return undefined;
  },
});

const moved = ({ arg, from }: Source, call: number, { places, instead }: Moves): Source => {
  if (!('observed' in from)) return { call, arg, from };
  const other = instead(from.observed, from.path);
  if (other && other.observed < call) return { call, arg, from: other };
  const observed = places[from.observed];
  if (observed === undefined || observed >= call) return { call, arg, from: { constant: 'as it was planned' } };
  return { call, arg, from: { observed, path: from.path } };
};

type ByCall = ReadonlyMap<number, readonly Source[]>;

const byCall = (sources: readonly Source[]): ByCall => {
  const out = new Map<number, Source[]>();
  for (const source of sources) {
    const own = out.get(source.call);
    if (own) own.push(source);
    else out.set(source.call, [source]);
  }
  return out;
};

const sourcesAt = (
  n: number,
  step: Step,
  { calls, sources }: { calls: readonly Call[]; sources: ByCall },
  edits: readonly Edit[],
  moves: Moves,
): Source[] => {
  const model = step.own ?? modelOf(step, calls, edits);
  const own = sources.get(model ?? -1) ?? [];
  if (step.own !== undefined) return own.map((source) => moved(source, n, moves));
  const old = calls[model ?? -1]?.args;
  // Of an event's call, what is as in its model comes from where that came from; the rest is the event's.
  return argsOf(step.call.args)
    .filter((arg) => arg !== '')
    .flatMap((arg): Source[] => {
      const [now, before] = [valueAt(step.call.args, arg), valueAt(old, arg)];
      const source = own.find((one) => one.arg === arg);
      if (source && before !== undefined && canonicalJson(now ?? null) === canonicalJson(before))
        return [moved(source, n, moves)];
      return [{ call: n, arg, from: { constant: `what event ${step.by} asks for` } }];
    });
};

export interface Solved {
  steps: Step[];
  reference: Reference;
}

/** As `solvedFor`, with the steps and where they come from. */
export const solve = (task: Pick<Task, 'reference'>, fired: readonly Fired[]): Solved => {
  const { reference } = task;
  const edits = editsOf(reference.calls, fired);
  const steps = planned(reference.calls, edits);
  const moves = movesOf(reference.calls, edits, steps);
  const sources = byCall(reference.sources);
  const all = { calls: reference.calls, sources };
  return {
    steps,
    reference: {
      calls: steps.map(({ call }) => call),
      answer: answerAfter(reference.answer, fired),
      sources: steps.flatMap((step, n) => sourcesAt(n, step, all, edits, moves)),
    },
  };
};

const isEvent = (one: Fired | ScenarioEvent): one is ScenarioEvent => !('event' in one);

/**
 * The reference for the events that fired, in their order; an event without `at` fired in time for its edit. Throws `bad_edit`,
 * `too_late`, `edit_conflict`, `answer_conflict`.
 */
export const solvedFor = (task: Pick<Task, 'reference'>, fired: readonly (Fired | ScenarioEvent)[]): Reference =>
  solve(
    task,
    fired.map((one): Fired => (isEvent(one) ? { event: one } : one)),
  ).reference;
