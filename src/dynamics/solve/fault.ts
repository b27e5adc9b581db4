/**
 * Whose fault a failed rollout of a scenario is (dynamics.md, "The dynamic verifier"): its calls are made again on a fresh session,
 * which is deterministic, and where an event fired it is seen whether the task could still be done from there, and whether it could
 * have been done had the event not come.
 */
import type { Scenario, ScenarioEvent } from '../../artifacts/scenario.js';
import type { LedgerEntry } from '../../artifacts/trace.js';
import type { Session } from '../../serve/sessions/session.js';
import { judgedOn, openOn, type Stage } from '../author/trial.js';
import { EventEngine } from '../engine/engine.js';
import { outlookFrom } from './from-here.js';

export type Made = Pick<LedgerEntry, 'tool' | 'args'> & Partial<Pick<LedgerEntry, 'error'>>;

export interface Assigned {
  /** From where the rollout stood at every moment an event fired. */
  solvable: boolean;
  /** Had the first event not come from which on it was not; true where `solvable` is. */
  withoutEvent: boolean;
  fault: 'none' | 'policy' | 'scenario';
  evidence: string;
}

type Woven = Pick<Scenario, 'events' | 'seed' | 'offersWait'>;

/** Calls that never reached the session: there is nothing to repeat. */
const reached = ({ error }: Made): boolean =>
  error?.code !== 'malformed_arguments' && error?.fault !== 'infrastructure';

const repeat = (session: Session, { tool, args }: Made): void => {
  session.call(tool, structuredClone(args));
};

interface Firing {
  events: string[];
  /** Calls that were made by then. */
  calls: number;
  session: Session;
}

/** The session at its end, and as it was whenever events had just fired. All of them are the caller's to drop. */
const replayed = (stage: Stage, scenario: Woven, calls: readonly Made[]): { end: Session; firings: Firing[] } => {
  const engine = new EventEngine(scenario);
  const end = openOn(stage, engine);
  const firings: Firing[] = [];
  let known = 0;
  for (const [n, call] of calls.entries()) {
    repeat(end, call);
    const fired = engine.fired();
    if (fired.length === known) continue;
    firings.push({
      events: fired.slice(known).map(({ id }) => id),
      calls: n + 1,
      session: end.fork(`${stage.task.id}-${n + 1}`),
    });
    known = fired.length;
  }
  return { end, firings };
};

/** The scenario without some events, and without those that need them. */
const without = ({ events, ...rest }: Woven, gone: readonly string[]): Woven => {
  const lost = new Set(gone);
  for (let before = -1; before !== lost.size; ) {
    before = lost.size;
    for (const { id, needs } of events) if (needs.some((need) => lost.has(need.id))) lost.add(id);
  }
  const isLeft = (id: string): boolean => !lost.has(id);
  const left = events.filter(({ id }) => isLeft(id));
  return {
    ...rest,
    events: left.map((event): ScenarioEvent => ({ ...event, excludes: event.excludes.filter(isLeft) })),
  };
};

/** Whether it could have been done from the same calls, had these events not come. */
const outlookWithout = (stage: Stage, scenario: Woven, { events, calls }: Firing, made: readonly Made[]) => {
  const { end, firings } = replayed(stage, without(scenario, events), made.slice(0, calls));
  try {
    return outlookFrom(stage, end);
  } finally {
    for (const { session } of [{ session: end }, ...firings]) session.drop();
  }
};

/**
 * `calls` are those of the rollout's ledger, `answer` its final one. A rollout that passes is nobody's fault; one in which no event
 * fired is the policy's. Leaves no session open.
 */
export const assignFault = (stage: Stage, scenario: Woven, calls: readonly Made[], answer: string): Assigned => {
  const made = calls.filter(reached);
  const { end, firings } = replayed(stage, scenario, made);
  try {
    if (judgedOn(stage, end, answer).verdict.pass)
      return { solvable: true, withoutEvent: true, fault: 'none', evidence: 'it passes' };
    if (firings.length === 0)
      return { solvable: true, withoutEvent: true, fault: 'policy', evidence: 'no event fired' };
    let last = '';
    for (const firing of firings) {
      const when = `when ${firing.events.join(', ')} fired, after call ${firing.calls}`;
      const { isSolvable, evidence } = outlookFrom(stage, firing.session);
      last = `${when}: ${evidence}`;
      if (isSolvable) continue;
      const branch = outlookWithout(stage, scenario, firing, made);
      return {
        solvable: false,
        withoutEvent: branch.isSolvable,
        fault: branch.isSolvable ? 'scenario' : 'policy',
        evidence: `${last}; without it ${branch.isSolvable ? branch.evidence : 'neither: it was spoilt before'}`,
      };
    }
    return { solvable: true, withoutEvent: true, fault: 'policy', evidence: last };
  } finally {
    for (const { session } of [{ session: end }, ...firings]) session.drop();
  }
};
