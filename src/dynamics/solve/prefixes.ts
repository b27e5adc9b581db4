/**
 * Events tried at every place of the reference: those that come by the clock or by chance come wherever the agent is by then, so the
 * task must be solvable from each (dynamics.md, "Solvable: at build time inject at every reference prefix and re-solve").
 */
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import { canonicalJson } from '../../kit/hash.js';
import type { Session } from '../../serve/sessions/session.js';
import { judgedOn, openOn, type Stage } from '../author/trial.js';
import { EventEngine } from '../engine/engine.js';
import { Course } from './course.js';
import { isLate } from './edits.js';

export interface Prefixes {
  /** Places at which the events were made to come, of how many there are. */
  tried: number;
  of: number;
  /** Of them: in time for the edits, past them and made up for, and where no event came any more (expired, or its guard held it). */
  inTime: number;
  late: number;
  over: number;
  /** The first place from which it cannot be done, and why. */
  unsolved?: { after: number; why: string };
}

/** Up to so many places all are tried, of longer references so many. */
const MOST_PLACES = 24;
/** Far beyond any task. */
const NEVER = 9_000_000_000;

const quiet = (event: ScenarioEvent): ScenarioEvent =>
  'after' in event.when ? event : { ...event, when: { at: NEVER } };

const failureOn = (stage: Stage, session: Session, course: Course): string | undefined => {
  if (course.missed.length > 0) return `nothing makes up for ${course.missed.join(', ')} any more`;
  const { verdict } = judgedOn(stage, session, course.answer);
  if (verdict.pass) return undefined;
  const failed = verdict.milestones.flatMap(({ checks }) => checks.filter(({ pass }) => !pass));
  return failed
    .slice(0, 2)
    .map(({ check, evidence }) => `${check}: ${evidence}`)
    .join('; ');
};

/** A trial in time for the edits, one call after its events came. */
interface Point {
  session: Session;
  course: Course;
}

/** What the faults of a session still have to strike, and what is armed: all that decides how events go on but for the clock. */
const weave = ({ woven }: Session): string => canonicalJson((woven as EventEngine).ahead());

/** Whether two trials stand at one point, so that whatever follows is the same for both. */
const isSame = (a: Point, b: Point): boolean =>
  a.course.standsAs(b.course) &&
  a.session.clock === b.session.clock &&
  weave(a.session) === weave(b.session) &&
  a.session.equals(b.session);

const isEarly = ({ missed, fired }: Course): boolean => missed.length === 0 && !fired.some(isLate);

/** Which of a long reference's places are tried: the first and the last, those about the edits, and others evenly between them. */
const placesOf = (calls: number, events: readonly ScenarioEvent[], most: number): Set<number> => {
  const all = Array.from({ length: calls + 1 }, (_, n) => n);
  if (all.length <= most) return new Set(all);
  const about = events.flatMap(({ reference: { from } }) => [from, from + 1]).filter((n) => n <= calls);
  const even = Array.from({ length: most }, (_, n) => Math.round((n * calls) / (most - 1)));
  return new Set([...about, ...even]);
};

/** The base's point once the events came there. */
const triggered = (base: Point, loose: readonly string[], id: string): Point => {
  const session = base.session.fork(id);
  const course = base.course.fork();
  for (const event of loose) (session.woven as EventEngine).trigger(event, session);
  course.notice(session);
  return { session, course };
};

const count = (out: Prefixes, { fired }: Course, loose: readonly string[]): void => {
  out.tried++;
  const came = fired.filter(({ event }) => loose.includes(event.id));
  if (came.length === 0) out.over++;
  else if (came.some(isLate)) out.late++;
  else out.inTime++;
};

const tried = (stage: Stage, events: readonly ScenarioEvent[], seed: string, most: number): Prefixes => {
  const loose = events.filter(({ when }) => !('after' in when)).map(({ id }) => id);
  const hasDelays = events.some(({ needs }) => needs.some(({ delay }) => delay > 0));
  const places = placesOf(stage.task.reference.calls.length, events, most);
  const out: Prefixes = { tried: 0, of: 0, inTime: 0, late: 0, over: 0 };
  const base: Point = {
    session: openOn(stage, new EventEngine({ events: events.map(quiet), seed })),
    course: Course.of(stage),
  };
  /** The trial before this one, after one call. */
  let last: Point | undefined;
  try {
    for (let after = 0; ; after++) {
      out.of++;
      const trial = places.has(after) || last ? triggered(base, loose, `${stage.task.id}-${after}`) : undefined;
      // Where it made no difference that a call was made before or after, what follows was seen already.
      const isSeen = trial !== undefined && last !== undefined && isSame(last, trial);
      last?.session.drop();
      last = undefined;
      if (trial && (isSeen || places.has(after))) {
        const { session, course } = trial;
        const isUnmoved = !hasDelays && isEarly(course);
        if (course.step(session) && isUnmoved)
          last = { session: session.fork(`${session.id}-1`), course: course.fork() };
        if (!isSeen) course.finish(session);
        count(out, course, loose);
        const why = isSeen ? undefined : failureOn(stage, session, course);
        if (why !== undefined) out.unsolved = { after, why };
      }
      trial?.session.drop();
      if (out.unsolved || !base.course.step(base.session)) return out;
    }
  } finally {
    last?.session.drop();
    base.session.drop();
  }
};

const known = new WeakMap<Stage, Map<string, Prefixes>>();

/**
 * Has all events that come by the clock or by chance come after each number of calls, one after the other; the rest as they do. Once
 * for each stage and set of events, whatever their triggers.
 */
export const everyPrefix = (
  stage: Stage,
  events: readonly ScenarioEvent[],
  seed: string,
  most = MOST_PLACES,
): Prefixes => {
  const own = known.get(stage) ?? new Map<string, Prefixes>();
  known.set(stage, own);
  const name = canonicalJson(events.map(quiet) as never);
  const prefixes = own.get(name) ?? tried(stage, events, seed, most);
  own.set(name, prefixes);
  return prefixes;
};

export const prefixWords = ({ tried, of, inTime, late, over }: Prefixes): string =>
  `made to come after ${tried === of ? `each of ${of}` : `${tried} of ${of}`} numbers of calls: ${inTime} in time, ${late} late and made up for, ${over} not any more; all solved`;
