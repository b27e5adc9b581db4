/**
 * Events tried at every place of the reference: those that come by the clock or by chance come wherever the agent is by then, so the
 * task must be solvable from each (dynamics.md, "Solvable: at build time inject at every reference prefix and re-solve").
 */
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Session } from '../../serve/sessions/session.js';
import { judgedOn, openOn, type Stage } from '../author/trial.js';
import { EventEngine } from '../engine/engine.js';
import { Course } from './course.js';
import { isLate } from './edits.js';

export interface Prefixes {
  /** Places at which the events were made to come. */
  tried: number;
  /** Of them: in time for the edits, past them and made up for, and where no event came any more (expired, or its guard held it). */
  inTime: number;
  late: number;
  over: number;
  /** The first place from which it cannot be done, and why. */
  unsolved?: { after: number; why: string };
}

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

/** Has all events that come by the clock or by chance come after each number of calls, one after the other; the rest as they do. */
export const everyPrefix = (stage: Stage, events: readonly ScenarioEvent[], seed: string): Prefixes => {
  const loose = events.filter(({ when }) => !('after' in when)).map(({ id }) => id);
  const out: Prefixes = { tried: 0, inTime: 0, late: 0, over: 0 };
  const base = openOn(stage, new EventEngine({ events: events.map(quiet), seed }));
  const course = Course.of(stage);
  try {
    for (let after = 0; ; after++) {
      const session = base.fork(`${stage.task.id}-${after}`);
      const own = course.fork();
      const engine = session.woven as EventEngine;
      for (const id of loose) engine.trigger(id, session);
      own.finish(session);
      out.tried++;
      const came = own.fired.filter(({ event }) => loose.includes(event.id));
      if (came.length === 0) out.over++;
      else if (came.some(isLate)) out.late++;
      else out.inTime++;
      const why = failureOn(stage, session, own);
      session.drop();
      if (why !== undefined) return { ...out, unsolved: { after, why } };
      if (!course.step(base)) return out;
    }
  } finally {
    base.drop();
  }
};

export const prefixWords = ({ tried, inTime, late, over }: Prefixes): string =>
  `made to come after each of ${tried} numbers of calls: ${inTime} in time, ${late} late and made up for, ${over} not any more; all solved`;
